"""VolumeBinding: where a pod's claims have volumes, or can get them (volumebinding/, kube-scheduler 1.36)."""

from collections.abc import Sequence

import pytest
from tests.unit.rules.stored import (
    LATE,
    PROVISIONER,
    bound_claim,
    claim,
    csi_driver,
    promised,
    room,
    storage_class,
    volume,
)
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import LabelSelector, OwnerReference
from pointsman.kube.storage_objects import StorageObject
from pointsman.policy.predicates.volume_binding import State, VolumeBinding
from pointsman.policy.rule import SKIP, Reject
from pointsman.policy.volume_binding_args import VolumeBindingArgs
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod, term

RULE = VolumeBinding("VolumeBinding", VolumeBindingArgs())
AFFINITY = "node(s) didn't match PersistentVolume's node affinity"
CONFLICT = "node(s) didn't find available persistent volumes to bind"
SPACE = "node(s) did not have enough free storage"
MISSING = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
UNBOUND = "pod has unbound immediate PersistentVolumeClaims"

BY_HAND = storage_class(provisioner="kubernetes.io/no-provisioner")
MAKING = storage_class(provisioner=PROVISIONER)
HOST = "kubernetes.io/hostname"


def on(objects: Sequence[StorageObject], *nodes: NodeBuilder) -> HandView:
    return HandView([builder.build() for builder in nodes or (node("n1"), node("n2"))], objects=objects)


def using(*names: str) -> PodBuilder:
    builder = pod("p").container()
    for name in names:
        builder = builder.claim(name)
    return builder


def test_a_pod_without_claims_is_not_looked_at() -> None:
    assert RULE.prepare(pod("p").container().info(), on([])) == SKIP


OWNED = {"owner_references": (OwnerReference(kind="Pod", name="p", uid="pod-default-p", controller=True),)}


@pytest.mark.parametrize(
    ("objects", "pending", "reason"),
    [
        pytest.param([], using("c"), 'persistentvolumeclaim "c" not found', id="no such claim"),
        pytest.param(
            [],
            pod("p").ephemeral_claim("scratch"),
            'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-scratch"',
            id="claim of a template not made yet",
        ),
        pytest.param(
            [bound_claim("p-scratch", "v"), volume("v")],
            pod("p").ephemeral_claim("scratch"),
            "PVC default/p-scratch was not created for pod default/p (pod is not owner)",
            id="somebody else's claim in place of the template's",
        ),
        pytest.param(
            [claim("c", phase="Lost", volume_name="v")],
            using("c"),
            'persistentvolumeclaim "c" bound to non-existent persistentvolume "v"',
            id="lost",
        ),
        pytest.param(
            [claim("c", metadata={"deletion_timestamp": "2026-01-01T00:00:00Z"})],
            using("c"),
            'persistentvolumeclaim "c" is being deleted',
            id="being deleted",
        ),
        pytest.param([claim("c", class_name=None)], using("c"), UNBOUND, id="no class"),
        pytest.param(
            [BY_HAND, claim("c", annotations={"volume.beta.kubernetes.io/storage-class": "gone"}), volume("v")],
            using("c"),
            UNBOUND,
            id="the old annotation names the class",
        ),
        pytest.param([claim("c", class_name="gone")], using("c"), UNBOUND, id="unknown class"),
        pytest.param(
            [claim("c", class_name="now"), storage_class("now", mode="Immediate", provisioner=PROVISIONER)],
            using("c"),
            UNBOUND,
            id="class that binds at once",
        ),
        pytest.param([BY_HAND, claim("c", volume_name="v"), volume("v")], using("c"), UNBOUND, id="names a volume"),
        pytest.param(
            [BY_HAND, claim("late"), claim("now", class_name=None), volume("v")],
            using("late", "now"),
            UNBOUND,
            id="one of two binds at once",
        ),
        pytest.param(
            [BY_HAND, claim("c", size="a lot")],
            using("c"),
            'persistentvolumeclaim "c": spec.resources.requests.storage: "a lot" is not a quantity: expected a number '
            "with an optional suffix (n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent like e3)",
            id="size that cannot be read",
        ),
    ],
)
def test_some_pods_cannot_run_anywhere_yet(objects: list[StorageObject], pending: PodBuilder, reason: str) -> None:
    assert RULE.prepare(pending.info(), on(objects)) == Reject((reason,), resolvable=False)


FITS: tuple[str, ...] = ()
Verdicts = Sequence[tuple[str, ...]]  # of n1 and n2


@pytest.mark.parametrize(
    ("objects", "names", "expected"),
    [
        pytest.param([bound_claim("c", "v"), volume("v", on="n2")], ["c"], [(AFFINITY,), FITS], id="bound elsewhere"),
        pytest.param([bound_claim("c", "v"), volume("v")], ["c"], [FITS, FITS], id="bound, usable anywhere"),
        pytest.param([bound_claim("c", "v")], ["c"], [(MISSING,), (MISSING,)], id="bound to nothing"),
        pytest.param(
            [bound_claim("a", "v"), volume("v", on="n2"), bound_claim("b", "gone")],
            ["a", "b"],
            [(AFFINITY,), (MISSING,)],
            id="of bound claims the first that fails tells why",
        ),
        pytest.param(
            [bound_claim("a", "gone"), bound_claim("b", "v"), volume("v", on="n2")],
            ["a", "b"],
            [(MISSING,), (MISSING,)],
            id="behind a missing volume nothing is looked at",
        ),
        pytest.param(
            [BY_HAND, bound_claim("a", "v"), volume("v", on="n2", claim_ref=promised("a")), claim("b")],
            ["a", "b"],
            [(AFFINITY, CONFLICT), (CONFLICT,)],
            id="bound and open claims are looked at apart",
        ),
        pytest.param([BY_HAND, claim("c"), volume("v", on="n2")], ["c"], [(CONFLICT,), FITS], id="volume on one node"),
        pytest.param([BY_HAND, claim("c"), volume("v", on="n9")], ["c"], [(CONFLICT,)] * 2, id="volume on no node"),
        pytest.param([BY_HAND, claim("c"), volume("v")], ["c"], [FITS, FITS], id="volume for any node"),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", terms=(term(("disk", "Exists")), term(("gen", "Gt", "3"))))],
            ["c"],
            [FITS, (CONFLICT,)],
            id="alternatives",
        ),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", terms=(term(fields=[("metadata.name", "In", "n1")]),))],
            ["c"],
            [(CONFLICT,)] * 2,
            id="a volume cannot name a node",
        ),
        pytest.param([BY_HAND, claim("c", "2Gi"), volume("v", "1Gi")], ["c"], [(CONFLICT,)] * 2, id="too small"),
        pytest.param(
            [BY_HAND, claim("c", "1Gi"), volume("v", "1073741824")], ["c"], [FITS] * 2, id="just large enough"
        ),
        pytest.param([BY_HAND, claim("c"), volume("v", "a lot")], ["c"], [(CONFLICT,)] * 2, id="unreadable capacity"),
        pytest.param([BY_HAND, claim("c"), volume("v", class_name="x")], ["c"], [(CONFLICT,)] * 2, id="other class"),
        pytest.param([BY_HAND, claim("c"), volume("v", phase="Released")], ["c"], [(CONFLICT,)] * 2, id="released"),
        pytest.param([BY_HAND, claim("c"), volume("v", phase="")], ["c"], [(CONFLICT,)] * 2, id="not yet available"),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", metadata={"deletion_timestamp": "2026-01-01T00:00:00Z"})],
            ["c"],
            [(CONFLICT,)] * 2,
            id="volume being deleted",
        ),
        pytest.param(
            [BY_HAND, claim("c", volume_mode="Block"), volume("v")], ["c"], [(CONFLICT,)] * 2, id="a file system"
        ),
        pytest.param([BY_HAND, claim("c", volume_mode="Filesystem"), volume("v")], ["c"], [FITS] * 2, id="absent mode"),
        pytest.param(
            [BY_HAND, claim("c", access_modes=("ReadWriteOnce", "ReadOnlyMany")), volume("v")],
            ["c"],
            [(CONFLICT,)] * 2,
            id="lacks an access mode",
        ),
        pytest.param(
            [BY_HAND, claim("c", volume_attributes_class_name="fast"), volume("v")],
            ["c"],
            [(CONFLICT,)] * 2,
            id="other attributes",
        ),
        pytest.param(
            [BY_HAND, claim("c", selector=LabelSelector(match_labels={"tier": "a"})), volume("v")],
            ["c"],
            [(CONFLICT,)] * 2,
            id="not selected",
        ),
        pytest.param(
            [
                BY_HAND,
                claim("c", selector=LabelSelector(match_labels={"tier": "a"})),
                volume("v", metadata={"labels": {"tier": "a"}}),
            ],
            ["c"],
            [FITS, FITS],
            id="selected",
        ),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", claim_ref=promised("other"))], ["c"], [(CONFLICT,)] * 2, id="promised"
        ),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", claim_ref=promised("c"), phase="Bound", access_modes=())],
            ["c"],
            [FITS, FITS],
            id="set aside for the claim, whatever its phase and modes",
        ),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", claim_ref=promised("c", uid="of a namesake"))],
            ["c"],
            [(CONFLICT,)] * 2,
            id="set aside for a namesake",
        ),
        pytest.param(
            [BY_HAND, claim("c"), volume("v", claim_ref=promised("c"), on="n2"), volume("w", on="n1")],
            ["c"],
            [(CONFLICT,), FITS],
            id="one that is set aside rules others out",
        ),
        pytest.param(
            [BY_HAND, claim("a"), claim("b"), volume("v", on="n1"), volume("w", on="n2"), volume("x", on="n2")],
            ["a", "b"],
            [(CONFLICT,), FITS],
            id="a volume serves one claim",
        ),
        pytest.param(
            [BY_HAND, claim("big", "5Gi"), claim("small"), volume("v", "9Gi", on="n1"), volume("w", "2Gi")],
            ["big", "small"],
            [FITS, (CONFLICT,)],
            id="small claims leave large volumes to large claims",
        ),
    ],
)
def test_volumes_that_exist(objects: list[StorageObject], names: list[str], expected: Verdicts) -> None:
    nodes = (node("n1").label("disk"), node("n2").label("gen", "3"))
    check(on(objects, *nodes), using(*names), expected)


GIVEN = {"volume.kubernetes.io/selected-node": "n2"}
TRACKED = csi_driver()


@pytest.mark.parametrize(
    ("objects", "names", "expected"),
    [
        pytest.param([MAKING, claim("c")], ["c"], [FITS, FITS], id="anywhere"),
        pytest.param([BY_HAND, claim("c")], ["c"], [(CONFLICT,)] * 2, id="no provisioner"),
        pytest.param([storage_class(), claim("c")], ["c"], [(CONFLICT,)] * 2, id="empty provisioner"),
        pytest.param(
            [storage_class(LATE, (("zone", "a", "b"),), (("zone", "c"),), provisioner=PROVISIONER), claim("c")],
            ["c"],
            [FITS, (CONFLICT,)],
            id="allowed in some zones",
        ),
        pytest.param(
            [storage_class(LATE, (("zone", "a"), (HOST, "n2")), provisioner=PROVISIONER), claim("c")],
            ["c"],
            [(CONFLICT,), (CONFLICT,)],
            id="all parts of a term must hold",
        ),
        pytest.param(
            [storage_class(LATE, (), provisioner=PROVISIONER), claim("c")],
            ["c"],
            [(CONFLICT,), (CONFLICT,)],
            id="an empty term allows nothing",
        ),
        pytest.param([MAKING, claim("c", annotations=GIVEN)], ["c"], [(CONFLICT,), FITS], id="was given a node"),
        pytest.param(
            [BY_HAND, claim("c", annotations=GIVEN), volume("v")],
            ["c"],
            [(CONFLICT,), (CONFLICT,)],
            id="a claim with a node is never matched",
        ),
        pytest.param([MAKING, TRACKED, claim("c")], ["c"], [(SPACE,), (SPACE,)], id="no room known"),
        pytest.param([MAKING, csi_driver(tracks_room=False), claim("c")], ["c"], [FITS, FITS], id="room not tracked"),
        pytest.param(
            [MAKING, TRACKED, claim("c"), room("r", "1Gi", {HOST: "n1"}), room("s", "1023Mi", {HOST: "n2"})],
            ["c"],
            [FITS, (SPACE,)],
            id="room on one node",
        ),
        pytest.param([MAKING, TRACKED, claim("c"), room("r", "1Gi", {})], ["c"], [FITS, FITS], id="room for all"),
        pytest.param([MAKING, TRACKED, claim("c"), room("r", "1Gi", None)], ["c"], [(SPACE,)] * 2, id="room nowhere"),
        pytest.param(
            [MAKING, TRACKED, claim("c"), room("r", "9Gi", {}, largest="1Mi")],
            ["c"],
            [(SPACE,), (SPACE,)],
            id="not in one piece",
        ),
        pytest.param(
            [MAKING, TRACKED, claim("c"), room("r", "1Gi", {}, class_name="x")],
            ["c"],
            [(SPACE,), (SPACE,)],
            id="room of another class",
        ),
        pytest.param([MAKING, TRACKED, claim("c"), room("r", None, {})], ["c"], [(SPACE,)] * 2, id="room untold"),
        pytest.param(
            [MAKING, TRACKED, claim("a"), claim("b", "2Gi"), volume("v", on="n1"), room("r", "2Gi", {HOST: "n1"})],
            ["a", "b"],
            [FITS, (SPACE,)],
            id="one matched, one made",
        ),
        pytest.param(
            [
                MAKING,
                BY_HAND_TOO := storage_class("by-hand"),
                TRACKED,
                claim("a"),
                claim("b", "2Gi", class_name=BY_HAND_TOO.metadata.name),
            ],
            ["a", "b"],
            [(SPACE,), (SPACE,)],
            id="of claims to be made the first that fails tells why",
        ),
    ],
)
def test_volumes_to_be_made(objects: list[StorageObject], names: list[str], expected: Verdicts) -> None:
    check(on(objects, node("n1").label("zone", "a"), node("n2").label("zone", "d")), using(*names), expected)


def check(view: HandView, pending: PodBuilder, expected: Verdicts) -> None:
    names = ("n1", "n2")
    fitting = [name for name, why in zip(names, expected, strict=True) if why == FITS]
    assert feasible(RULE, view, pending.info()) == fitting
    refused = {name: why for name, why in zip(names, expected, strict=True) if why != FITS}
    assert reasons(RULE, view, pending.info()) == refused
    state = prepared(view, pending)
    assert not RULE.resolvable(state, view.rows).any()


def test_a_claim_of_a_template_belongs_to_its_pod() -> None:
    view = on([MAKING, claim("p-scratch", metadata=OWNED)])
    assert feasible(RULE, view, pod("p").ephemeral_claim("scratch").info()) == ["n1", "n2"]


def prepared(view: HandView, pending: PodBuilder) -> State:
    state = RULE.prepare(pending.info(), view)
    assert isinstance(state, State)
    return state
