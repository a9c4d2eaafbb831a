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


def empty_status(deployment: Object) -> Object:
    """A new Deployment has a status of which nothing is set."""
    return {**deployment, "status": {}}


def count_replicas(replica_set: Object) -> Object:
    """A new ReplicaSet has a count, which clients always find."""
    return {**replica_set, "status": {"replicas": 0}}


def check_workload(obj: Object, old: Object | None) -> list[Cause]:
    """What is wrong with a Deployment or ReplicaSet, or with its change."""
    spec = obj.get("spec") or {}
    template, replicas, selector = spec.get("template") or {}, spec.get("replicas", 0), spec.get("selector")
    found = []
    if replicas < 0:
        found.append(invalid_value("spec.replicas", replicas, "must be greater than or equal to 0"))
    if old is not None and selector != old["spec"].get("selector"):
        found.append(invalid_value("spec.selector", selector, "field is immutable"))
    found += _check_selector(selector, (template.get("metadata") or {}).get("labels") or {})
    return found + check_pod_spec(template.get("spec"), "spec.template.spec")


def _check_selector(selector: Object | None, labels: Object) -> list[Cause]:
    mismatch = invalid_value("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")
    if selector is None:
        return [required("spec.selector"), mismatch]
    wanted = selector.get("matchLabels") or {}
    if not (wanted or selector.get("matchExpressions")):
        return [invalid_value("spec.selector", selector, "empty selector is invalid for deployment")]
    return [] if wanted.items() <= labels.items() else [mismatch]


def _template(spec: Object) -> Object:
    spec = fill(spec, {"template": {}})
    return within(spec, "template", lambda template: within(template, "spec", default_pod_spec))
