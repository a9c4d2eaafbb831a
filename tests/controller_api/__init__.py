"""The operator's hands on a real API server, with nothing but its own rights."""
