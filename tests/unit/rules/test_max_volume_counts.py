"""MaxEBS-, MaxGCEPD-, MaxAzureDisk- and MaxCinderVolumeCount of old Policy files (non_csi.go, 1.22)."""

from typing import Any

import pytest
from tests.unit.rules.drivers import csi_node, mounting
from tests.unit.rules.stored import bound_claim, claim, storage_class, volume
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.policy.registry import BUILT
from pointsman.policy.rule import SKIP, Change, Happening
from pointsman.policy.volumes.max_volume_count import MaxVolumeCount, State
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

KINDS: dict[str, tuple[str, str, str, int]] = {  # rule: field, identity, limit's resource, default
    "MaxEBSVolumeCount": ("aws_elastic_block_store", "volumeID", "attachable-volumes-aws-ebs", 39),
    "MaxGCEPDVolumeCount": ("gce_persistent_disk", "pdName", "attachable-volumes-gce-pd", 16),
    "MaxAzureDiskVolumeCount": ("azure_disk", "diskName", "attachable-volumes-azure-disk", 16),
    "MaxCinderVolumeCount": ("cinder", "volumeID", "attachable-volumes-cinder", 256),
}


def rule(name: str) -> MaxVolumeCount:
    built = BUILT[name]
    assert built.predicate is not None
    made = built.predicate(name, built.args())
    assert isinstance(made, MaxVolumeCount)
    return made


def with_disks(builder: PodBuilder, name: str, disks: range | tuple[int, ...]) -> PodBuilder:
    field, identity, _, _ = KINDS[name]
    for number in disks:
        builder = mounting(builder, **{field: {identity: f"disk-{number}"}})
    return builder


@pytest.mark.parametrize("name", KINDS)
def test_a_node_takes_the_default_unless_its_allocatable_tells(name: str) -> None:
    _, _, resource, default = KINDS[name]
    nodes = [node("plain").build(), node("told").allocatable(resource, default + 1).build()]
    full = [with_disks(pod(f"on-{on}"), name, range(default)).on(on).build() for on in ("plain", "told")]
    view = HandView(nodes, full)
    assert feasible(rule(name), view, with_disks(pod("p"), name, (0,)).info()) == ["plain", "told"]
    one_more = with_disks(pod("p"), name, (0, default)).info()
    assert feasible(rule(name), view, one_more) == ["told"]
    assert reasons(rule(name), view, one_more) == {"plain": ("node(s) exceed max volume count",)}


def typed(name: str, **labels: str) -> NodeBuilder:
    builder = node(name)
    for key, value in labels.items():
        prefix = "beta.kubernetes.io" if key == "beta" else "node.kubernetes.io"
        builder = builder.label(f"{prefix}/instance-type", value)
    return builder


@pytest.mark.parametrize(
    ("target", "limit"),
    [
        pytest.param(typed("n"), 39, id="no type"),
        pytest.param(typed("n", stable="m4.large"), 39, id="an older type"),
        pytest.param(typed("n", stable="m5.large"), 25, id="m5"),
        pytest.param(typed("n", stable="t3.micro"), 25, id="t3"),
        pytest.param(typed("n", beta="z1d.large"), 25, id="z1d, by the older label"),
        pytest.param(typed("n", beta="m5.large", stable="m4.large"), 39, id="both labels: the newer one"),
    ],
)
def test_ebs_has_a_limit_of_its_own_for_nitro_types(target: NodeBuilder, limit: int) -> None:
    name = "MaxEBSVolumeCount"
    view = HandView([target.build()])
    assert feasible(rule(name), view, with_disks(pod("p"), name, range(limit)).info()) == ["n"]
    assert feasible(rule(name), view, with_disks(pod("p"), name, range(limit + 1)).info()) == []


EBS_CLASS = storage_class("ebs", provisioner="kubernetes.io/aws-ebs")
DISK: dict[str, Any] = {"aws_elastic_block_store": {"volumeID": "disk-0"}}
ONE = node("n1").allocatable("attachable-volumes-aws-ebs", 1).build()


@pytest.mark.parametrize(
    ("objects", "fits"),
    [
        pytest.param([bound_claim("c", "v"), volume("v", **DISK)], True, id="bound to the disk that is there"),
        pytest.param(
            [bound_claim("c", "v"), volume("v", aws_elastic_block_store={"volumeID": "disk-1"})],
            False,
            id="bound to another disk",
        ),
        pytest.param([bound_claim("c", "v"), volume("v")], True, id="bound to another kind"),
        pytest.param([claim("c", class_name="ebs"), EBS_CLASS], False, id="unbound, of a class of the kind"),
        pytest.param([bound_claim("c", "v", class_name="ebs"), EBS_CLASS], False, id="bound to what is gone"),
        pytest.param([claim("c", class_name="ebs")], True, id="unbound, of a class that is gone"),
        pytest.param([], True, id="no claim"),
    ],
)
def test_claims_count_by_their_volume_or_their_class(objects: list[Any], fits: bool) -> None:
    running = mounting(pod("old"), **DISK).on("n1").build()
    view = HandView([ONE], [running], objects=objects)
    assert feasible(rule("MaxEBSVolumeCount"), view, pod("p").claim("c").info()) == (["n1"] if fits else [])


def test_where_a_driver_serves_the_kind_the_rule_has_nothing_to_say() -> None:
    migrated = csi_node("n1", migrated="kubernetes.io/gce-pd,kubernetes.io/aws-ebs")
    pending = with_disks(pod("p"), "MaxEBSVolumeCount", range(2)).info()
    assert feasible(rule("MaxEBSVolumeCount"), HandView([ONE]), pending) == []
    assert feasible(rule("MaxEBSVolumeCount"), HandView([ONE], objects=[migrated]), pending) == ["n1"]


def test_preemption_and_nominated_pods_change_the_count_of_their_node() -> None:
    by = rule("MaxEBSVolumeCount")
    running = mounting(pod("old"), **DISK).on("n1")
    view = HandView([ONE], [running.build()])
    state = by.prepare(with_disks(pod("p"), "MaxEBSVolumeCount", (1,)).info(), view)
    assert isinstance(state, State)
    assert by.resolvable(state, view.rows).all()
    freed = by.with_pods(state, 1, (), (running.info(),))
    assert by.feasible(freed, view.rows).all()
    other = with_disks(pod("other"), "MaxEBSVolumeCount", (2,)).info()
    assert not by.feasible(by.with_pods(freed, 1, (other,), ()), view.rows).any()
    assert by.with_pods(state, 1, (pod("plain").info(),), ()) is state


@pytest.mark.parametrize("name", KINDS)
def test_pods_without_the_kind_are_not_looked_at(name: str) -> None:
    assert rule(name).prepare(mounting(pod("p"), rbd={}).info(), HandView([ONE])) == SKIP


@pytest.mark.parametrize(
    ("change", "woken"),
    [
        (Change(Happening.POD_DELETE, HandView([ONE]), row=1, pod=mounting(pod("old"), **DISK).info()), True),
        (Change(Happening.POD_DELETE, HandView([ONE]), row=1, pod=pod("old").info()), False),
        (Change(Happening.PERSISTENT_VOLUME_CLAIM, HandView([ONE]), key=("default", "c")), True),
        (Change(Happening.PERSISTENT_VOLUME_CLAIM, HandView([ONE]), key=("default", "d")), False),
        (Change(Happening.NODE_ALLOCATABLE, HandView([ONE]), row=1), True),
    ],
)
def test_what_makes_room_wakes_the_pod(change: Change, woken: bool) -> None:
    by = rule("MaxEBSVolumeCount")
    assert change.happening & by.wakes_on.on
    assert by.wakes_on.hint is not None
    assert by.wakes_on.hint(pod("p").claim("c").info(), change) is woken
