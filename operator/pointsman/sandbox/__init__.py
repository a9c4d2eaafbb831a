"""A cluster without a cluster: the node agent that plays nodes and runs pods as processes on any API server."""
