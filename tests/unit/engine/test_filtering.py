"""Who may run where: order of predicates, refusals before any node is looked at, the pool, rules that fail."""

# Rules written by hand need not read everything that the protocol gives them.
# ruff: noqa: ARG002

import numpy as np
import pytest
from tests.unit.engine.worlds import Fit, Prefilter, Refuse, cluster, decide, laid_open, policy

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.rule_error import RuleError
from pointsman.engine.cycle.search import POOL_REJECTOR
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import SKIP, PredicateBase, Reject
from pointsman.policy.view import BoolArray, ClusterView, Rows
from pointsman.testing.builders import node, pod

POD = pod("p").container(cpu="1").info()


def three_nodes() -> Cluster:
    return cluster(node("n1"), node("n2"), node("n3"))


def test_a_node_falls_to_the_first_predicate_that_refuses_it() -> None:
    first = Refuse("First", {"n1": ("first",), "n2": ("first",)})
    second = Refuse("Second", {"n2": ("second",), "n3": ("second",)})
    decision = decide(three_nodes(), POD, policy(first, second))
    assert decision.row is None
    assert decision.message == "0/3 nodes are available: 1 second, 2 first."
    assert decision.reasons == ("first", "second")
    assert decision.rejectors == {"First", "Second"}
    assert (decision.feasible, decision.evaluated) == (0, 3)


def test_a_predicate_that_refused_nobody_is_no_rejector() -> None:
    never = Refuse("Never", {})
    everywhere = Refuse("Everywhere", dict.fromkeys(("n1", "n2", "n3"), ("no",)))
    assert decide(three_nodes(), POD, policy(never, everywhere)).rejectors == {"Everywhere"}


class Closed(PredicateBase[None]):
    """Refuses every node, always for one reason."""

    name = "Closed"
    wakes_on = Fit.wakes_on
    reads = Fit.reads
    reason = "closed"

    def prepare(self, pod: PodInfo, view: ClusterView) -> None:
        return None

    def feasible(self, state: None, rows: Rows) -> BoolArray:
        return np.zeros(len(rows), np.bool_)


def test_a_predicate_with_one_reason_need_only_name_it() -> None:
    rules = policy(Closed())
    assert decide(three_nodes(), POD, rules).message == "0/3 nodes are available: 3 closed."
    assert laid_open(three_nodes(), POD, rules).refused["n2"].reasons == ("closed",)


def test_the_only_node_that_fits_is_taken() -> None:
    decision = decide(three_nodes(), POD, policy(Refuse("R", {"n1": ("no",), "n3": ("no",)})))
    assert (decision.node, decision.feasible, decision.evaluated) == ("n2", 1, 3)
    assert (decision.message, decision.rejectors) == ("", frozenset())


def test_a_predicate_that_skips_is_not_asked_again() -> None:
    assert decide(three_nodes(), POD, policy(Prefilter("S", SKIP))).feasible == 3


def test_a_refusal_that_nothing_can_mend_ends_the_cycle_at_once() -> None:
    later = Prefilter("Later")
    rules = policy(Prefilter("Soft", Reject(("soft",), resolvable=True)), Prefilter("Hard", Reject(("hard",))), later)
    decision = decide(three_nodes(), POD, rules)
    assert decision.message == "0/3 nodes are available: hard."
    assert decision.reasons == ("hard",)
    assert decision.rejectors == {"Hard"}
    assert (decision.evaluated, later.asked) == (0, 0)


def test_of_the_refusals_that_preemption_could_mend_the_last_is_told() -> None:
    later = Prefilter("Later")
    rules = policy(
        Prefilter("One", Reject(("one", "more"), resolvable=True)),
        Prefilter("Two", Reject(("two",), resolvable=True)),
        later,
    )
    decision = decide(three_nodes(), POD, rules)
    assert decision.message == "0/3 nodes are available: two."
    assert decision.rejectors == {"Two"}
    assert later.asked == 1, "the others still prepare"


def test_nodes_that_a_predicate_does_not_name_count_with_its_name() -> None:
    rules = policy(Prefilter("NodeAffinity", only=frozenset({"n1", "gone"})), Refuse("R", {"n1": ("no",)}))
    decision = decide(three_nodes(), POD, rules)
    assert decision.message == "0/3 nodes are available: 1 no, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    assert decision.rejectors == {"NodeAffinity", "R"}
    assert decision.evaluated == 1


def test_two_predicates_that_name_nodes_must_agree_on_one() -> None:
    one, two = Prefilter("B", only=frozenset({"n1", "n2"})), Prefilter("A", only=frozenset({"n2", "n3"}))
    assert decide(three_nodes(), POD, policy(one, two)).node == "n2"


def test_names_without_a_node_in_common_refuse_the_pod() -> None:
    one, two = Prefilter("B", only=frozenset({"n1"})), Prefilter("A", only=frozenset({"n2"}))
    decision = decide(three_nodes(), POD, policy(one, two))
    assert decision.message == ("0/3 nodes are available: node(s) didn't satisfy plugin(s) [A B] simultaneously.")
    assert decision.rejectors == {"A", "B"}
    alone = decide(three_nodes(), POD, policy(Prefilter("B", only=frozenset())))
    assert alone.message == "0/3 nodes are available: node(s) didn't satisfy plugin B."


def test_nodes_outside_the_pool_are_neither_asked_nor_chosen_but_counted() -> None:
    world = cluster(node("n1").label("pool", "ml"), node("n2"), node("n3"))
    rules = policy(Refuse("R", {"n1": ("no",)}))
    decision = decide(world, POD, rules, pool=lambda labels: labels.get("pool") == "ml")
    assert decision.message == "0/3 nodes are available: 1 no, 2 node(s) outside the node pool."
    assert decision.rejectors == {"R", POOL_REJECTOR}
    assert decision.evaluated == 1


def test_an_empty_pool_is_told_as_such() -> None:
    decision = decide(three_nodes(), POD, policy(Fit()), pool=lambda _: False)
    assert decision.message == "0/3 nodes are available: 3 node(s) outside the node pool."
    assert decision.rejectors == {POOL_REJECTOR}


def test_nodes_left_out_by_name_are_counted_among_those_in_the_pool() -> None:
    world = cluster(*(node(f"n{number}").label("pool", "ml" if number < 3 else "") for number in range(1, 6)))
    rules = policy(Prefilter("NodeAffinity", only=frozenset({"n1", "n5"})), Refuse("R", {"n1": ("no",)}))
    decision = decide(world, POD, rules, pool=lambda labels: labels.get("pool") == "ml")
    assert decision.message == (
        "0/5 nodes are available: 1 no, 1 node(s) didn't satisfy plugin(s) [NodeAffinity], "
        "3 node(s) outside the node pool."
    )


class Broken(Refuse):
    """Fails in one of its steps."""

    def __init__(self, step: str) -> None:
        super().__init__("Broken", dict.fromkeys(("n1", "n2", "n3"), ("no",)))
        self._step = step

    def prepare(self, pod: PodInfo, view: ClusterView) -> ClusterView:
        self._fail("prepare")
        return view

    def feasible(self, state: ClusterView, rows: Rows) -> BoolArray:
        self._fail("feasible")
        return super().feasible(state, rows)

    def reasons(self, state: ClusterView, row: int) -> tuple[str, ...]:
        self._fail("reasons")
        return super().reasons(state, row)

    def _fail(self, step: str) -> None:
        if step == self._step:
            raise KeyError("rack")


@pytest.mark.parametrize("step", ["prepare", "feasible", "reasons"])
def test_a_rule_that_fails_is_named(step: str) -> None:
    with pytest.raises(RuleError, match=r"rule Broken failed: KeyError: 'rack'") as failure:
        decide(three_nodes(), POD, policy(Broken(step)))
    assert failure.value.rule == "Broken"
    assert isinstance(failure.value.original, KeyError)


def test_explaining_names_for_each_node_who_refused_it_and_why() -> None:
    rules = policy(Refuse("R", {"n1": ("a", "b")}), Fit())
    world = cluster(node("n1"), node("n2").cpu("500m"), node("n3"))
    told = laid_open(world, POD, rules)
    assert {name: (one.predicate, one.reasons) for name, one in told.refused.items()} == {
        "n1": ("R", ("a", "b")),
        "n2": ("Fit", ("Insufficient cpu",)),
    }
    assert set(told.scored) == told.best == {"n3"}
    assert told.message == ""


def test_explaining_a_pod_that_fits_nowhere_gives_the_message_of_the_decision() -> None:
    rules = policy(Refuse("R", dict.fromkeys(("n1", "n2", "n3"), ("no",))))
    told = laid_open(three_nodes(), POD, rules)
    assert told.message == "0/3 nodes are available: 3 no."
    assert (told.scored, told.best) == ({}, frozenset())


def test_an_explanation_can_ask_every_predicate_although_one_has_refused() -> None:
    first = Refuse("First", {"n1": ("first",), "n2": ("first",)})
    second = Refuse("Second", {"n2": ("second", "twice"), "n3": ("second",)})
    rules = policy(first, second)
    told = laid_open(three_nodes(), POD, rules, every_predicate=True)
    assert {name: (one.predicate, one.also) for name, one in told.refused.items()} == {
        "n1": ("First", {}),
        "n2": ("First", {"Second": ("second", "twice")}),
        "n3": ("Second", {}),
    }
    assert told.message == laid_open(three_nodes(), POD, rules).message
    assert not any(one.also for one in laid_open(three_nodes(), POD, rules).refused.values())
