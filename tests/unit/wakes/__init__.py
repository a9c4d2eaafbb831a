"""Whoever was rejected is tried again as soon as something happens that makes room."""
