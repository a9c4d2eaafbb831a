"""Pointsman: runs a fleet of custom Kubernetes schedulers, each described by a SchedulerProfile.

The packages below follow one direction of imports (`.importlinter` holds it): `api` and `kube` at the bottom,
`policy` on them, `engine` and `controller` on that (neither knows the other), `testing`, `sandbox` and `cli` on top.
"""

__version__ = "0.1.0"
