"""Which objects are wanted, and which of ours have to go."""

from dataclasses import replace
from typing import Any

from tests.unit.controller.scene import UID, Scene, foreign, live, scene

from pointsman.controller.render.children import Identity
from pointsman.kube.resources import CONFIG_MAPS, DISRUPTION_BUDGETS

FIRST = scene()
BUDGET = Identity(DISRUPTION_BUDGETS, "engine-binpack")


def edit(weight: int) -> dict[str, Any]:
    return {"priorities": [{"name": "NodeResourcesFit", "weight": weight}]}


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
        f"ConfigMap {config_map(FIRST)}",
        "PodDisruptionBudget engine-binpack",
        "Deployment engine-binpack",
    ]


def test_a_budget_is_there_only_beside_a_standby() -> None:
    two = scene(replicas=2).well()
    assert going(two) == set()
    assert going(two.edited(replicas=1)) == {str(BUDGET)}


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
    other = live(FIRST.decide().objects[5], uid=UID)
    forged = replace(other, body={**other.body, "data": {"binpack.json": "{}"}})
    broken = made.with_children(forged).edited(**edit(0))
    assert broken.decide().objects == ()
