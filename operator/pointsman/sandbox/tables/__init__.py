"""Rows for people: what `kubectl get` prints is made by the server, and here."""
