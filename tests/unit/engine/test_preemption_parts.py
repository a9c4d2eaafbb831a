"""The steps of preemption one by one: budgets, the choice among nodes, and the columns that rule nodes out at once."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engine.preempting import attempt, budget, candidates_on, policy, running, vip
from tests.unit.engine.worlds import cluster, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.preemption.budgets import split_by_budget
from pointsman.engine.preemption.choosing import choose, least_harmful
from pointsman.engine.preemption.victims import Candidate, victims_on
from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.kube.policy_objects import PodDisruptionBudget, PodDisruptionBudgetSpec
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod, term


def candidate(name: str, *priorities: int, violations: int = 0, started: tuple[str, ...] = ()) -> Candidate:
    """Victims by priority, the most important first; `started` are their start times, all equal if not given."""
    times = started or ("2026-01-01T00:00:00Z",) * len(priorities)
    pods = (
        running(f"{name}-{place}", priority, started=time).info()
        for place, (priority, time) in enumerate(zip(priorities, times, strict=True))
    )
    return Candidate(0, name, tuple(pods), violations)


EARLY, LATE = "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"


@pytest.mark.parametrize(
    ("candidates", "best"),
    [
        pytest.param([candidate("a", 10, 0), candidate("b", 5, 5, 5)], ["b"], id="14.12: lower highest priority"),
        # 5 + 2^31 against 5 - 100 + 2 * 2^31
        pytest.param([candidate("c", 5), candidate("d", 5, -100)], ["c"], id="14.12: smaller sum"),
        pytest.param([candidate("a", 90, violations=0), candidate("b", 1, violations=1)], ["a"], id="fewer violations"),
        pytest.param([candidate("a", 5, 5), candidate("b", 5)], ["b"], id="fewer victims"),
        pytest.param([candidate("a", -5, -5), candidate("b", -5)], ["b"], id="fewer victims of negative priority"),
        pytest.param(
            [candidate("a", 5, started=(EARLY,)), candidate("b", 5, started=(LATE,))], ["b"], id="started later"
        ),
        pytest.param(
            [candidate("a", 5, started=(LATE,)), candidate("b", 5, started=("",))], ["b"], id="not started yet"
        ),
        pytest.param(
            [candidate("a", 5, 4, started=(LATE, EARLY)), candidate("b", 5, 4, started=(EARLY, LATE))],
            ["a"],
            id="only start times of the highest priority count",
        ),
        pytest.param(
            [candidate("a", 5, 5, started=(LATE, EARLY)), candidate("b", 5, 5, started=(LATE, LATE))],
            ["b"],
            id="the earliest of them counts",
        ),
        pytest.param([candidate("a", 5), candidate("b", 5), candidate("c", 6)], ["a", "b"], id="equal"),
    ],
)
def test_the_least_harmful_nodes(candidates: list[Candidate], best: list[str]) -> None:
    assert [one.node for one in least_harmful(candidates)] == best


def test_every_one_of_equal_candidates_is_drawn() -> None:
    rng = random.Random(1)
    equal = [candidate(name, 5) for name in ("a", "b", "c")]
    assert {choose(equal, rng).node for _ in range(60)} == {"a", "b", "c"}


def labelled(name: str, namespace: str = "default", **labels: str) -> PodBuilder:
    return pod(name, namespace).metadata(labels=labels)


@pytest.mark.parametrize(
    ("budgets", "pods", "violating"),
    [
        pytest.param([budget("b", 1, a="x")], [labelled("p", a="x"), labelled("q", a="x")], ["q"], id="the second"),
        pytest.param([budget("b", 0, a="x")], [labelled("p", a="y"), labelled("q")], [], id="others"),
        pytest.param([budget("b", 0, namespace="far", a="x")], [labelled("p", a="x")], [], id="another namespace"),
        pytest.param([budget("b", 0)], [labelled("p", a="x")], [], id="an empty selector matches nothing"),
        pytest.param(
            [budget("b", 0, disrupted=("p",), a="x")],
            [labelled("p", a="x"), labelled("q", a="x")],
            ["q"],
            id="already counted by the API server",
        ),
        pytest.param(
            [budget("b", 2, a="x"), budget("c", 1, b="x")],
            [labelled("p", a="x", b="x"), labelled("q", a="x", b="x"), labelled("r", a="x")],
            ["q", "r"],
            id="q uses up both budgets although c forbids it",
        ),
    ],
)
def test_whose_eviction_violates_a_budget(
    budgets: list[PodDisruptionBudget], pods: list[PodBuilder], violating: list[str]
) -> None:
    here = Cluster()
    for one in budgets:
        here.upsert_disruption_budget(one)
    infos = [one.info() for one in pods]
    found, others = split_by_budget(infos, here)
    assert [one.name for one in found] == violating
    assert [one.name for one in others] == [one.name for one in infos if one.name not in violating]


def test_a_budget_without_a_selector_protects_nobody() -> None:
    here = Cluster()
    here.upsert_disruption_budget(PodDisruptionBudget(metadata=budget("b", 0).metadata))
    assert split_by_budget([labelled("p", a="x").info()], here)[0] == []


def test_a_malformed_budget_protects_nobody_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    here = Cluster()
    wrong = LabelSelector(match_expressions=(Requirement(key="a", operator="Like", values=("x",)),))
    broken = PodDisruptionBudget(metadata=budget("b", 0).metadata, spec=PodDisruptionBudgetSpec(selector=wrong))
    for _ in range(3):
        here.upsert_disruption_budget(broken)
    assert split_by_budget([labelled("p", a="x").info()], here)[0] == []
    (told,) = caplog.messages
    assert told == (
        "PodDisruptionBudget default/b protects no pod: spec.selector: matchExpressions[0].operator:"
        ' "Like" is not one of In, NotIn, Exists, DoesNotExist'
    )


def test_what_pods_below_a_priority_hold_follows_every_event() -> None:
    here = cluster(node("n1"), running("a", 1, "1"), running("b", 5, "2"), running("c", 9, "4"))
    at = row(here, "n1")
    assert (here.pods_below(6).pods[at], here.pods_below(6).usage("cpu")[at]) == (2, 3000)
    here.upsert_pod(running("b", 5, "3").info())
    assert here.pods_below(6).usage("cpu")[at] == 4000
    here.remove_pod("pod-default-a")
    assert (here.pods_below(6).pods[at], here.pods_below(5).pods[at]) == (1, 0)
    for number in range(200):
        here.upsert_node(node(f"more-{number}").build())
    assert here.pods_below(100).usage("cpu")[row(here, "n1")] == 7000
    here.remove_node("n1")
    assert here.pods_below(100).pods.sum() == 0


nodes = st.builds(lambda cpu, pods, taint: (cpu, pods, taint), st.integers(1, 6), st.integers(1, 5), st.booleans())
pods = st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3))


@settings(max_examples=60, deadline=None)
@given(st.lists(nodes, min_size=1, max_size=5), st.lists(pods, max_size=12), st.integers(1, 6), st.integers(0, 4))
def test_ruling_nodes_out_at_once_changes_neither_candidates_nor_words(
    machines: list[tuple[int, int, bool]], placed: list[tuple[int, int, int]], cpu: int, priority: int
) -> None:
    here = cluster(*(_machine(f"n{place}", *one) for place, one in enumerate(machines)))
    for place, (where, of_priority, size) in enumerate(placed):
        here.upsert_pod(running(f"p{place}", of_priority, str(size), on=f"n{where}").info())
    preemptor = vip(str(cpu), priority).require(term(("new", "DoesNotExist"))).info()
    candidates = here.pool(None).candidates
    looked = search(policy(), preemptor, here, candidates, Nominator())
    if len(looked.feasible):
        return
    found = candidates_on(here, preemptor)
    expected, reasons = [], Counter[str]()
    for at in looked.resolvable(candidates).tolist():
        if not any(other.priority < priority for other in here.pods_on(at)):
            reasons[fit_error.NO_VICTIMS] += 1
            continue
        outcome = victims_on(at, preemptor, looked.prepared, (), here)
        if isinstance(outcome, Candidate):
            expected.append(outcome)
        else:
            reasons.update(outcome)
    assert sorted(found.candidates) == sorted(expected)
    assert found.reasons == reasons
    for one in found.candidates:
        _is_minimal(here, one, cpu)


def _machine(name: str, cpu: int, pods: int, taint: bool) -> NodeBuilder:
    built = node(name).cpu(str(cpu)).pods(pods)
    return built.taint("x") if taint else built


def _is_minimal(here: Cluster, chosen: Candidate, cpu: int) -> None:
    """Without its victims the node has room, and with any one of them back it has not."""
    at = chosen.row
    gone = {victim.uid: victim.usage.get("cpu", 0) for victim in chosen.victims}
    free = here.allocatable("cpu")[at] - here.requested("cpu")[at] + sum(gone.values()) - cpu * 1000
    places = here.allowed_pods()[at] - here.pod_count()[at] + len(gone) - 1
    assert free >= 0
    assert places >= 0
    assert all(amount > free or places == 0 for amount in gone.values())


# What kube-scheduler 1.36.3 said on this cluster, word for word: of 4 cpu on n1 low takes 2 and top 1; n2 is tainted.
FIRST = "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s)."
CLAIMS = "no new claims to deallocate, preemption:"
HELPLESS = "2 Preemption is not helpful for scheduling."


@pytest.mark.parametrize(
    ("asking", "message"),
    [
        pytest.param(
            vip("2", 10),
            f"{FIRST} {CLAIMS} 0/2 nodes are available: 1 No preemption victims found for incoming pod,"
            " 1 Preemption is not helpful for scheduling.",
            id="equal priority",
        ),
        pytest.param(
            vip("5", 1000), f"{FIRST} {CLAIMS} 0/2 nodes are available: {HELPLESS}", id="larger than the node"
        ),
        pytest.param(
            vip("4", 1000),
            f"{FIRST} {CLAIMS} 0/2 nodes are available: 1 Insufficient cpu,"
            " 1 Preemption is not helpful for scheduling.",
            id="not enough below",
        ),
        pytest.param(
            vip("3", 1000).spec(preemption_policy="Never"),
            f"{FIRST} {CLAIMS} not eligible due to preemptionPolicy=Never.",
            id="never",
        ),
        pytest.param(
            vip("1", 1000).select("a", "b"),
            "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated"
            f" taint(s). {CLAIMS} 0/2 nodes are available: {HELPLESS}",
            id="selector",
        ),
        pytest.param(
            vip("1", 1000).require(term(fields=(("metadata.name", "In", "nx"),))),
            "0/2 nodes are available: 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
            f" {CLAIMS} 0/2 nodes are available: {HELPLESS}",
            id="pinned to a node that is not there",
        ),
        pytest.param(vip("3", 1000), FIRST, id="preempts"),
    ],
)
def test_the_messages_are_those_of_the_real_scheduler(asking: PodBuilder, message: str) -> None:
    here = cluster(
        node("n1").cpu("4"), node("n2").cpu("4").taint("x"), running("low", 10, "2"), running("top", 1000, "1")
    )
    assert attempt(here, asking, policy(claims=True)).message == message
