"""The chart and what is made from it: what it renders, what it refuses, and a release's life on a real API server."""
