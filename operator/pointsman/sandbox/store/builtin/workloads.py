"""Deployments and ReplicaSets: defaults and checks (kubernetes 1.36, pkg/apis/apps)."""

from functools import partial
from typing import Final

from pointsman.sandbox.store.builtin.fill import fill, within
from pointsman.sandbox.store.builtin.pods import check_pod_spec
from pointsman.sandbox.store.builtin.podspec import default_pod_spec
from pointsman.sandbox.store.errors import Cause
from pointsman.sandbox.store.faults import invalid_value, required
from pointsman.sandbox.store.kinds import Object

_DEPLOYMENT: Final = {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600, "strategy": {}}
_ROLLING: Final = {"maxUnavailable": "25%", "maxSurge": "25%"}


def default_deployment(deployment: Object) -> Object:
    """A Deployment with defaults."""

    def strategy(given: Object) -> Object:
        given = fill(given, {"type": "RollingUpdate"})
        if given["type"] != "RollingUpdate":
            return given
        return within(fill(given, {"rollingUpdate": _ROLLING}), "rollingUpdate", partial(fill, defaults=_ROLLING))

    def spec(given: Object) -> Object:
        return within(_template(fill(given, _DEPLOYMENT)), "strategy", strategy)

    return within(deployment, "spec", spec)


def default_replica_set(replica_set: Object) -> Object:
    """A ReplicaSet with defaults."""
    return within(replica_set, "spec", lambda spec: _template(fill(spec, {"replicas": 1})))


def count_replicas(obj: Object) -> Object:
    """A new object's status: a count that clients read is there from the start."""
    return {**obj, "status": {"replicas": 0}}


def check_workload(obj: Object, old: Object | None) -> list[Cause]:
    """What is wrong with a Deployment or ReplicaSet, or with its change."""
    spec = obj.get("spec") or {}
    template = spec.get("template") or {}
    found = []
    if spec.get("replicas", 0) < 0:
        found.append(invalid_value("spec.replicas", spec["replicas"], "must be greater than or equal to 0"))
    selector = spec.get("selector")
    labels = (template.get("metadata") or {}).get("labels") or {}
    if not selector:
        found.append(required("spec.selector"))
    elif not (selector.get("matchLabels") or selector.get("matchExpressions")):
        found.append(invalid_value("spec.selector", selector, "empty selector is invalid for deployment"))
    elif not (selector.get("matchLabels") or {}).items() <= labels.items():
        found.append(
            invalid_value("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
        )
    found += check_pod_spec(template.get("spec"), "spec.template.spec")
    if old is not None and selector != old["spec"].get("selector"):
        found.append(invalid_value("spec.selector", selector, "field is immutable"))
    return found


def _template(spec: Object) -> Object:
    spec = fill(spec, {"template": {}})
    return within(spec, "template", lambda template: within(template, "spec", default_pod_spec))
