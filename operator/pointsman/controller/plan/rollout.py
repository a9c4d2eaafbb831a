"""How far a Deployment has come with the revision that it should run, by its own status.

The rules are those of `kubectl rollout status` (k8s.io/kubectl/pkg/polymorphichelpers/rollout_status.go, 1.36): done is
when the controller has seen the object, every pod is of the new template, none of an old one is left, and all are
available.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from pointsman.api import names
from pointsman.controller.plan.revision import Revision

DEADLINE_SECONDS: Final = 120
"""`progressDeadlineSeconds` of the Deployment's template."""


@dataclass(frozen=True, slots=True)
class Rollout:
    """One Deployment's progress. The default is a Deployment that is not there."""

    observed: bool = False  # its controller has seen this revision, and what follows is about it
    available: int = 0
    complete: bool = False
    once_complete: bool = False  # all pods have been available with this template before
    overdue: bool = False  # the progress deadline has passed
    refusal: str = ""  # why pods cannot be made: a quota, an admission plugin

    @classmethod
    def of(cls, body: Mapping[str, Any] | None, revision: Revision) -> Self:
        """Read a Deployment's status; one that is not there, or has another revision, has not begun."""
        if body is None or not _is_current(body, revision):
            return cls()
        status = body.get("status") or {}
        updated, available = status.get("updatedReplicas", 0), status.get("availableReplicas", 0)
        conditions = {condition["type"]: condition for condition in status.get("conditions") or ()}
        progressing = conditions.get("Progressing", {})
        failure = conditions.get("ReplicaFailure", {})
        return cls(
            observed=True,
            available=available,
            complete=updated == revision.replicas == status.get("replicas", 0) == available,
            once_complete=progressing.get("reason") == "NewReplicaSetAvailable",
            overdue=progressing.get("reason") == "ProgressDeadlineExceeded",
            refusal=failure.get("message", "") if failure.get("status") == "True" else "",
        )


def _is_current(body: Mapping[str, Any], revision: Revision) -> bool:
    spec = body["spec"]
    mounted = (spec["template"]["metadata"].get("annotations") or {}).get(names.POLICY_ANNOTATION)
    seen = (body.get("status") or {}).get("observedGeneration", 0) >= body["metadata"].get("generation", 0)
    return bool(seen and mounted == revision.short_hash and spec.get("replicas") == revision.replicas)
