"""VolumeZone: the zones and regions that volumes name in their labels."""

from typing import Any

import pytest
from tests.unit.rules.stored import bound_claim, claim, storage_class, volume
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import Node
from pointsman.policy.args import Args
from pointsman.policy.predicates.volume_zone import State, VolumeZone
from pointsman.policy.rule import SKIP, Change, Happening, Reject
from pointsman.testing.builders import NodeBuilder, node, pod

RULE = VolumeZone("VolumeZone", Args())
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
OLD_ZONE, OLD_REGION = "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"
REASON = ("node(s) had no available volume zone",)


def labelled(name: str, labels: dict[str, str]) -> Node:
    builder: NodeBuilder = node(name)
    for key, value in labels.items():
        builder = builder.label(key, value)
    return builder.build()


NODES = [
    labelled("a", {ZONE: "a", REGION: "r"}),
    labelled("b", {ZONE: "b", REGION: "r"}),
    labelled("old-a", {OLD_ZONE: "a", OLD_REGION: "r"}),
    labelled("region", {REGION: "r"}),
    labelled("none", {}),
]


def zoned(*labels: dict[str, str]) -> HandView:
    claims = [bound_claim(f"c{index}", f"v{index}") for index in range(len(labels))]
    volumes = [volume(f"v{index}", metadata={"labels": entry}) for index, entry in enumerate(labels)]
    return HandView(NODES, objects=[*claims, *volumes])


@pytest.mark.parametrize(
    ("labels", "fitting"),
    [
        pytest.param([{ZONE: "a"}], ["a", "none"], id="a zone: nodes with the older label alone do not match"),
        pytest.param([{OLD_ZONE: "a"}], ["a", "old-a", "none"], id="an older zone: both labels match"),
        pytest.param([{REGION: "r"}], ["a", "b", "region", "none"], id="a region"),
        pytest.param([{ZONE: "a__b"}], ["a", "b", "none"], id="one of two zones"),
        pytest.param([{ZONE: " a __ b "}], ["a", "b", "none"], id="spaces do not count"),
        pytest.param([{ZONE: "a", REGION: "s"}], ["none"], id="zone and region both have to match"),
        pytest.param([{ZONE: "a"}, {ZONE: "b"}], ["none"], id="two volumes in two zones"),
        pytest.param([{ZONE: "a__b"}, {OLD_ZONE: "b"}], ["b", "none"], id="two volumes with a zone in common"),
        pytest.param([{ZONE: "a____b", REGION: "r"}], ["a", "b", "region", "none"], id="an empty part says nothing"),
    ],
)
def test_volumes_go_where_their_labels_say(labels: list[dict[str, str]], fitting: list[str]) -> None:
    view = zoned(*labels)
    builder = pod("p")
    for index in range(len(labels)):
        builder = builder.claim(f"c{index}")
    assert feasible(RULE, view, builder.info()) == fitting
    told = reasons(RULE, view, builder.info())
    assert set(told.values()) == {REASON}
    state = RULE.prepare(builder.info(), view)
    assert isinstance(state, State)
    assert not RULE.resolvable(state, view.rows).any()


LATE, NOW = storage_class("late"), storage_class("now", mode="Immediate")


@pytest.mark.parametrize(
    ("objects", "reason"),
    [
        pytest.param([], 'persistentvolumeclaim "c" not found', id="no claim"),
        pytest.param([bound_claim("c", "v")], 'persistentvolume "v" not found', id="no volume"),
        pytest.param(
            [claim("c", class_name=None)], "PersistentVolumeClaim had no pv name and storageClass name", id="no class"
        ),
        pytest.param([claim("c", class_name="x")], 'storageclass.storage.k8s.io "x" not found', id="a missing class"),
        pytest.param([claim("c", class_name="now"), NOW], "PersistentVolume had no name", id="unbound and immediate"),
        pytest.param(
            [claim("c", class_name="odd"), storage_class("odd", mode="")],
            'VolumeBindingMode not set for StorageClass "odd"',
            id="a class without a mode",
        ),
    ],
)
def test_a_claim_without_a_volume_is_told_and_no_preemption_helps(objects: list[Any], reason: str) -> None:
    answer = RULE.prepare(pod("p").claim("c").info(), HandView(NODES, objects=objects))
    assert answer == Reject((reason,), resolvable=False)


@pytest.mark.parametrize(
    ("objects", "name"),
    [
        pytest.param([claim("c", class_name="late"), LATE], "c", id="a claim that waits for the pod"),
        pytest.param([bound_claim("c", "v"), volume("v")], "c", id="a volume without labels"),
        pytest.param([bound_claim("c", "v"), volume("v", metadata={"labels": {ZONE: ""}})], "c", id="an empty label"),
        pytest.param([], "", id="no claims"),
    ],
)
def test_nothing_is_said_of_volumes_without_a_zone(objects: list[Any], name: str) -> None:
    pending = pod("p").claim(name) if name else pod("p")
    assert RULE.prepare(pending.info(), HandView(NODES, objects=objects)) == SKIP


@pytest.mark.parametrize(
    ("happening", "key", "woken"),
    [
        (Happening.PERSISTENT_VOLUME_CLAIM, ("default", "c"), True),
        (Happening.PERSISTENT_VOLUME_CLAIM, ("default", "d"), False),
        (Happening.PERSISTENT_VOLUME_CLAIM, ("other", "c"), False),
        (Happening.PERSISTENT_VOLUME, ("", "v"), True),
        (Happening.STORAGE_CLASS, ("", "late"), True),
        (Happening.NODE_LABELS, ("", ""), True),
    ],
)
def test_changes_of_claims_volumes_classes_and_labels_wake(
    happening: Happening, key: tuple[str, str], woken: bool
) -> None:
    assert happening & RULE.wakes_on.on
    assert RULE.wakes_on.hint is not None
    assert RULE.wakes_on.hint(pod("p").claim("c").info(), Change(happening, HandView(NODES), key=key)) is woken
