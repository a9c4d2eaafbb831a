"""The operator's decisions, without an API server."""
