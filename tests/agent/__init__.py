"""The node agent on a real API server."""
