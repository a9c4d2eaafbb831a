"""The node agent: registers hollow nodes and runs the pods bound to them, mapped images as real processes.

`agent.NodeAgent` is the way in. The pure parts (`shape`, `paths`, `expand`, `environment`, `backoff`, `states`,
`status`, `hollow`) decide; the thin ones (`nodes`, `pods`, `mapped`, `container`, `process`, `mounts`, `checks`,
`writer`) do. What a kubelet does and this does not is said at the head of the module that would have to do it.
"""
