"""Which objects are wanted, and which of ours have to go."""

from dataclasses import replace
from typing import Any

import pytest
from tests.unit.controller.scene import UID, Scene, foreign, live, scene

from pointsman.controller.render.children import Identity
from pointsman.kube.resources import CLUSTER_ROLE_BINDINGS, CONFIG_MAPS, DISRUPTION_BUDGETS

FIRST = scene()
BUDGET = Identity(DISRUPTION_BUDGETS, "engine-binpack")


def edit(weight: int) -> dict[str, Any]:
    return {"priorities": [{"name": "NodeResourcesFit", "weight": weight}]}


NO_PREEMPTION = {"preemption": {"state": "Disabled"}}
FEW_RULES = {"base": "None", **NO_PREEMPTION}


def rights(made: Scene) -> list[str]:
    """The names of the ClusterRoleBindings that are wanted."""
    objects = made.decide().objects
    return [child.identity.name for child in objects if child.identity.resource is CLUSTER_ROLE_BINDINGS]


def going(decided: Scene) -> set[str]:
    return {str(child.identity) for child in decided.decide().deletions}


def policies(decided: Scene) -> set[str]:
    return {child.identity.name for child in decided.decide().deletions if child.identity.resource is CONFIG_MAPS}


def config_map(made: Scene) -> str:
    return f"engine-binpack-{made.revision.short_hash}"


def test_children_are_written_the_rights_first_and_the_deployment_last() -> None:
    assert [str(child.identity) for child in scene(replicas=2).decide().objects] == [
        "ServiceAccount engine-binpack",
        "Lease engine-binpack",
        "Role engine-binpack",
        "RoleBinding engine-binpack",
        "ClusterRoleBinding pointsman:engine:binpack",
        "ClusterRoleBinding pointsman:engine-volumes:binpack",
        "ClusterRoleBinding pointsman:engine-preemption:binpack",
        f"ConfigMap {config_map(FIRST)}",
        "PodDisruptionBudget engine-binpack",
        "Deployment engine-binpack",
    ]


def test_a_budget_is_there_only_beside_a_standby() -> None:
    two = scene(replicas=2).well()
    assert going(two) == set()
    assert going(two.edited(replicas=1)) == {str(BUDGET)}


@pytest.mark.parametrize(
    ("spec", "more"),
    [
        pytest.param(FEW_RULES, [], id="neither volumes nor preemption"),
        pytest.param(
            FEW_RULES | {"predicates": [{"name": "CheckVolumeBinding"}]},
            ["pointsman:engine-volumes:binpack"],
            id="a rule about volumes",
        ),
        pytest.param({"base": "None"}, ["pointsman:engine-preemption:binpack"], id="preemption"),
        pytest.param(
            {}, ["pointsman:engine-volumes:binpack", "pointsman:engine-preemption:binpack"], id="the rules of the base"
        ),
    ],
)
def test_an_engine_gets_the_rights_that_its_rules_use(spec: dict[str, Any], more: list[str]) -> None:
    assert rights(scene(**spec)) == ["pointsman:engine:binpack", *more]


def test_a_right_stays_until_the_last_engine_that_uses_it_is_gone() -> None:
    binding = "ClusterRoleBinding pointsman:engine-preemption:binpack"
    before = FIRST.well()
    (old,) = before.world.engines
    edited = before.edited(**NO_PREEMPTION).applied()
    new = edited.engine("engine-binpack-new")
    assert going(edited.with_engines(old, new)) == set()
    assert going(edited.with_engines(new)) == {binding}


def test_a_right_stays_while_it_is_not_known_what_an_engine_uses() -> None:
    edited = FIRST.well().edited(**NO_PREEMPTION).applied()
    stranger = edited.engine("engine-binpack-old", policy="0123456789")
    assert going(edited.with_engines(stranger)) == set()


def test_a_foreign_object_that_is_not_in_our_way_is_not_deleted() -> None:
    made = scene(replicas=2).applied()
    budget = made.world.find(BUDGET)
    assert budget is not None
    assert going(FIRST.well().with_children(foreign(budget))) == set()


def test_a_policy_is_kept_while_a_replicaset_mounts_it() -> None:
    second = FIRST.well().edited(**edit(2)).rolled_out().reported().settled()
    third = second.edited(**edit(3)).rolled_out().reported().settled()
    assert policies(third) == set()
    forgotten = third.around(mounted=third.world.mounted - {FIRST.revision.short_hash})
    assert policies(forgotten) == {config_map(FIRST)}


def test_the_last_good_policy_is_kept_while_others_fail() -> None:
    good = FIRST.well()
    bad = good.edited(**edit(2)).applied().settled()
    worse = bad.edited(**edit(3)).applied().around(mounted=frozenset())
    assert worse.status.last_good.hash == FIRST.revision.short_hash  # type: ignore[union-attr]
    assert policies(worse) == {config_map(bad)}


def test_a_policy_that_comes_back_is_the_one_in_force_by_its_generation() -> None:
    back = FIRST.well().edited(**edit(2)).applied().edited().applied()
    assert back.revision.short_hash == FIRST.revision.short_hash
    broken = back.edited(**edit(0)).decide()
    assert broken.status.policy.hash == FIRST.revision.short_hash  # type: ignore[union-attr]
    assert "(generation 3) stays in force" in broken.status.conditions[0].message


def test_what_is_being_deleted_is_not_deleted_again() -> None:
    two = scene(replicas=2).well().edited(replicas=1)
    (budget,) = two.decide().deletions
    metadata = {**budget.body["metadata"], "deletionTimestamp": "2026-01-01T12:00:00Z"}
    assert going(two.with_children(replace(budget, body={**budget.body, "metadata": metadata}))) == set()


def test_the_same_policy_in_other_words_is_the_same_object() -> None:
    said = scene(base="Default", predicates=[{"name": "PodFitsHostPorts"}], queue={"podMaxBackoffSeconds": 10})
    assert said.revision.hash == FIRST.revision.hash


def test_only_replicas_and_engine_settings_leave_the_policy_as_it_is() -> None:
    assert FIRST.edited(replicas=2, engine={"logLevel": "Debug"}).revision.hash == FIRST.revision.hash


def test_a_config_map_that_was_tampered_with_is_no_policy() -> None:
    made = FIRST.well()
    child = made.world.find(Identity(CONFIG_MAPS, config_map(FIRST)))
    assert child is not None
    (wanted,) = (one for one in FIRST.decide().objects if one.identity == child.identity)
    other = live(wanted, uid=UID)
    forged = replace(other, body={**other.body, "data": {"binpack.json": "{}"}})
    broken = made.with_children(forged).edited(**edit(0))
    assert broken.decide().objects == ()
