"""Imagining pods on a node, or away from it, gives what a cluster with just these pods gives."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.drivers import attachment, csi_node, csi_volume, mounting
from tests.unit.rules.stored import PROVISIONER, bound_claim, claim, storage_class
from tests.unit.rules.view import HandView

from pointsman.kube.storage_objects import StorageObject
from pointsman.policy.registry import BUILT
from pointsman.policy.rule import Predicate, Reject, Skip
from pointsman.testing.builders import PodBuilder, node, pod

EBS = "ebs.csi.aws.com"
NODE = node("n1").allocatable("attachable-volumes-aws-ebs", 2).build()
EXCLUSIVE = ("ReadWriteOncePod",)
OBJECTS: tuple[StorageObject, ...] = (
    bound_claim("a", "v-a"),
    csi_volume("v-a", "same"),
    bound_claim("b", "v-b"),
    csi_volume("v-b", "same"),
    bound_claim("c", "v-c", access_modes=EXCLUSIVE),
    csi_volume("v-c", driver=EBS),
    claim("d"),
    storage_class("late", provisioner=PROVISIONER),
    csi_volume("lost"),
    attachment("x", "n1", "lost"),
    attachment("y", "n1", "v-a"),
)


@st.composite
def pods(draw: st.DrawFn, name: str, claims: str = "abd") -> PodBuilder:
    builder = pod(name)
    for entry in draw(st.lists(st.sampled_from(claims), max_size=2, unique=True)):
        builder = builder.claim(entry)
    for disk in draw(st.lists(st.sampled_from(("vol-1", "vol-2", "vol-3")), max_size=2, unique=True)):
        builder = mounting(builder, aws_elastic_block_store={"volumeID": disk})
    return builder


def fits(rule: Predicate[Any], pending: PodBuilder, running: Sequence[PodBuilder], *objects: StorageObject) -> bool:
    view = HandView([NODE], [builder.on("n1").build() for builder in running], objects=(*OBJECTS, *objects))
    state = rule.prepare(pending.info(), view)
    assert not isinstance(state, Reject)
    return isinstance(state, Skip) or bool(rule.feasible(state, view.rows)[0])


@pytest.mark.parametrize("name", ["VolumeRestrictions", "NodeVolumeLimits", "MaxEBSVolumeCount"])
@few_worlds
@given(
    st.data(),
    pods("pending", "abcd"),
    st.tuples(pods("holder", "abcd"), pods("second"), pods("third")),  # no two pods can have the exclusive claim
    st.integers(0, 4),
    st.integers(0, 4),
)
def test_pods_that_are_imagined_count_like_pods_that_are_there(
    name: str, data: st.DataObject, pending: PodBuilder, running: tuple[PodBuilder, ...], limit: int, ebs: int
) -> None:
    built = BUILT[name].predicate
    assert built is not None
    rule = built(name, BUILT[name].args())
    there = data.draw(st.lists(st.sampled_from(running), unique_by=id))
    wanted = data.draw(st.lists(st.sampled_from(running), unique_by=id))
    limits = csi_node("n1", example=limit, ebs_csi_aws_com=ebs)
    view = HandView([NODE], [builder.on("n1").build() for builder in there], objects=(*OBJECTS, limits))
    state = rule.prepare(pending.info(), view)
    if isinstance(state, Skip | Reject):  # nothing that other pods could change, or that they are not asked about
        return
    first = state
    for builder in running:
        here = [pod_here.uid for pod_here in view.infos]
        if builder in there and builder not in wanted:
            state = rule.with_pods(state, 1, (), (next(one for one in view.infos if one.uid == builder.info().uid),))
        elif builder in wanted and builder.info().uid not in here:
            state = rule.with_pods(state, 1, (builder.info(),), ())
    assert bool(rule.feasible(state, view.rows)[0]) is fits(rule, pending, wanted, limits)
    assert bool(rule.feasible(first, view.rows)[0]) is fits(rule, pending, there, limits)
