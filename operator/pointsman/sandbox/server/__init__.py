"""The sandbox's HTTP: what a client sees of the store, in the shapes and words of a real API server."""
