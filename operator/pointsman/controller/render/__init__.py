"""A profile's children from templates, and the walls around what templates may make."""
