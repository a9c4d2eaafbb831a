"""The built-in kinds that a sandbox serves, one line each where that will do."""

from collections.abc import Iterator
from typing import Any, Final

from pointsman.sandbox.schema.published import blank_of, schema_of
from pointsman.sandbox.store.builtin import others, pods, workloads
from pointsman.sandbox.store.builtin.rules import BuiltinRules
from pointsman.sandbox.store.kinds import Kind, Scale

_STATUS: Final = frozenset(("status",))
_REPLICAS: Final = Scale(("spec", "replicas"), ("status", "replicas"), ("spec", "selector"))


def _paths(*labels: str) -> dict[str, tuple[str, ...]]:
    return {label: tuple(label.split(".")) for label in labels}


_POD_FIELDS: Final = _paths(
    *("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName", "spec.hostNetwork"),
    *("status.phase", "status.podIP", "status.nominatedNodeName"),
)
_INVOLVED: Final = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
_EVENT_FIELDS: Final = {
    **_paths(*(f"involvedObject.{field}" for field in _INVOLVED), "reason", "reportingComponent", "type"),
    "source": ("source", "component"),
}


def builtin_kinds() -> tuple[Kind, ...]:
    """All of them, ready to be registered."""
    rbac = "rbac.authorization.k8s.io"
    config = BuiltinRules(checks=(others.check_immutable,))
    bindings = BuiltinRules(defaults=others.default_binding, checks=(others.check_role_ref,))
    return (
        _core(
            "pods",
            "Pod",
            _POD_RULES,
            "po",
            subresources=_POD_DOORS,
            selectable=_POD_FIELDS,
            grace=pods.pod_grace,
            categories=("all",),
            has_generation=True,
        ),
        _core(
            "nodes",
            "Node",
            BuiltinRules(others.default_node, others.new_node),
            "no",
            namespaced=False,
            subresources=_STATUS,
            selectable=_paths("spec.unschedulable"),
            keeps_status_on_create=True,
        ),
        _core(
            "namespaces",
            "Namespace",
            _NAMESPACE_RULES,
            "ns",
            namespaced=False,
            subresources=frozenset(("status", "finalize")),
            selectable=_paths("status.phase"),
        ),
        _core("configmaps", "ConfigMap", config, "cm"),
        _core(
            "secrets",
            "Secret",
            BuiltinRules(defaults=others.default_secret, checks=(others.check_immutable,)),
            selectable=_paths("type"),
        ),
        _core("serviceaccounts", "ServiceAccount", BuiltinRules(), "sa", subresources=frozenset(("token",))),
        _core(
            "services",
            "Service",
            BuiltinRules(defaults=others.default_service),
            "svc",
            subresources=_STATUS,
            categories=("all",),
        ),
        _core("events", "Event", BuiltinRules(), "ev", selectable=_EVENT_FIELDS),
        _core("persistentvolumeclaims", "PersistentVolumeClaim", BuiltinRules(), "pvc", subresources=_STATUS),
        _core("persistentvolumes", "PersistentVolume", BuiltinRules(), "pv", namespaced=False, subresources=_STATUS),
        _kind(
            "apps",
            "deployments",
            "Deployment",
            _workload(workloads.default_deployment),
            "deploy",
            subresources=frozenset(("status", "scale")),
            scale=_REPLICAS,
            categories=("all",),
            has_generation=True,
        ),
        _kind(
            "apps",
            "replicasets",
            "ReplicaSet",
            _REPLICA_SET_RULES,
            "rs",
            subresources=frozenset(("status", "scale")),
            scale=_REPLICAS,
            categories=("all",),
            has_generation=True,
        ),
        _kind("coordination.k8s.io", "leases", "Lease", BuiltinRules(checks=(others.check_lease,))),
        _kind(
            "policy",
            "poddisruptionbudgets",
            "PodDisruptionBudget",
            BuiltinRules(admission=others.new_disruption_budget),
            "pdb",
            subresources=_STATUS,
            has_generation=True,
        ),
        _kind(rbac, "roles", "Role", BuiltinRules()),
        _kind(rbac, "clusterroles", "ClusterRole", BuiltinRules(), namespaced=False),
        _kind(rbac, "rolebindings", "RoleBinding", bindings),
        _kind(rbac, "clusterrolebindings", "ClusterRoleBinding", bindings, namespaced=False),
        _kind(
            "scheduling.k8s.io",
            "priorityclasses",
            "PriorityClass",
            BuiltinRules(defaults=others.default_priority_class),
            "pc",
            has_generation=True,
            namespaced=False,
        ),
        *_only_stored(),
    )


def _only_stored() -> Iterator[Kind]:
    """Kinds that schedulers read, and of which the sandbox knows nothing but how to keep them."""
    yield _core("replicationcontrollers", "ReplicationController", BuiltinRules(), "rc", subresources=_STATUS)
    yield _kind("apps", "statefulsets", "StatefulSet", BuiltinRules(), "sts", subresources=_STATUS)
    storage = "storage.k8s.io"
    yield _kind(storage, "storageclasses", "StorageClass", BuiltinRules(), "sc", namespaced=False)
    yield _kind(storage, "csinodes", "CSINode", BuiltinRules(), namespaced=False)
    yield _kind(storage, "csidrivers", "CSIDriver", BuiltinRules(), namespaced=False)
    yield _kind(storage, "csistoragecapacities", "CSIStorageCapacity", BuiltinRules())
    attachments = ("volumeattachments", "VolumeAttachment")
    yield _kind(storage, *attachments, BuiltinRules(), namespaced=False, subresources=_STATUS)


_POD_DOORS: Final = frozenset(("status", "binding", "eviction", "log", "ephemeralcontainers", "resize"))
_POD_RULES: Final = BuiltinRules(defaults=pods.default_pod, admission=pods.admit_pod, checks=(pods.check_pod,))
_NAMESPACE_RULES: Final = BuiltinRules(defaults=others.default_namespace, admission=others.new_namespace)
_REPLICA_SET_RULES: Final = BuiltinRules(
    workloads.default_replica_set, workloads.count_replicas, (workloads.check_workload,)
)


def _workload(default: Any) -> BuiltinRules:
    return BuiltinRules(default, workloads.empty_status, (workloads.check_workload,))


def _core(plural: str, kind: str, rules: BuiltinRules, *short_names: str, **more: Any) -> Kind:
    return _kind("", plural, kind, rules, *short_names, **more)


def _kind(group: str, plural: str, kind: str, rules: BuiltinRules, *short_names: str, **more: Any) -> Kind:
    schema = schema_of(f"{group}/v1" if group else "v1", kind)
    return Kind(
        group=group,
        version="v1",
        plural=plural,
        kind=kind,
        rules=rules,
        schema=schema,
        blank=blank_of(schema),
        singular=kind.lower(),
        list_kind=f"{kind}List",
        short_names=short_names,
        **{"has_generation": False, **more},
    )
