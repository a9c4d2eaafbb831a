"""Built-in kinds: a table of names and selectable fields, their defaults, and the little that is validated."""
