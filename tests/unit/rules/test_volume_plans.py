"""What VolumeBinding sets aside on the chosen node, and its args."""

from collections.abc import Sequence

import pytest
from tests.unit.rules.stored import PROVISIONER, bound_claim, claim, promised, storage_class, volume
from tests.unit.rules.view import HandView

from pointsman.kube.storage_objects import StorageObject
from pointsman.policy.arguments import read_args
from pointsman.policy.errors import PolicyError
from pointsman.policy.predicates.volume_binding import State, VolumeBinding
from pointsman.policy.volume_binding_args import VolumeBindingArgs
from pointsman.policy.volumes.plan import VolumePlan
from pointsman.testing.builders import node, pod

RULE = VolumeBinding("VolumeBinding", VolumeBindingArgs())
BY_HAND = storage_class(provisioner="kubernetes.io/no-provisioner")
MAKING = storage_class(provisioner=PROVISIONER)
NODE_1 = {"volume.kubernetes.io/selected-node": "n1"}
NODES = [node("n1").build(), node("n2").build()]


def planned(objects: Sequence[StorageObject], *names: str, row: int = 1) -> VolumePlan | None:
    pending = pod("p")
    for name in names:
        pending = pending.claim(name)
    state = RULE.prepare(pending.info(), HandView(NODES, objects=objects))
    assert isinstance(state, State)
    return RULE.reserve(state, row)


def test_nothing_is_set_aside_when_all_claims_are_bound() -> None:
    assert planned([bound_claim("c", "v"), volume("v")], "c") is None


def test_the_smallest_volume_that_fits_is_promised_the_first_of_equals() -> None:
    volumes = [volume("large", "5Gi"), volume("first", "2Gi"), volume("second", "2048Mi"), volume("small", "1Gi")]
    plan = planned([BY_HAND, claim("c", "1025Mi"), *volumes], "c")
    assert plan is not None
    (promise,) = plan.promises
    assert promise.changed
    assert promise.volume.metadata.name == "first"
    assert promise.volume.spec.claim_ref == promised("c", uid="claim-c")
    assert promise.volume.metadata.annotations == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert (plan.node, plan.provisions, plan.timeout) == ("n1", (), 600)


def test_what_is_promised_is_a_volume_of_the_chosen_node() -> None:
    volumes = [volume("v1", "1Gi", on="n1"), volume("v2", "9Gi", on="n2")]
    plan = planned([BY_HAND, claim("c"), *volumes], "c", row=2)
    assert plan is not None
    assert [promise.volume.metadata.name for promise in plan.promises] == ["v2"]


def test_a_volume_that_its_owner_set_aside_is_not_marked_as_the_controllers() -> None:
    plan = planned([BY_HAND, claim("c"), volume("v", claim_ref=promised("c"))], "c")
    assert plan is not None
    (promise,) = plan.promises
    assert promise.changed
    assert promise.volume.spec.claim_ref == promised("c", uid="claim-c")
    assert promise.volume.metadata.annotations == {}


def test_a_volume_that_names_the_claim_by_uid_needs_no_write() -> None:
    plan = planned([BY_HAND, claim("c"), volume("v", claim_ref=promised("c", uid="claim-c"))], "c")
    assert plan is not None
    assert [promise.changed for promise in plan.promises] == [False]


def test_claims_without_a_volume_are_given_the_node() -> None:
    plan = planned([MAKING, claim("a"), claim("b", "2Gi"), claim("c", annotations=NODE_1), volume("v")], "a", "b", "c")
    assert plan is not None
    assert [(promise.volume.metadata.name, promise.claim.metadata.name) for promise in plan.promises] == [("v", "a")]
    assert [made.metadata.name for made in plan.provisions] == ["c", "b"]
    assert {made.metadata.annotations["volume.kubernetes.io/selected-node"] for made in plan.provisions} == {"n1"}


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        pytest.param({"bindTimeoutSeconds": -1}, "args.bindTimeoutSeconds", id="negative"),
        pytest.param({"shape": [{"utilization": 0, "score": 10}]}, "args.shape", id="behind a gate that is off"),
    ],
)
def test_args_that_are_refused(args: dict[str, object], problem: str) -> None:
    with pytest.raises(PolicyError) as refused:
        read_args(VolumeBindingArgs, args, "args")
    assert [found.path for found in refused.value.problems] == [problem]


def test_args_are_spelt_out() -> None:
    assert read_args(VolumeBindingArgs, None, "args") == {"bindTimeoutSeconds": 600}
