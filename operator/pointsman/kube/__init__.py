"""The only door to an API server: connection, client, reflector, server-side apply, Lease, events, quantities."""
