"""The last wall behind the templates: what they made must be exactly what is expected, field by field.

Nothing may be there that the pattern does not name: not a second container, not a host path, not another account. The
patterns repeat the templates on purpose: a change must be made twice, by somebody who means it.
"""

from collections.abc import Iterator
from typing import Any

from pointsman.api import names
from pointsman.controller.plan.revision import Revision
from pointsman.controller.render import children
from pointsman.controller.render.children import Child, Fleet
from pointsman.controller.render.pattern import Marker, Maybe, differences
from pointsman.kube.resources import (
    CLUSTER_ROLE_BINDINGS,
    CONFIG_MAPS,
    DEPLOYMENTS,
    DISRUPTION_BUDGETS,
    LEASES,
    ROLE_BINDINGS,
    ROLES,
    SERVICE_ACCOUNTS,
    Resource,
)


class AllowlistError(Exception):
    """The templates made something that nobody asked for. Nothing of it is applied."""


def require(made: tuple[Child, ...], revision: Revision, uid: str, fleet: Fleet) -> None:
    """Raise AllowlistError unless every child is as expected."""
    faults = [fault for child in made for fault in faults_of(child, revision, uid, fleet)]
    if faults:
        raise AllowlistError(
            f"profile {revision.profile}: the templates made what is not allowed: " + "; ".join(faults)
        )


def faults_of(child: Child, revision: Revision, uid: str, fleet: Fleet) -> Iterator[str]:
    """Where one child differs from what is expected."""
    return differences(_pattern(child, revision, uid, fleet), child.body, str(child.identity))


def _pattern(child: Child, revision: Revision, uid: str, fleet: Fleet) -> dict[str, Any]:
    resource = child.identity.resource
    metadata: dict[str, Any] = {
        "name": child.identity.name,
        "labels": children.labels(revision.profile),
        "ownerReferences": [children.owner_reference(revision.profile, uid)],
    }
    if resource.namespaced:
        metadata["namespace"] = fleet.namespace
    if resource is CONFIG_MAPS:
        metadata["annotations"] = revision.annotations()
    if resource is LEASES:
        metadata["annotations"] = {names.WANTED_POLICY_ANNOTATION: revision.short_hash}
    head = {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}
    role = children.cluster_role_bindings(revision.profile).get(child.identity, "")
    return head | _bodies(revision, fleet, role)[resource]


def _bodies(revision: Revision, fleet: Fleet, role: str) -> dict[Resource, dict[str, Any]]:
    """Of each kind: all but apiVersion, kind and metadata. `role` is the ClusterRole of a ClusterRoleBinding."""
    engine = names.engine_name(revision.profile)
    group = "rbac.authorization.k8s.io"
    subjects = [{"kind": "ServiceAccount", "name": engine, "namespace": fleet.namespace}]
    lease = {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": [engine]}
    cluster_role = {"apiGroup": group, "kind": "ClusterRole", "name": role}
    return {
        SERVICE_ACCOUNTS: {},
        LEASES: {},
        ROLES: {"rules": [lease | {"verbs": ["get", "update", "patch"]}]},
        ROLE_BINDINGS: {"roleRef": {"apiGroup": group, "kind": "Role", "name": engine}, "subjects": subjects},
        CLUSTER_ROLE_BINDINGS: {"roleRef": cluster_role, "subjects": subjects},
        CONFIG_MAPS: {
            "immutable": True,
            "data": {names.policy_file(revision.profile): revision.content.decode()},
        },
        DISRUPTION_BUDGETS: {
            "spec": {"maxUnavailable": 1, "selector": {"matchLabels": children.selector(revision.profile)}}
        },
        DEPLOYMENTS: {"spec": _deployment(revision, fleet)},
    }


def _deployment(revision: Revision, fleet: Fleet) -> dict[str, Any]:
    profile = revision.profile
    return {
        "replicas": revision.replicas,
        "revisionHistoryLimit": 2,
        "progressDeadlineSeconds": 120,
        "minReadySeconds": 0,
        "paused": False,
        "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
        "selector": {"matchLabels": children.selector(profile)},
        "template": {
            "metadata": {
                "labels": children.labels(profile),
                "annotations": {names.POLICY_ANNOTATION: revision.short_hash},
            },
            "spec": _pod(revision, fleet),
        },
    }


def _pod(revision: Revision, fleet: Fleet) -> dict[str, Any]:
    """The pod security standard `restricted`, and only the engine."""
    return {
        "serviceAccountName": names.engine_name(revision.profile),
        "automountServiceAccountToken": True,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 30,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 65532,
            "runAsGroup": 65532,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "priorityClassName": Maybe(Marker.TEXT),
        "nodeSelector": Marker.TEXTS,
        "tolerations": Marker.TOLERATIONS,
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": children.selector(revision.profile)},
            }
        ],
        "containers": [_container(revision, fleet)],
        "volumes": [
            {"name": "policy", "configMap": {"name": names.config_map_name(revision.profile, revision.short_hash)}}
        ],
    }


def _container(revision: Revision, fleet: Fleet) -> dict[str, Any]:
    profile = revision.profile
    lease = f"{fleet.namespace}/{names.engine_name(profile)}"
    environment = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_IP": "status.podIP"}
    return {
        "name": "engine",
        "image": revision.engine.image or fleet.image,
        "args": [
            *("engine", "--policy", names.POLICY_DIRECTORY, "--expect", f"{profile}={revision.hash}"),
            *("--lease", lease, "--log-level", revision.engine.log_level.value),
        ],
        "env": [
            {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
            for name, path in environment.items()
        ],
        "ports": [{"name": "http", "containerPort": names.ENGINE_PORT, "protocol": "TCP"}],
        "startupProbe": _probe("/healthz", period=2, timeout=2, failures=30),
        "livenessProbe": _probe("/healthz", period=10, timeout=5, failures=3),
        "readinessProbe": _probe("/readyz", period=2, timeout=2, failures=3),
        "resources": Marker.RESOURCES,
        "securityContext": {
            "runAsNonRoot": True,
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": [{"name": "policy", "mountPath": names.POLICY_DIRECTORY, "readOnly": True}],
    }


def _probe(path: str, *, period: int, timeout: int, failures: int) -> dict[str, Any]:
    return {
        "httpGet": {"path": path, "port": "http", "scheme": "HTTP"},
        "periodSeconds": period,
        "timeoutSeconds": timeout,
        "failureThreshold": failures,
    }
