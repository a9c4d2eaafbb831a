"""What the spreading rules share: constraints, domains, and whose pods belong together."""
