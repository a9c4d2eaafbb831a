"""NodeVolumeLimits: how many volumes of a CSI driver a node takes (nodevolumelimits/csi.go, kube-scheduler 1.36)."""

from typing import Any

import pytest
from tests.unit.rules.drivers import attachment, csi_node, csi_volume, mounting
from tests.unit.rules.stored import PROVISIONER, bound_claim, claim, storage_class, volume
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import Node, OwnerReference
from pointsman.kube.storage_objects import StorageObject
from pointsman.policy.args import Args
from pointsman.policy.predicates.node_volume_limits import NodeVolumeLimits, State
from pointsman.policy.rule import SKIP, Change, Happening
from pointsman.testing.builders import PodBuilder, node, pod

RULE = NodeVolumeLimits("NodeVolumeLimits", Args())
EXCEEDED = ("node(s) exceed max volume count",)
N1, N2 = node("n1").build(), node("n2").build()
LATE = storage_class("late", provisioner=PROVISIONER)


def using(name: str, *claims: str) -> PodBuilder:
    builder = pod(name)
    for entry in claims:
        builder = builder.claim(entry)
    return builder


def bound(*names: str) -> list[StorageObject]:
    """Claims with volumes of csi.example.com, each with the name of its claim."""
    return [item for name in names for item in (bound_claim(name, f"v-{name}"), csi_volume(f"v-{name}"))]


def world(*objects: StorageObject, pods: tuple[PodBuilder, ...] = (), nodes: tuple[Node, ...] = (N1, N2)) -> HandView:
    return HandView(nodes, [builder.build() for builder in pods], objects=objects)


C55 = (csi_node("n1", example=1), csi_node("n2"), *bound("one"), claim("open"), LATE)
HOLDER = using("holder", "one").on("n1")


@pytest.mark.parametrize(
    ("pending", "fitting"),
    [
        pytest.param(using("p1", "open"), ["n2"], id="an unbound claim counts by its class's provisioner"),
        pytest.param(using("p2", "one"), ["n1", "n2"], id="the same volume counts once"),
        pytest.param(using("p3", "other"), ["n1", "n2"], id="another driver has room of its own"),
        pytest.param(using("p4", "two"), ["n2"], id="one more of the driver is too many"),
    ],
)
def test_a_node_takes_what_its_driver_allows(pending: PodBuilder, fitting: list[str]) -> None:
    # C55: n1 takes one volume of the driver and has it, n2 has no entry for the driver
    others = [bound_claim("other", "v-other"), csi_volume("v-other", driver="other.example.com"), *bound("two")]
    view = world(*C55, *others, pods=(HOLDER,))
    assert feasible(RULE, view, pending.info()) == fitting
    if fitting == ["n2"]:
        assert reasons(RULE, view, pending.info()) == {"n1": EXCEEDED}


@pytest.mark.parametrize(
    ("node_info", "fits"),
    [
        pytest.param([csi_node("n1", example=2)], False, id="two of two in use"),
        pytest.param([csi_node("n1", example=3)], True, id="two of three in use"),
        pytest.param([csi_node("n1", example=0)], False, id="none allowed"),
        pytest.param([csi_node("n1", example=None)], True, id="a driver without a limit"),
        pytest.param([csi_node("n1", other_example_com=0)], True, id="another driver's limit"),
        pytest.param([], True, id="no CSINode"),
    ],
)
def test_limits_are_those_of_the_csi_node(node_info: list[StorageObject], fits: bool) -> None:
    view = world(*node_info, *bound("a", "b", "c"), pods=(using("old", "a", "b").on("n1"),), nodes=(N1,))
    assert feasible(RULE, view, using("p", "c").info()) == (["n1"] if fits else [])


@pytest.mark.parametrize(
    ("objects", "fits"),
    [
        # attached by nobody's pod: 1 + 1 > 1
        pytest.param([*bound("a"), csi_volume("lost"), attachment("x", "n1", "lost")], False, id="left attached"),
        pytest.param([*bound("a"), csi_volume("lost"), attachment("x", "n2", "lost")], True, id="on another node"),
        pytest.param([*bound("a"), attachment("x", "n1", "gone")], True, id="of a volume that is gone"),
        pytest.param([*bound("a"), attachment("x", "n1", None)], True, id="without a volume"),
        pytest.param([*bound("a"), volume("plain"), attachment("x", "n1", "plain")], True, id="of no driver"),
        pytest.param(
            [*bound("a"), csi_volume("lost"), attachment("x", "n1", "lost", "other")], True, id="by another attacher"
        ),
        # the pod's own volume, attached but used by no pod yet, counts as attached and as new
        pytest.param([*bound("a"), attachment("x", "n1", "v-a")], False, id="its own, before the pod is there"),
    ],
)
def test_volumes_that_no_pod_uses_count_while_they_are_attached(objects: list[StorageObject], fits: bool) -> None:
    view = world(csi_node("n1", example=1), *objects, nodes=(N1,))
    assert feasible(RULE, view, using("p", "a").info()) == (["n1"] if fits else [])


def test_a_volume_that_a_pod_uses_counts_once_although_it_is_attached() -> None:
    objects = (csi_node("n1", example=2), *bound("a", "b"), attachment("x", "n1", "v-a"))
    view = world(*objects, pods=(using("old", "a").on("n1"),), nodes=(N1,))
    assert feasible(RULE, view, using("p", "b").info()) == ["n1"]


def test_several_new_volumes_count_together_and_one_named_twice_once() -> None:
    view = world(csi_node("n1", example=2), *bound("a", "b", "c"), nodes=(N1,))
    assert feasible(RULE, view, using("p", "a", "b", "a").info()) == ["n1"]
    assert feasible(RULE, view, using("p", "a", "b", "c").info()) == []


@pytest.mark.parametrize(
    ("objects", "counts"),
    [
        pytest.param([claim("c", class_name=None)], False, id="no class"),
        pytest.param([claim("c", class_name="gone")], False, id="a class that is gone"),
        pytest.param([claim("c"), LATE], True, id="a class of the driver"),
        pytest.param([bound_claim("c", "gone"), LATE], True, id="bound to a volume that is gone"),
        pytest.param([bound_claim("c", "v"), volume("v"), LATE], False, id="a volume of no driver"),
        pytest.param(
            [
                claim("c", class_name="x", annotations={"volume.beta.kubernetes.io/storage-class": "late"}),
                LATE,
            ],
            True,
            id="the older annotation for the class",
        ),
    ],
)
def test_claims_count_as_far_as_their_driver_is_known(objects: list[StorageObject], counts: bool) -> None:
    view = world(csi_node("n1", example=0), *objects, nodes=(N1,))
    state = RULE.prepare(using("p", "c").info(), view)
    assert (state == SKIP) is not counts


def owned(uid: str) -> dict[str, Any]:
    return {"owner_references": (OwnerReference(kind="Pod", name="p", uid=uid, controller=True),)}


@pytest.mark.parametrize(
    ("pending", "objects", "reason"),
    [
        pytest.param(
            using("p", "c"),
            [],
            'looking up PVC default/c: persistentvolumeclaim "c" not found',
            id="no claim",
        ),
        pytest.param(
            pod("p").ephemeral_claim("c"),
            [],
            'looking up PVC default/p-c: persistentvolumeclaim "p-c" not found',
            id="no claim for a generic ephemeral volume",
        ),
        pytest.param(
            pod("p").ephemeral_claim("c"),
            [claim("p-c", metadata=owned("another"))],
            "PVC default/p-c was not created for pod default/p (pod is not owner)",
            id="a claim made for another pod",
        ),
    ],
)
def test_a_claim_that_cannot_be_counted_keeps_the_pod_from_every_node(
    pending: PodBuilder, objects: list[StorageObject], reason: str
) -> None:
    # C60
    view = world(*objects)
    assert feasible(RULE, view, pending.info()) == []
    assert reasons(RULE, view, pending.info()) == {"n1": (reason,), "n2": (reason,)}
    state = RULE.prepare(pending.info(), view)
    assert isinstance(state, State)
    assert not RULE.resolvable(state, view.rows).any()


def test_missing_claims_of_running_pods_are_no_concern() -> None:
    view = world(csi_node("n1", example=1), *bound("a"), pods=(using("old", "gone").on("n1"),), nodes=(N1,))
    assert feasible(RULE, view, using("p", "a").info()) == ["n1"]


def test_a_generic_ephemeral_volume_counts_by_its_claim() -> None:
    made = claim("p-c", metadata=owned("pod-default-p"))
    view = world(csi_node("n1", example=1), *bound("a"), made, LATE, pods=(using("old", "a").on("n1"),), nodes=(N1,))
    assert feasible(RULE, view, pod("p").ephemeral_claim("c").info()) == []


@pytest.mark.parametrize("pending", [pod("p"), mounting(pod("p"), rbd={})], ids=["no volumes", "no driver's volume"])
def test_pods_without_such_volumes_are_not_looked_at(pending: PodBuilder) -> None:
    assert RULE.prepare(pending.info(), world(csi_node("n1", example=0))) == SKIP


def test_a_pods_own_disk_of_a_built_in_kind_counts_for_the_driver_of_today() -> None:
    disk = {"aws_elastic_block_store": {"volumeID": "vol-1"}}
    view = world(csi_node("n1", ebs_csi_aws_com=1), pods=(mounting(pod("old"), **disk).on("n1"),), nodes=(N1,))
    assert feasible(RULE, view, mounting(pod("p"), **disk).info()) == ["n1"]
    other = {"aws_elastic_block_store": {"volumeID": "vol-2"}}
    assert feasible(RULE, view, mounting(pod("p"), **other).info()) == []


def test_preemption_frees_a_volume_with_the_last_pod_that_uses_it() -> None:
    old = [using(name, "a").on("n1").info() for name in ("one", "two")]
    view = world(
        csi_node("n1", example=1), *bound("a", "b"), pods=(using("one", "a").on("n1"), using("two", "a").on("n1"))
    )
    state = RULE.prepare(using("p", "b").info(), view)
    assert isinstance(state, State)
    assert RULE.resolvable(state, view.rows).all()
    without_one = RULE.with_pods(state, 1, (), (old[0],))
    assert RULE.feasible(without_one, view.rows).tolist() == [False, True]
    without_both = RULE.with_pods(without_one, 1, (), (old[1],))
    assert RULE.feasible(without_both, view.rows).tolist() == [True, True]
    again = RULE.with_pods(without_both, 1, (old[0],), ())
    assert RULE.feasible(again, view.rows).tolist() == [False, True]
    assert RULE.feasible(state, view.rows).tolist() == [False, True]


def test_nominated_pods_take_their_volumes() -> None:
    view = world(csi_node("n1", example=1), csi_node("n2", example=1), *bound("a", "b"))
    state = RULE.prepare(using("p", "b").info(), view)
    assert isinstance(state, State)
    assert RULE.feasible(RULE.with_pods(state, 2, (using("other", "a").info(),), ()), view.rows).tolist() == [
        True,
        False,
    ]
    assert RULE.with_pods(state, 2, (pod("plain").info(),), ()) is state


def left(other: PodBuilder) -> Change:
    return Change(Happening.POD_DELETE, world(), row=1, pod=other.info())


@pytest.mark.parametrize(
    ("change", "woken"),
    [
        pytest.param(Change(Happening.CSI_NODE, world(), key=("", "n1")), True, id="a CSINode"),
        pytest.param(Change(Happening.VOLUME_ATTACHMENT_DELETE, world(), key=("", "x")), True, id="an attachment went"),
        pytest.param(left(using("old", "a")), True, id="a pod with a claim left"),
        pytest.param(left(pod("old").ephemeral_claim("a")), True, id="a pod with an ephemeral claim left"),
        pytest.param(left(mounting(pod("old"), cinder={"volumeID": "x"})), True, id="a pod with a disk left"),
        pytest.param(left(mounting(pod("old"), rbd={})), False, id="a pod with other volumes left"),
        pytest.param(Change(Happening.PERSISTENT_VOLUME_CLAIM, world(), key=("default", "c")), True, id="its claim"),
        pytest.param(
            Change(Happening.PERSISTENT_VOLUME_CLAIM, world(), key=("default", "d")), False, id="another claim"
        ),
        pytest.param(Change(Happening.NODE_ADD, world(), row=1), True, id="a new node"),
    ],
)
def test_what_makes_room_wakes_the_pod(change: Change, woken: bool) -> None:
    assert change.happening & RULE.wakes_on.on
    assert RULE.wakes_on.hint is not None
    assert RULE.wakes_on.hint(using("p", "c").info(), change) is woken
