"""Pods: defaults, what admission adds to a new one, how long a deletion waits, what is checked."""

import hashlib
from typing import Any, Final

from pointsman.kube.quantity import QuantityError, parse
from pointsman.sandbox.store.builtin.fill import each, fill, within
from pointsman.sandbox.store.builtin.podspec import default_pod_spec
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import forbidden_field, invalid_value, required
from pointsman.sandbox.store.kinds import Object
from pointsman.sandbox.store.names import label_faults

_ADMITTED: Final = {
    "priority": 0,
    "preemptionPolicy": "PreemptLowerPriority",
    "serviceAccountName": "default",
}
_TOLERATIONS: Final = tuple(
    {"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in ("not-ready", "unreachable")
)
_TOKEN_PATH: Final = "/var/run/secrets/kubernetes.io/serviceaccount"  # noqa: S105 - a path
_TOKEN_SECONDS: Final = 3607  # the admission plugin's own value; it marks tokens that may be extended
_CHANGEABLE: Final = frozenset(("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds"))
_ONLY_THESE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)


def default_pod(pod: Object) -> Object:
    """A pod with defaults."""
    return within(pod, "spec", lambda spec: fill(default_pod_spec(spec), {"enableServiceLinks": True}))


def admit_pod(pod: Object) -> Object:
    """A new pod with what admission plugins add: service account and its token, priority, tolerations; and a status."""
    spec = pod.get("spec") or {}
    tolerations = list(spec.get("tolerations") or ())
    tolerations += [one for one in _TOLERATIONS if not any(_covers(other, one) for other in tolerations)]
    spec = fill({**spec, "tolerations": tolerations}, _ADMITTED)
    spec = _with_token({**spec, "serviceAccount": spec["serviceAccountName"]}, pod["metadata"]["uid"])
    status = {"phase": "Pending", "qosClass": _quality_of_service(spec)}
    return {**pod, "spec": spec, "status": status}


def pod_grace(pod: Object, asked: int | None) -> int:
    """Seconds that a deletion waits for the node: none for pods that no node runs."""
    status, spec = pod.get("status") or {}, pod["spec"]
    if not spec.get("nodeName") or status.get("phase") in ("Succeeded", "Failed"):
        return 0
    grace: int = spec["terminationGracePeriodSeconds"] if asked is None else asked
    return max(grace, 0)


def check_pod_spec(spec: Any, path: str) -> list[Cause]:
    """What is wrong with a pod spec at this path."""
    if not spec or not spec.get("containers"):
        return [required(f"{path}.containers")]
    return [
        cause
        for key in ("initContainers", "containers")
        for place, container in enumerate(spec.get(key) or ())
        for cause in _check_container(container, f"{path}.{key}[{place}]")
    ]


def check_pod(pod: Object, old: Object | None) -> list[Cause]:
    """What is wrong with a pod, or with its change."""
    if old is None:
        return check_pod_spec(pod.get("spec"), "spec")
    if pod["spec"] is old["spec"] or _fixed(pod["spec"]) == _fixed(old["spec"]):
        return []
    return [forbidden_field("spec", _ONLY_THESE)]


def _fixed(spec: Object) -> Object:
    """A spec without what an update may change."""
    fixed = {key: value for key, value in spec.items() if key not in _CHANGEABLE}
    for key in ("containers", "initContainers"):
        fixed = within(fixed, key, lambda items: [{**item, "image": ""} for item in items])
    if spec.get("schedulingGates"):
        fixed.pop("nodeSelector", None)
        fixed.pop("affinity", None)
    fixed.pop("schedulingGates", None)
    return fixed


def _check_container(container: Object, path: str) -> list[Cause]:
    name = container.get("name")
    found = [invalid_value(f"{path}.name", name, fault) for fault in label_faults(name)] if name else []
    if not name:
        found.append(required(f"{path}.name"))
    if not container.get("image"):
        found.append(required(f"{path}.image"))
    resources = container.get("resources") or {}
    limits = resources.get("limits") or {}
    for resource, amount in (resources.get("requests") or {}).items():
        limit = limits.get(resource)
        if limit is not None and _more(amount, limit):
            what = f"must be less than or equal to {resource} limit of {limit}"
            found.append(invalid_value(f"{path}.resources.requests", amount, what))
    return found


def _more(amount: Any, limit: Any) -> bool:
    try:
        return parse(amount) > parse(limit)
    except QuantityError:
        return False


def _covers(toleration: Object, wanted: Object) -> bool:
    return toleration.get("key") in (None, "", wanted["key"]) and toleration.get("effect") in (None, "", "NoExecute")


def _with_token(spec: Object, uid: str) -> Object:
    """The volume with the service account's token, mounted where client libraries look for it."""
    if spec.get("automountServiceAccountToken") is False:
        return spec
    name = f"kube-api-access-{hashlib.sha256(uid.encode()).hexdigest()[:5]}"
    mount = {"name": name, "mountPath": _TOKEN_PATH, "readOnly": True}

    def mounted(container: Object) -> Object:
        mounts = container.get("volumeMounts") or []
        if any(one.get("mountPath") == _TOKEN_PATH for one in mounts):
            return container
        return {**container, "volumeMounts": [*mounts, mount]}

    before = spec
    for key in ("containers", "initContainers"):
        spec = within(spec, key, lambda items: each(items, mounted))
    return spec if spec is before else {**spec, "volumes": [*(spec.get("volumes") or ()), _token_volume(name)]}


def _token_volume(name: str) -> Object:
    namespace = {"path": "namespace", "fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}}
    sources = [
        {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"downwardAPI": {"items": [namespace]}},
    ]
    return {"name": name, "projected": {"defaultMode": 0o644, "sources": sources}}


def _quality_of_service(spec: Object) -> str:
    """Guaranteed, Burstable or BestEffort: by cpu and memory of all containers."""
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    resources = [container.get("resources") or {} for container in containers]
    asked = [{**(one.get("requests") or {}), **(one.get("limits") or {})} for one in resources]
    if not any(key in ("cpu", "memory") for one in asked for key in one):
        return "BestEffort"

    def guaranteed(one: Object) -> bool:
        limits, requests = one.get("limits") or {}, one.get("requests") or {}
        return all(key in limits and requests.get(key) == limits[key] for key in ("cpu", "memory"))

    return "Guaranteed" if all(map(guaranteed, resources)) else "Burstable"
