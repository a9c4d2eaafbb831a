"""Scenes for the plan: a profile and what is around it, of which a test names only what matters to it.

    scene().rolled_out().led().reported(scheduled=3)

is a profile that is well. Scenes are immutable. `decide` asks the plan and holds every status against the oracle.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

import msgspec

from pointsman.api import names
from pointsman.api.report import Attempts, Pending, ProfileReport
from pointsman.api.status import Condition, ProfileStatus, encode_status
from pointsman.controller.apply.drift import sealed
from pointsman.controller.plan.engines import Engine
from pointsman.controller.plan.images import AllowedImages
from pointsman.controller.plan.plan import Plan, plan
from pointsman.controller.plan.profile import Profile, Sibling, read_profile
from pointsman.controller.plan.revision import Revision
from pointsman.controller.plan.world import HeldReport, Leadership, World
from pointsman.controller.render.children import Child, Fleet, Identity, LiveChild, Ownership, ownership
from pointsman.controller.render.render import render
from pointsman.kube.resources import DEPLOYMENTS
from pointsman.testing.status_oracle import status_faults

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
FLEET = Fleet("pointsman-engines", "pointsman/pointsman:0.1.0")
IMAGES = AllowedImages(FLEET.image, "pointsman-system/pointsman-images")
UID = "11111111-2222-3333-4444-555555555555"
LEADER = "engine-binpack-6c9f7d5b4-x2k8p"
BROKEN = {"schedulerName": "binpack", "priorities": [{"name": "NodeResourcesFit", "weight": 0}]}


@dataclass(frozen=True)
class Scene:
    """A profile called binpack, and its world."""

    spec: Mapping[str, Any] = field(default_factory=lambda: {"schedulerName": "binpack"})
    generation: int = 1
    status: ProfileStatus = field(default_factory=ProfileStatus)
    world: World = field(default_factory=lambda: World(FLEET, IMAGES))
    now: datetime = NOW

    def body(self) -> dict[str, Any]:
        """The profile as the API server would give it."""
        metadata = {"name": "binpack", "uid": UID, "generation": self.generation}
        return {
            "apiVersion": names.API_VERSION,
            "kind": names.KIND,
            "metadata": {**metadata, "creationTimestamp": "2026-01-01T00:00:00Z"},
            "spec": dict(self.spec),
            "status": encode_status(self.status),
        }

    @property
    def profile(self) -> Profile:
        return read_profile(self.body())

    @property
    def revision(self) -> Revision:
        """What the spec of the moment compiles to."""
        candidate = self.profile.candidate
        assert candidate is not None, self.profile.problems
        return candidate

    def edited(self, **spec: Any) -> Self:
        """The same with another spec, hence another generation."""
        return replace(self, spec={"schedulerName": "binpack", **spec}, generation=self.generation + 1)

    def around(self, **changes: Any) -> Self:
        """The same with another world."""
        return replace(self, world=replace(self.world, **changes))

    def with_children(self, *children: LiveChild) -> Self:
        """Objects under our names, in place of those that were there."""
        theirs = {child.identity for child in children}
        kept = tuple(child for child in self.world.children if child.identity not in theirs)
        return self.around(children=(*kept, *children))

    def applied(self) -> Self:
        """All children are there as wanted; nothing is said of pods."""
        made = render(self.revision, UID, FLEET)
        return self.with_children(*(live(child) for child in made)).around(
            mounted=self.world.mounted | {self.revision.short_hash}
        )

    def rolled_out(self, *, ready: int | None = None, **status: Any) -> Self:
        """The Deployment has come to its end: that many engines are ready, all if none is given."""
        scene = self.applied()
        wanted = scene.revision.replicas
        count = wanted if ready is None else ready
        progress = {"type": "Progressing", "status": "True", "reason": "NewReplicaSetAvailable"}
        deployment = {"replicas": wanted, "updatedReplicas": wanted, "availableReplicas": count}
        scene = scene.deployment_status({"conditions": [progress], **deployment, **status})
        return scene.with_engines(*(scene.engine(pod_name(number)) for number in range(count)))

    def deployment_status(self, status: Mapping[str, Any]) -> Self:
        """What the Deployment's controller says."""
        identity = Identity(DEPLOYMENTS, "engine-binpack")
        deployment = self.world.find(identity)
        assert deployment is not None
        body = {**deployment.body, "status": {"observedGeneration": 1, **status}}
        return self.with_children(replace(deployment, body=body))

    def engine(self, pod: str = LEADER, *, failure: str = "", policy: str = "", ready_for: float = 60) -> Engine:
        """An engine of the revision of the moment."""
        policy_hash = policy or self.revision.short_hash
        if failure:
            return Engine(pod, policy_hash, failure=failure)
        return Engine(pod, policy_hash, ready_since=self.now - timedelta(seconds=ready_for))

    def with_engines(self, *engines: Engine) -> Self:
        return self.around(engines=engines)

    def led(self, holder: str = LEADER, *, silent: float = 1.0) -> Self:
        """Somebody holds the Lease, and renewed it that many seconds ago."""
        return self.around(leadership=Leadership(holder, silent))

    def reported(self, *, policy: str = "", age: float = 1.0, **report: Any) -> Self:
        """The leader has reported."""
        profile = ProfileReport(
            policy_hash=policy or self.revision.short_hash,
            attempts=Attempts(scheduled=report.pop("scheduled", 0)),
            **report,
        )
        return self.around(report=HeldReport(LEADER, "2026-01-01T11:59:00Z", profile, age))

    def well(self) -> Self:
        """Rolled out, led and reported, and the status says so."""
        return self.rolled_out().led().reported().settled()

    def settled(self) -> Self:
        """The status is the one that the plan gives."""
        return replace(self, status=self.decide().status)

    def after(self, seconds: float) -> Self:
        return replace(self, now=self.now + timedelta(seconds=seconds))

    def decide(self) -> Plan:
        """What the plan says; its status is sound, or the test fails here."""
        decided = plan(self.profile, self.world, self.now)
        told = {"metadata": {"generation": self.generation}, "status": encode_status(decided.status)}
        assert status_faults(told) == []
        return decided


def scene(**spec: Any) -> Scene:
    """A new profile; `spec` beside its schedulerName."""
    return Scene({"schedulerName": "binpack", **spec})


def pod_name(number: int) -> str:
    """The pods of a rolled out Deployment; the first one is the leader."""
    return LEADER if number == 0 else f"engine-binpack-6c9f7d5b4-{number:05d}"


def live(child: Child, *, uid: str = "child-uid", **metadata: Any) -> LiveChild:
    """A child as the API server has it after it was applied."""
    body = sealed(child)
    managed = [{"manager": names.FIELD_MANAGER, "operation": "Apply"}]
    server = {"uid": uid, "generation": 1, "resourceVersion": "1", "managedFields": managed}
    body = {**body, "metadata": {**body["metadata"], **server, **metadata}}
    return LiveChild(child.identity, body, ownership(body, "binpack", UID))


def foreign(child: LiveChild) -> LiveChild:
    """The same name, made by somebody else."""
    metadata = {"name": child.identity.name, "uid": "foreign-uid"}
    return LiveChild(child.identity, {"metadata": metadata}, Ownership.FOREIGN)


def sibling(name: str, created: str, scheduler: str = "binpack") -> Sibling:
    """Another profile."""
    return Sibling(name, scheduler, created)


def conditions(decided: Plan) -> dict[str, Condition]:
    """A plan's conditions by type."""
    return {condition.type: condition for condition in decided.status.conditions}


def ready(decided: Plan) -> tuple[str, str, str]:
    """Status, reason and abnormal condition (or nothing) of a plan's verdict."""
    there = conditions(decided)
    abnormal = [kind for kind in ("Reconciling", "Stalled") if kind in there]
    return there["Ready"].status, there["Ready"].reason, "".join(abnormal)


def message(decided: Plan) -> str:
    """The message that a user sees."""
    return conditions(decided)["Ready"].message


def count(total: int) -> Pending:
    """Pods that wait, counted by the operator."""
    return Pending(total=total, active=total)


def plain(child: Child) -> Any:
    """A child's body as plain data."""
    return msgspec.to_builtins(child.body)
