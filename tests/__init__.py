"""Pointsman's tests: `unit` needs nothing, what carries the marker `controlplane` needs a real API server."""
