"""Preemption as a decision: who has to go, where, and what the pod is told if nobody can."""

import numpy as np
import pytest
from tests.unit.engine.preempting import attempt, budget, candidates_on, policy, running, victims, vip
from tests.unit.engine.worlds import Prefilter, cluster, row
from tests.unit.engine.worlds import policy as by_hand

from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.preemption.searching import candidates_wanted
from pointsman.kube.objects import PodCondition
from pointsman.policy.document import PreemptionEntry
from pointsman.policy.rule import Reject
from pointsman.testing.builders import NodeBuilder, PodBuilder, host_port, node, pod, term

N1 = node("n1").cpu("4")
FULL = (N1, running("v1", 10, "2"), running("v2", 20, "1"), running("v3", 30, "1"))
BLOCKED = "0/1 nodes are available: 1 Insufficient cpu."
HELPLESS = "1 Preemption is not helpful for scheduling."
NOBODY = "1 No preemption victims found for incoming pod."


def test_the_most_important_pods_come_back_first_and_only_who_finds_no_place_goes() -> None:
    # C51: of 4 cpu the pod takes 1; v3 (1) and v2 (1) come back, then v1 (2) finds only 1 left.
    decision = attempt(cluster(*FULL), vip("1"))
    assert victims(decision) == ["v1"]
    assert decision.nomination == "n1"
    assert decision.message == BLOCKED, "a preemption that works adds no words"


@pytest.mark.parametrize(
    ("cpu", "expected"),
    [
        pytest.param("2", ["v1"], id="the least important is enough"),
        pytest.param("3", ["v2", "v1"], id="v3 comes back, 1 cpu is left"),
        pytest.param("4", ["v3", "v2", "v1"], id="all of them, the most important first"),
    ],
)
def test_victims_by_what_the_pod_needs(cpu: str, expected: list[str]) -> None:
    assert victims(attempt(cluster(*FULL), vip(cpu))) == expected


def test_of_equal_priority_the_one_that_has_run_longer_stays() -> None:
    old, young = (
        running(name, 5, "2", started=f"2026-01-0{day}T00:00:00Z") for name, day in (("old", 1), ("young", 2))
    )
    never = running("never", 5, "2")
    assert victims(attempt(cluster(N1, young, old), vip("1"))) == ["young"]
    assert victims(attempt(cluster(N1, never, young), vip("1"))) == ["never"], "not started counts as starting now"


@pytest.mark.parametrize(
    ("nodes", "preemptor", "message"),
    [
        pytest.param(
            [N1, running("a", 100, "4")], vip(), f"{BLOCKED} preemption: 0/1 nodes are available: {NOBODY}", id="equal"
        ),
        pytest.param(
            [N1, running("a", 1, "1")],
            vip("5"),
            f"{BLOCKED} preemption: 0/1 nodes are available: {HELPLESS}",
            id="huge",
        ),
        pytest.param(
            [N1, running("a", 1, "1"), running("b", 200, "3")],
            vip("2"),
            f"{BLOCKED} preemption: 0/1 nodes are available: 1 Insufficient cpu.",
            id="too little below",
        ),
        pytest.param(
            [N1, running("a", 1, "4")],
            vip().spec(preemption_policy="Never"),
            f"{BLOCKED} preemption: not eligible due to preemptionPolicy=Never.",
            id="never",
        ),
        pytest.param(
            [N1, node("n2").taint("x"), node("n3").cpu("4"), running("a", 200, "4"), running("b", 100, "4", on="n3")],
            vip(),
            "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu."
            " preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling,"
            " 2 No preemption victims found for incoming pod.",
            id="several nodes",
        ),
    ],
)
def test_what_a_pod_is_told_that_cannot_preempt(
    nodes: list[NodeBuilder | PodBuilder], preemptor: PodBuilder, message: str
) -> None:
    decision = attempt(cluster(*nodes), preemptor)
    assert decision.preemption is None
    assert decision.message == message
    assert decision.asked_preemption


@pytest.mark.parametrize(
    ("enabled", "claims", "words", "nomination"),
    [
        pytest.param(
            True, True, f" no new claims to deallocate, preemption: 0/1 nodes are available: {NOBODY}", "", id="1"
        ),
        pytest.param(True, False, f" preemption: 0/1 nodes are available: {NOBODY}", "", id="2"),
        pytest.param(False, True, " no new claims to deallocate", None, id="3"),
        pytest.param(False, False, "", "", id="4"),
    ],
)
def test_the_words_of_dynamic_resources_come_first_where_the_profile_has_it_on(
    enabled: bool, claims: bool, words: str, nomination: str | None
) -> None:
    rules = policy(PreemptionEntry() if enabled else None, claims=claims)
    decision = attempt(cluster(N1, running("a", 100, "4")), vip(), rules)
    assert decision.message == BLOCKED + words
    assert decision.nomination == nomination
    assert decision.asked_preemption is enabled


def test_a_pod_that_prefilter_refused_for_good_gets_the_error_of_dynamic_resources() -> None:
    one, other = (term(fields=(("metadata.name", "In", name),)) for name in ("n1", "n2"))
    both = term(fields=(("metadata.name", "In", "n1"), ("metadata.name", "In", "n2")))
    assert one != other
    decision = attempt(cluster(N1), vip().require(both), policy(claims=True))
    assert decision.message == "0/1 nodes are available: pod affinity terms conflict. not found"
    assert decision.nomination is None
    without = attempt(cluster(N1), vip().require(both), policy())
    assert without.message == (
        f"0/1 nodes are available: pod affinity terms conflict. preemption: 0/1 nodes are available: {HELPLESS}"
    )


def test_a_refusal_that_fewer_pods_could_mend_makes_every_node_a_candidate() -> None:
    busy = Prefilter("Busy", Reject(("busy",), resolvable=True))
    here = cluster(N1, node("n2"), running("a", 100, "4"))
    decision = attempt(here, vip(), by_hand(busy, preemption=PreemptionEntry()))
    assert decision.message == (
        "0/2 nodes are available: busy. preemption: 0/2 nodes are available:"
        " 2 No preemption victims found for incoming pod."
    )


def test_only_the_pod_that_holds_the_port_goes() -> None:
    holder = pod("holder").priority(1).container(ports=(host_port(80),)).on("n1")
    bystander = pod("bystander").priority(0).container().on("n1")
    assert victims(attempt(cluster(N1, holder, bystander), vip().container(ports=(host_port(80),)))) == ["holder"]


def test_pods_whose_eviction_violates_a_budget_come_back_before_more_important_ones() -> None:
    # Room for one of the two beside the pod (1 + 2 of 4 cpu): the protected one stays although it is less important.
    here = cluster(N1, running("plain", 20, "2"), running("guarded", 10, "2").label("app", "db"))
    assert victims(attempt(here, vip("2"))) == ["guarded"]
    here.upsert_disruption_budget(budget("db", allowed=0, app="db"))
    assert victims(attempt(here, vip("2"))) == ["plain"]
    here.remove_disruption_budget(budget("db", allowed=0, app="db"))
    assert victims(attempt(here, vip("2"))) == ["guarded"]


def test_a_node_without_violations_is_taken_though_its_victim_is_more_important() -> None:
    guarded = running("guarded", 1, "4").label("app", "db")
    here = cluster(N1, node("n2").cpu("4"), guarded, running("plain", 50, "4", on="n2"))
    here.upsert_disruption_budget(budget("db", allowed=0, app="db"))
    decision = attempt(here, vip("4"))
    assert (decision.nomination, victims(decision)) == ("n2", ["plain"])


def test_the_room_of_nominated_pods_counts_in_the_trial() -> None:
    here = cluster(N1, running("a", 1, "2"), running("b", 1, "2"))
    nominator = Nominator()
    nominator.nominate(pod("other").container(cpu="2").priority(100).info(), "n1")
    assert victims(attempt(here, vip("2"), nominator=nominator)) == ["a", "b"]
    assert len(victims(attempt(here, vip("2")))) == 1


@pytest.mark.parametrize(
    ("ending", "waits"),
    [
        pytest.param(("True", "PreemptionByScheduler"), True, id="preempted"),
        pytest.param(("True", "EvictionByEvictionAPI"), False, id="evicted otherwise"),
        pytest.param(("False", "PreemptionByScheduler"), False, id="not any more"),
    ],
)
def test_while_a_preempted_pod_ends_on_the_nominated_node_no_more_pods_go(ending: tuple[str, str], waits: bool) -> None:
    condition = PodCondition(type="DisruptionTarget", status=ending[0], reason=ending[1])
    gone = running("gone", 1, "4").terminating().status(conditions=(condition,))
    here = cluster(N1, node("n2").cpu("4"), gone, running("b", 1, "4", on="n2"))
    decision = attempt(here, vip("4").status(nominated_node_name="n1"))
    assert (decision.preemption is None) is waits
    if waits:
        assert decision.message == (
            "0/2 nodes are available: 2 Insufficient cpu."
            " preemption: not eligible due to a terminating pod on the nominated node."
        )
        assert decision.nomination is None, "the nomination stays"


def test_a_nominated_node_that_fewer_pods_would_not_help_does_not_keep_the_pod_waiting() -> None:
    condition = PodCondition(type="DisruptionTarget", status="True", reason="PreemptionByScheduler")
    gone = running("gone", 1, "4").terminating().status(conditions=(condition,))
    here = cluster(N1.taint("new"), node("n2").cpu("4"), gone, running("b", 1, "4", on="n2"))
    assert victims(attempt(here, vip("4").status(nominated_node_name="n1"))) == ["b"]


def test_a_nomination_that_the_status_does_not_show_yet_counts() -> None:
    condition = PodCondition(type="DisruptionTarget", status="True", reason="PreemptionByScheduler")
    gone = running("gone", 1, "4").terminating().status(conditions=(condition,))
    nominator = Nominator()
    nominator.nominate(vip("4").info(), "n1")
    assert attempt(cluster(N1, gone), vip("4"), nominator=nominator).preemption is None


@pytest.mark.parametrize(
    ("share", "number", "nodes", "wanted"),
    [(10, 100, 5, 5), (10, 100, 100, 100), (10, 100, 150, 100), (10, 100, 5000, 500), (0, 3, 10, 3), (33, 0, 10, 3)],
)
def test_how_many_candidates_are_enough(share: int, number: int, nodes: int, wanted: int) -> None:
    settings = PreemptionEntry(min_candidate_nodes_percentage=share, min_candidate_nodes_absolute=number)
    assert candidates_wanted(settings, nodes) == wanted


def test_the_search_goes_on_until_a_candidate_violates_no_budget() -> None:
    settings = PreemptionEntry(min_candidate_nodes_percentage=0, min_candidate_nodes_absolute=1)
    nodes = [node(f"n{number}").cpu("4") for number in range(8)]
    pods = [running(f"p{number}", 1, "4", on=f"n{number}").label("app", "db") for number in range(7)]
    here = cluster(*nodes, *pods, running("plain", 1, "4", on="n7"))
    assert len(candidates_on(here, vip("4").info(), settings).candidates) == 1
    here.upsert_disruption_budget(budget("db", allowed=0, app="db"))
    for seed in range(8):
        found = candidates_on(here, vip("4").info(), settings, seed).candidates
        assert found[-1].node == "n7"
        assert all(one.violations for one in found[:-1])


def test_the_columns_are_as_they_were_after_a_decision() -> None:
    here = cluster(*FULL)
    before = here.requested("cpu").copy(), here.pod_count().copy()
    attempt(here, vip("4"))
    assert np.array_equal(here.requested("cpu"), before[0])
    assert np.array_equal(here.pod_count(), before[1])
    assert len(here.pods_on(row(here, "n1"))) == 3
