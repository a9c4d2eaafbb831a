"""How a profile is doing, in the words that a user reads."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.unit.controller.scene import LEADER, Scene, conditions, message, ready, scene

from pointsman.api.status import LastGood, encode_status
from pointsman.controller.plan.engines import Engine
from pointsman.controller.plan.world import Leadership

NEW = scene()
HASH = NEW.revision.short_hash
EDIT: dict[str, Any] = {"priorities": [{"name": "NodeResourcesFit", "weight": 5}]}
EDITED_HASH = NEW.edited(**EDIT).revision.short_hash
OVERDUE = [{"type": "Progressing", "status": "False", "reason": "ProgressDeadlineExceeded"}]
GOING_ON = [{"type": "Progressing", "status": "True", "reason": "ReplicaSetUpdated"}]
CRASH = "\"ModuleNotFoundError: No module named 'rack'\", exit code 2"


def rolling(before: Scene) -> Scene:
    """An edit whose new engine is not ready; the old one leads."""
    edited = before.edited(**EDIT).applied()
    old = edited.engine(policy=HASH)
    return edited.deployment_status(
        {"conditions": GOING_ON, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1}
    ).with_engines(old, Engine("engine-binpack-new", EDITED_HASH))


def failing(before: Scene, failure: str) -> Scene:
    edited = rolling(before)
    old, _ = edited.world.engines
    return edited.with_engines(old, edited.engine("engine-binpack-new", failure=failure))


def overdue(before: Scene) -> Scene:
    return failing(before, CRASH).deployment_status(
        {"conditions": OVERDUE, "replicas": 2, "updatedReplicas": 1, "availableReplicas": 1}
    )


STAYS = f"; policy {HASH} (generation 1) stays in force"

CASES: list[tuple[str, Callable[[], Scene], tuple[str, str, str], str]] = [
    (
        "nothing there yet",
        lambda: NEW,
        ("Unknown", "Progressing", "Reconciling"),
        f"0/1 engines ready, policy {HASH} is rolling out",
    ),
    (
        "well",
        lambda: NEW.rolled_out().led().reported(),
        ("True", "EngineReady", ""),
        f"1/1 engines ready, leader {LEADER}, policy {HASH} in force",
    ),
    (
        "two engines, one leads",
        lambda: scene(replicas=2).rolled_out().led().reported(),
        ("True", "EngineReady", ""),
        f"2/2 engines ready, leader {LEADER}, policy {HASH} in force",
    ),
    (
        "an edit is rolled out while the old engine leads",
        lambda: rolling(NEW.well()),
        ("Unknown", "Progressing", "Reconciling"),
        f"0/1 engines ready, policy {EDITED_HASH} is rolling out{STAYS}",
    ),
    (
        "the Deployment's controller has not seen the edit",
        lambda: NEW.well().edited(**EDIT).applied().deployment_status({"observedGeneration": 0}).led(),
        ("Unknown", "Progressing", "Reconciling"),
        f"0/1 engines ready, policy {EDITED_HASH} is rolling out{STAYS}",
    ),
    (
        "the new engine crashes",
        lambda: failing(NEW.well(), CRASH),
        ("False", "EngineNotReady", "Reconciling"),
        f"engine not ready: {CRASH}{STAYS}",
    ),
    (
        "the new engine does not come up in time",
        lambda: overdue(NEW.well()),
        ("False", "EngineNotReady", "Stalled"),
        f"engine not ready within 120 s ({CRASH}){STAYS}",
    ),
    (
        "the first engine does not come up in time and says nothing",
        lambda: NEW.applied().deployment_status({"conditions": OVERDUE, "replicas": 1, "updatedReplicas": 1}),
        ("False", "EngineNotReady", "Stalled"),
        "engine not ready within 120 s",
    ),
    (
        "pods may not be made",
        lambda: NEW.applied().deployment_status(
            {
                "conditions": [
                    {"type": "ReplicaFailure", "status": "True", "message": "pods forbidden: exceeded quota: few"}
                ]
            }
        ),
        ("False", "EngineNotReady", "Reconciling"),
        "engine not ready: pods forbidden: exceeded quota: few",
    ),
    (
        "the engine is gone",
        lambda: NEW.well().rolled_out(ready=0),
        ("False", "EngineNotReady", "Reconciling"),
        "0/1 engines ready, waiting for one to come back",
    ),
    (
        "scaled up",
        lambda: NEW.well().edited(replicas=2).rolled_out(ready=1),
        ("Unknown", "Progressing", "Reconciling"),
        "1/2 engines ready, scaling",
    ),
    (
        "scaled up from nothing",
        lambda: NEW.edited(replicas=0).rolled_out().settled().edited().rolled_out(ready=0),
        ("Unknown", "Progressing", "Reconciling"),
        "0/1 engines ready, scaling",
    ),
    (
        "scaled to zero",
        lambda: scene(replicas=0).rolled_out(),
        ("True", "ScaledToZero", ""),
        "scaled to zero: pods of scheduler binpack wait",
    ),
    (
        "the first engine has just become ready",
        lambda: first_leader(ready_for=5),
        ("Unknown", "Progressing", "Reconciling"),
        "1/1 engines ready, waiting for one to lead",
    ),
    (
        "no engine has led for long",
        lambda: first_leader(ready_for=31),
        ("False", "NoLeader", "Reconciling"),
        "1/1 engines ready, none of them leads",
    ),
    (
        "the leader is gone for less than a Lease lasts",
        lambda: NEW.well().led("", silent=14),
        ("True", "EngineReady", ""),
        "1/1 engines ready, the leader is changing",
    ),
    (
        "the leader is gone for longer",
        lambda: NEW.well().led("", silent=16),
        ("False", "NoLeader", "Reconciling"),
        "1/1 engines ready, none of them leads",
    ),
    (
        "the Lease has a holder that does not renew it",
        lambda: NEW.well().led(silent=16),
        ("False", "NoLeader", "Reconciling"),
        "1/1 engines ready, none of them leads",
    ),
    (
        "the leader has not reported the new policy",
        lambda: NEW.well().edited(**EDIT).rolled_out().reported(policy=HASH),
        ("Unknown", "Progressing", "Reconciling"),
        f"1/1 engines ready, waiting for leader {LEADER} to report policy {EDITED_HASH}",
    ),
    (
        "the leader has stopped reporting",
        lambda: NEW.well().reported(age=16),
        ("False", "EngineNotReady", "Reconciling"),
        f"leader {LEADER} does not report",
    ),
    (
        "the holder is not one of the engines",
        lambda: NEW.rolled_out().led("somebody").reported(),
        ("Unknown", "Progressing", "Reconciling"),
        f"1/1 engines ready, waiting for leader somebody to report policy {HASH}",
    ),
]


def first_leader(*, ready_for: float) -> Scene:
    made = NEW.rolled_out()
    return made.with_engines(made.engine(ready_for=ready_for))


@pytest.mark.parametrize(("make", "verdict", "words"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_the_verdict_and_its_words(make: Callable[[], Scene], verdict: tuple[str, str, str], words: str) -> None:
    decided = make().decide()
    assert ready(decided) == verdict
    assert message(decided) == words


@pytest.mark.parametrize(
    ("make", "available"),
    [
        (lambda: NEW, ("False", "EngineNotReady")),
        (NEW.well, ("True", "EngineReady")),
        (lambda: rolling(NEW.well()), ("True", "EngineReady")),
        (lambda: overdue(NEW.well()), ("True", "EngineReady")),
        (lambda: scene(replicas=0).rolled_out(), ("False", "ScaledToZero")),
        (lambda: NEW.well().led("", silent=14), ("True", "EngineReady")),
        (lambda: NEW.well().led("", silent=16), ("False", "NoLeader")),
        (lambda: NEW.well().rolled_out(ready=0), ("False", "EngineNotReady")),
        (lambda: first_leader(ready_for=5), ("False", "NoLeader")),
    ],
    ids=["new", "well", "rolling", "overdue", "zero", "changing", "leaderless", "gone", "starting"],
)
def test_available_tells_whether_an_engine_that_is_ready_leads(
    make: Callable[[], Scene], available: tuple[str, str]
) -> None:
    condition = conditions(make().decide())["Available"]
    assert (condition.status, condition.reason) == available


def test_a_rollout_that_failed_comes_right_when_the_engine_comes_up() -> None:
    mended = overdue(NEW.well()).settled().rolled_out().reported()
    assert ready(mended.decide()) == ("True", "EngineReady", "")


def test_the_last_good_policy_moves_only_when_the_new_one_has_proven_itself() -> None:
    good = NEW.well()
    assert good.status.last_good == LastGood(hash=HASH, generation=1)
    assert rolling(good).decide().status.last_good == LastGood(hash=HASH, generation=1)
    done = good.edited(**EDIT).rolled_out().reported().decide()
    assert done.status.last_good == LastGood(hash=EDITED_HASH, generation=2)


def test_when_a_rollout_is_over_all_hashes_agree() -> None:
    status = encode_status(NEW.well().edited(**EDIT).rolled_out().reported().decide().status)
    engines = {engine["policyHash"] for engine in status["engines"]}
    assert {status["policy"]["hash"], status["stats"]["policyHash"], *engines} == {EDITED_HASH}


def test_only_the_holder_of_the_lease_is_called_leader() -> None:
    status = encode_status(scene(replicas=2).rolled_out().led().reported().decide().status)
    leaders = {engine["pod"]: engine["leader"] for engine in status["engines"]}
    assert leaders == {LEADER: True, "engine-binpack-6c9f7d5b4-00001": False}
    assert (status["replicas"], status["readyReplicas"], status["replicasSummary"]) == (2, 2, "2/2")


def test_a_profile_that_is_well_is_looked_at_again_only_when_something_happens() -> None:
    assert NEW.well().decide().requeue_after is None
    assert rolling(NEW.well()).decide().requeue_after == 10
    assert NEW.well().reported(age=16).decide().requeue_after == 10
    assert NEW.well().around(leadership=Leadership("", 16)).decide().requeue_after == 10


def test_times_move_with_the_status_of_a_condition_alone() -> None:
    first = NEW.well()
    later = replace(first.edited(**EDIT).rolled_out().reported(), now=first.after(60).now).decide()
    before = {condition.type: condition for condition in first.status.conditions}
    after = conditions(later)
    assert after["Ready"].last_transition_time == before["Ready"].last_transition_time
    assert after["Ready"].observed_generation == 2
    lost = first.rolled_out(ready=0).after(60).decide()
    assert conditions(lost)["Ready"].last_transition_time == "2026-01-01T12:01:00Z"
    assert conditions(lost)["PolicyValid"].last_transition_time == before["PolicyValid"].last_transition_time
