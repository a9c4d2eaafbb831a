"""`pointsman demo`: the whole of Pointsman on a sandbox, with pods to place and a table to watch.

Nothing here reaches into another part: API server, operator, engines, node agent and the table talk HTTP, as they do on
a cluster. `manifests` and `examples` are links to what the repository gives to users, and are copied into the wheel.
"""
