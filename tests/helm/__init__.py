"""Helm of both major versions that are in use, built from Go modules, and what tests do with it."""
