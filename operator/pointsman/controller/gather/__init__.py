"""Reads: a profile and the world around it, from the API server and from mirrors."""
