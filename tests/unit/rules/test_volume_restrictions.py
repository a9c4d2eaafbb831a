"""VolumeRestrictions: disks that one pod of a node may write, claims that one pod at all may use."""

from typing import Any

import numpy as np
import pytest
from tests.unit.rules.drivers import mounting
from tests.unit.rules.stored import claim
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.storage_objects import PersistentVolumeClaim
from pointsman.policy.args import Args
from pointsman.policy.predicates.volume_restrictions import State, VolumeRestrictions
from pointsman.policy.rule import SKIP, Change, Happening, Reject
from pointsman.testing.builders import PodBuilder, node, pod

RULE = VolumeRestrictions("VolumeRestrictions", Args())
DISK = ("node(s) had no available disk",)
CLAIM = (
    "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
)
N1, N2 = node("n1").build(), node("n2").build()


def gce(name: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"gce_persistent_disk": {"pdName": name, "readOnly": read_only}}


def ebs(name: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"aws_elastic_block_store": {"volumeID": name, "readOnly": read_only}}


def iscsi(iqn: str, *, read_only: bool = False) -> dict[str, Any]:
    return {"iscsi": {"targetPortal": "10.0.0.1", "iqn": iqn, "lun": 0, "readOnly": read_only}}


def rbd(*monitors: str, pool: str = "rbd", image: str = "i", read_only: bool = False) -> dict[str, Any]:
    return {"rbd": {"monitors": list(monitors), "pool": pool, "image": image, "readOnly": read_only}}


@pytest.mark.parametrize(
    ("used", "wanted", "fits"),
    [
        pytest.param(gce("a"), gce("a"), False, id="one GCE disk"),
        pytest.param(gce("a"), gce("b"), True, id="two GCE disks"),
        pytest.param(gce("a", read_only=True), gce("a", read_only=True), True, id="a GCE disk that both read"),
        pytest.param(gce("a", read_only=True), gce("a"), False, id="a GCE disk that one writes"),
        pytest.param(ebs("a", read_only=True), ebs("a", read_only=True), False, id="an EBS volume that both read"),
        pytest.param(ebs("a"), gce("a"), True, id="one name, two kinds"),
        pytest.param(iscsi("a"), iscsi("a"), False, id="one iSCSI name"),
        pytest.param(iscsi("a", read_only=True), iscsi("a", read_only=True), True, id="iSCSI that both read"),
        pytest.param(rbd("m1", "m2"), rbd("m2", "m3"), False, id="RBD with a monitor in common"),
        pytest.param(rbd("m1"), rbd("m2"), True, id="RBD without one"),
        pytest.param(rbd("m1", pool="p"), rbd("m1"), True, id="RBD of another pool"),
        pytest.param(rbd("m1", image="j"), rbd("m1"), True, id="another RBD image"),
        pytest.param(rbd("m1", read_only=True), rbd("m1", read_only=True), True, id="RBD that both read"),
    ],
)
def test_a_disk_serves_one_writer_per_node(used: dict[str, Any], wanted: dict[str, Any], fits: bool) -> None:
    view = HandView([N1, N2], [mounting(pod("old"), **used).on("n1").build()])
    pending = mounting(pod("p"), **wanted).info()
    assert feasible(RULE, view, pending) == (["n1", "n2"] if fits else ["n2"])
    if not fits:
        assert reasons(RULE, view, pending) == {"n1": DISK}


def test_a_disk_is_free_when_the_last_pod_that_has_it_leaves() -> None:
    old = [mounting(pod(name), **gce("a", read_only=True)).on("n1") for name in ("one", "two")]
    view = HandView([N1], [builder.build() for builder in old])
    state = RULE.prepare(mounting(pod("p"), **gce("a")).info(), view)
    assert isinstance(state, State)
    assert RULE.resolvable(state, view.rows).all()
    without_one = RULE.with_pods(state, 1, (), (old[0].info(),))
    assert not RULE.feasible(without_one, view.rows).any()
    assert RULE.feasible(RULE.with_pods(without_one, 1, (), (old[1].info(),)), view.rows).all()
    assert not RULE.feasible(state, view.rows).any()


def test_a_nominated_pod_takes_its_disk_on_its_node_alone() -> None:
    view = HandView([N1, N2])
    state = RULE.prepare(mounting(pod("p"), **ebs("a")).info(), view)
    assert isinstance(state, State)
    crowded = RULE.with_pods(state, 1, (mounting(pod("other"), **ebs("a")).info(),), ())
    assert RULE.feasible(crowded, view.rows).tolist() == [False, True]


EXCLUSIVE = claim("data", access_modes=("ReadWriteOncePod",))
SHARED = claim("data", access_modes=("ReadWriteOnce",))


def test_a_claim_for_one_pod_is_taken_on_every_node() -> None:
    # C58: the holder is on n1
    holder = pod("holder").claim("data").on("n1")
    view = HandView([N1, N2], [holder.build()], objects=[EXCLUSIVE])
    pending = pod("p").claim("data").info()
    assert feasible(RULE, view, pending) == []
    assert reasons(RULE, view, pending) == {"n1": CLAIM, "n2": CLAIM}
    state = RULE.prepare(pending, view)
    assert isinstance(state, State)
    assert RULE.resolvable(state, view.rows).all()
    assert RULE.feasible(RULE.with_pods(state, 1, (), (holder.info(),)), view.rows).all()


def test_a_claim_of_the_same_name_elsewhere_is_another_claim() -> None:
    # C58, p3
    elsewhere = pod("holder", namespace="other").claim("data").on("n1")
    view = HandView([N1], [elsewhere.build()], objects=[EXCLUSIVE])
    assert RULE.prepare(pod("p").claim("data").info(), view) == SKIP


def test_preemption_takes_a_claim_for_free_when_a_pod_goes_whose_claim_has_its_name() -> None:
    # volume_restrictions.go, 1.36: conflictingPVCRefCountForPod looks at names alone
    elsewhere = pod("holder", namespace="other").claim("data").on("n1")
    view = HandView([N1], [elsewhere.build(), pod("near").claim("data").on("n1").build()], objects=[EXCLUSIVE])
    state = RULE.prepare(pod("p").claim("data").info(), view)
    assert isinstance(state, State)
    assert RULE.feasible(RULE.with_pods(state, 1, (), (elsewhere.info(),)), view.rows).all()


@pytest.mark.parametrize("used", [SHARED, EXCLUSIVE], ids=["a shared claim in use", "an exclusive one that is free"])
def test_other_claims_do_not_matter(used: PersistentVolumeClaim) -> None:
    # C59: ReadWriteOnce is no constraint
    users = [pod("old").claim("data").on("n1").build()] if used is SHARED else []
    view = HandView([N1, N2], users, objects=[used])
    assert RULE.prepare(pod("p").claim("data").info(), view) == SKIP


def test_a_claim_that_does_not_exist_is_told_and_no_preemption_helps() -> None:
    # C60
    answer = RULE.prepare(pod("p").claim("data").info(), HandView([N1]))
    assert answer == Reject(('persistentvolumeclaim "data" not found',), resolvable=False)


def test_of_both_reasons_the_disk_comes_first_and_they_are_counted_apart() -> None:
    holders = [mounting(pod("holder").claim("data"), **ebs("a")).on("n1").build()]
    view = HandView([N1, N2], holders, objects=[EXCLUSIVE])
    state = RULE.prepare(mounting(pod("p").claim("data"), **ebs("a")).info(), view)
    assert isinstance(state, State)
    assert RULE.count_reasons(state, np.array([1, 2])) == {DISK[0]: 1, CLAIM[0]: 1}
    assert [RULE.reasons(state, row) for row in (1, 2)] == [DISK, CLAIM]


def gone(other: PodBuilder) -> Change:
    return Change(Happening.POD_DELETE, HandView([N1]), row=1, pod=other.info())


@pytest.mark.parametrize(
    ("change", "woken"),
    [
        pytest.param(gone(mounting(pod("old"), **ebs("a"))), True, id="the disk's pod left"),
        pytest.param(gone(mounting(pod("old"), **ebs("b"))), False, id="another disk's pod left"),
        pytest.param(gone(pod("old").claim("data")), True, id="the claim's pod left"),
        pytest.param(gone(pod("old", namespace="other").claim("data")), False, id="that of another namespace's claim"),
        pytest.param(
            Change(Happening.PERSISTENT_VOLUME_CLAIM, HandView([N1]), key=("default", "data")), True, id="the claim"
        ),
        pytest.param(
            Change(Happening.PERSISTENT_VOLUME_CLAIM, HandView([N1]), key=("default", "more")),
            False,
            id="another claim",
        ),
        pytest.param(Change(Happening.NODE_ADD, HandView([N1]), row=1), True, id="a new node"),
    ],
)
def test_what_makes_room_wakes_the_pod(change: Change, woken: bool) -> None:
    assert change.happening & RULE.wakes_on.on
    assert RULE.wakes_on.hint is not None
    assert RULE.wakes_on.hint(mounting(pod("p").claim("data"), **ebs("a")).info(), change) is woken
