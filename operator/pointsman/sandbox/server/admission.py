"""What a real API server's admission plugins look up elsewhere before they let a new pod in.

Defaults that need nothing but the pod are the store's.
"""

from typing import Any

from pointsman.sandbox.store.errors import Refused, forbidden
from pointsman.sandbox.store.kinds import Kind, Object
from pointsman.sandbox.store.store import Store


def admit(store: Store, kind: Kind, namespace: str, obj: Object) -> None:
    """Check a new object, and write into it what other objects say. Raises Refused (403)."""
    if kind.kind != "Pod" or kind.group or not isinstance(obj.get("spec"), dict):
        return
    name = (obj.get("metadata") or {}).get("name", "")
    spec: dict[str, Any] = dict(obj["spec"])
    account = spec.get("serviceAccountName") or "default"
    found = _find(store, "serviceaccounts", "", namespace, account)
    if found is None:
        why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
        raise forbidden(kind, name, why)
    if spec.get("automountServiceAccountToken") is None and found.get("automountServiceAccountToken") is False:
        spec["automountServiceAccountToken"] = False
    if wanted := spec.get("priorityClassName"):
        priority = _find(store, "priorityclasses", "scheduling.k8s.io", "", wanted)
        if priority is None:
            raise forbidden(kind, name, f"no PriorityClass with name {wanted} was found")
        spec["priority"] = priority["value"]
        spec.setdefault("preemptionPolicy", priority.get("preemptionPolicy", "PreemptLowerPriority"))
    obj["spec"] = spec


def _find(store: Store, plural: str, group: str, namespace: str, name: str) -> Object | None:
    kind = store.kinds.lookup(group, "v1", plural)
    if kind is None:
        return None
    try:
        return store.get(kind, namespace, name).object
    except Refused:
        return None
