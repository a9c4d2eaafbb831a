"""What is in a cluster from its first moment: namespaces, priority classes of the system, the administrator's role."""

from typing import Any, Final

from pointsman.sandbox.store.doors import Door
from pointsman.sandbox.store.store import Store

_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_PRIORITIES: Final = (("system-cluster-critical", 2_000_000_000), ("system-node-critical", 2_000_001_000))
_RBAC: Final = "rbac.authorization.k8s.io"
_EVERYTHING: Final = [
    {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]},
    {"nonResourceURLs": ["*"], "verbs": ["*"]},
]
_SERVER: Final = Door("kube-apiserver")


def fill(store: Store) -> None:
    """Put it into an empty store."""
    for name in _NAMESPACES:
        _create(store, "", "namespaces", name)
    for name, value in _PRIORITIES:
        _create(store, "scheduling.k8s.io", "priorityclasses", name, value=value)
    _create(store, _RBAC, "clusterroles", "cluster-admin", rules=_EVERYTHING)
    reference = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "cluster-admin"}
    masters = {"apiGroup": _RBAC, "kind": "Group", "name": "system:masters"}
    _create(store, _RBAC, "clusterrolebindings", "cluster-admin", roleRef=reference, subjects=[masters])


def _create(store: Store, group: str, plural: str, name: str, **fields: Any) -> None:
    kind = store.kinds.lookup(group, "v1", plural)
    if kind is not None:
        store.create(kind, {"metadata": {"name": name}, **fields}, "", _SERVER)
