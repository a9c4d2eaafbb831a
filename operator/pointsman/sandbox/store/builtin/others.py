"""Namespaces, nodes, Secrets, ConfigMaps, RBAC, Services: defaults and checks, each a line or two."""

import base64
from functools import partial
from typing import Final

from pointsman.sandbox.store.builtin.fill import each, fill, within
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import forbidden_field, invalid_value, required
from pointsman.sandbox.store.kinds import Object

RBAC_GROUP: Final = "rbac.authorization.k8s.io"
_NODE_INFO: Final = dict.fromkeys(
    (
        *("architecture", "bootID", "containerRuntimeVersion", "kernelVersion", "kubeProxyVersion", "kubeletVersion"),
        *("machineID", "operatingSystem", "osImage", "systemUUID"),
    ),
    "",
)
NAME_LABEL: Final = "kubernetes.io/metadata.name"


def default_namespace(namespace: Object) -> Object:
    """A namespace with the label that selectors find it by."""
    metadata = namespace["metadata"]
    labels = {**(metadata.get("labels") or {}), NAME_LABEL: metadata.get("name", "")}
    return {**namespace, "metadata": {**metadata, "labels": labels}}


def new_namespace(namespace: Object) -> Object:
    """An active namespace, which the namespace controller empties before it goes."""
    given = (namespace.get("spec") or {}).get("finalizers") or []
    finalizers = given if "kubernetes" in given else [*given, "kubernetes"]
    return {**namespace, "spec": {"finalizers": finalizers}, "status": {"phase": "Active"}}


def default_node(node: Object) -> Object:
    """A node that may give away all it has, unless it says otherwise."""

    def status(given: Object) -> Object:
        return fill(given, {"allocatable": given["capacity"]}) if given.get("capacity") else given

    return within(node, "status", status)


def new_node(node: Object) -> Object:
    """A node with the parts of its status that clients always find, empty until a kubelet fills them."""
    node = fill(node, {"spec": {}, "status": {}})
    empty = {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": {}}
    status = fill(node["status"], empty)
    return {**node, "status": {**status, "nodeInfo": fill(status["nodeInfo"], _NODE_INFO)}}


def new_disruption_budget(budget: Object) -> Object:
    """A budget whose counts the disruption controller has not made yet."""
    counts = ("currentHealthy", "desiredHealthy", "disruptionsAllowed", "expectedPods")
    return {**budget, "status": dict.fromkeys(counts, 0)}


def default_secret(secret: Object) -> Object:
    """A secret of the general type, with its plain strings encoded."""
    plain = secret.get("stringData")
    secret = fill(secret, {"type": "Opaque"})
    if not plain:
        return secret
    data = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
    rest = {key: value for key, value in secret.items() if key != "stringData"}
    return {**rest, "data": {**(secret.get("data") or {}), **data}}


def default_binding(binding: Object) -> Object:
    """A role binding whose references say of which API group they are."""

    def subject(given: Object) -> Object:
        return given if given.get("kind") == "ServiceAccount" else fill(given, {"apiGroup": RBAC_GROUP})

    binding = within(binding, "roleRef", partial(fill, defaults={"apiGroup": RBAC_GROUP}))
    return within(binding, "subjects", lambda subjects: each(subjects, subject))


def default_service(service: Object) -> Object:
    """A Service with defaults; it gets no address, because nothing here routes."""

    def port(given: Object) -> Object:
        return fill(given, {"protocol": "TCP", "targetPort": given.get("port")})

    defaults = {"type": "ClusterIP", "sessionAffinity": "None", "internalTrafficPolicy": "Cluster"}
    service = within(service, "spec", partial(fill, defaults=defaults))
    return within(service, "spec", lambda spec: within(spec, "ports", lambda ports: each(ports, port)))


def default_priority_class(priority_class: Object) -> Object:
    """A priority class that preempts."""
    return fill(priority_class, {"preemptionPolicy": "PreemptLowerPriority"})


def check_immutable(obj: Object, old: Object | None) -> list[Cause]:
    """ConfigMaps and Secrets that say they never change."""
    if old is None or not old.get("immutable"):
        return []
    found = []
    if not obj.get("immutable"):
        found.append(forbidden_field("immutable", "field is immutable when `immutable` is set"))
    return found + [
        forbidden_field(key, "field is immutable when `immutable` is set")
        for key in ("data", "binaryData")
        if obj.get(key) != old.get(key)
    ]


def check_role_ref(obj: Object, old: Object | None) -> list[Cause]:
    """A binding's role cannot be changed."""
    reference = obj.get("roleRef") or {}
    if not reference.get("name"):
        return [required("roleRef.name")]
    if old is not None and reference != old["roleRef"]:
        return [invalid_value("roleRef", reference, "cannot change roleRef")]
    return []


def check_lease(obj: Object, _old: Object | None) -> list[Cause]:
    """Numbers of a Lease."""
    spec = obj.get("spec") or {}
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    found = []
    if seconds is not None and seconds <= 0:
        found.append(invalid_value("spec.leaseDurationSeconds", seconds, "must be greater than 0"))
    if transitions is not None and transitions < 0:
        found.append(invalid_value("spec.leaseTransitions", transitions, "must be greater than or equal to 0"))
    return found
