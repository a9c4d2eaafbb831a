"""Commands that talk to a cluster, run as processes against a real API server."""
