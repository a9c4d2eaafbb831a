"""Nominations in the cycle: two passes over rows where others are awaited, and the pod's own node first."""

# Rules written by hand need not read everything that the protocol gives them.
# ruff: noqa: ARG002

import numpy as np
import pytest
from tests.unit.engine.worlds import Fit, Points, Prefilter, Refuse, cluster, decide, policy

from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.pod import PodInfo
from pointsman.policy.rule import PredicateBase
from pointsman.policy.view import BoolArray, ClusterView, Pods, Rows
from pointsman.testing.builders import node, pod

POD = pod("p").container(cpu="1").info()
VIP = pod("vip").container(cpu="2").priority(10)
SMALL = node("n1").cpu("2")
THREE = (node("n1"), node("n2"), node("n3"))


class WantsCompany(PredicateBase[dict[int, set[str]]]):
    """Like required affinity: fits only where a pod named `friend` runs."""

    name = "WantsCompany"
    wakes_on = Fit.wakes_on
    reads = Fit.reads

    def prepare(self, pod: PodInfo, view: ClusterView) -> dict[int, set[str]]:
        return {row: {other.name for other in view.pods_on(row)} for row in range(view.capacity)}

    def feasible(self, state: dict[int, set[str]], rows: Rows) -> BoolArray:
        return np.array(["friend" in state[row] for row in rows.tolist()], np.bool_)

    def with_pods(self, state: dict[int, set[str]], row: int, add: Pods, remove: Pods) -> dict[int, set[str]]:
        return {**state, row: state[row] | {pod.name for pod in add}}

    def reasons(self, state: dict[int, set[str]], row: int) -> tuple[str, ...]:
        return ("no friend",)


def only_n1(labels: dict[str, str]) -> bool:
    return labels["kubernetes.io/hostname"] == "n1"


def nominations(*pods: PodInfo, on: str = "n1") -> Nominator:
    nominator = Nominator()
    for info in pods:
        nominator.nominate(info, on)
    return nominator


@pytest.mark.parametrize(
    ("priority", "fits"),
    [
        pytest.param(9, False, id="lower yields"),
        pytest.param(10, False, id="equal yields"),
        pytest.param(11, True, id="higher does not"),
    ],
)
def test_the_room_of_a_nominated_pod_is_kept_from_pods_that_are_not_above_it(priority: int, fits: bool) -> None:
    me = pod("me").container(cpu="1").priority(priority).info()
    decision = decide(cluster(SMALL), me, policy(Fit()), nominator=nominations(VIP.info()))
    assert (decision.node == "n1") is fits
    assert decision.message == ("" if fits else "0/1 nodes are available: 1 Insufficient cpu.")


def test_a_nominated_pod_does_not_stand_in_its_own_way() -> None:
    assert decide(cluster(SMALL), VIP.info(), policy(Fit()), nominator=nominations(VIP.info())).node == "n1"


def test_only_the_nominated_node_is_closed() -> None:
    me = pod("me").container(cpu="1").info()
    world = cluster(SMALL, node("n2").cpu("2"))
    assert decide(world, me, policy(Fit()), nominator=nominations(VIP.info())).node == "n2"


def test_a_node_must_also_fit_without_the_nominated_pods() -> None:
    friend = pod("friend").priority(10).info()
    decision = decide(cluster(SMALL), POD, policy(WantsCompany()), nominator=nominations(friend))
    assert decision.message == "0/1 nodes are available: 1 no friend."


def test_a_refusal_with_the_nominated_pods_comes_first() -> None:
    """With the friend there, company is found and cpu is short; without, company is missing. The first pass counts."""
    friend = pod("friend").container(cpu="2").priority(10).info()
    decision = decide(cluster(SMALL), POD, policy(WantsCompany(), Fit()), nominator=nominations(friend))
    assert decision.message == "0/1 nodes are available: 1 Insufficient cpu."
    assert decision.rejectors == {"Fit"}


def test_nominations_to_nodes_that_are_gone_or_outside_the_pool_do_not_matter() -> None:
    nominator = nominations(VIP.info(), on="gone")
    nominator.nominate(pod("other").priority(10).info(), "n2")
    decision = decide(cluster(*THREE), POD, policy(Fit()), nominator=nominator, pool=only_n1)
    assert decision.node == "n1"


def test_the_pods_own_nominated_node_is_tried_first_and_taken_without_scoring() -> None:
    me = pod("me").status(nominated_node_name="n2").info()
    decision = decide(cluster(*THREE), me, policy(Points("Best", {"n1": 100})))
    assert (decision.node, decision.feasible, decision.evaluated) == ("n2", 1, 1)


@pytest.mark.parametrize("nominated", ["n2", "gone"])
def test_other_nodes_are_searched_when_the_nominated_one_does_not_fit(nominated: str) -> None:
    me = pod("me").status(nominated_node_name=nominated).info()
    decision = decide(cluster(*THREE), me, policy(Refuse("R", {"n2": ("no",)}), Points("Best", {"n1": 100})))
    assert (decision.node, decision.feasible, decision.evaluated) == ("n1", 2, 3)


def test_a_nominated_node_outside_the_pool_is_not_tried() -> None:
    me = pod("me").status(nominated_node_name="n2").info()
    assert decide(cluster(*THREE), me, policy(Fit()), pool=only_n1).node == "n1"


def test_the_nominated_nodes_refusal_counts_though_no_predicate_names_it() -> None:
    me = pod("me").status(nominated_node_name="n2").info()
    rules = policy(Prefilter("NodeAffinity", only=frozenset({"n1"})), Refuse("R", {"n1": ("no",), "n2": ("no",)}))
    decision = decide(cluster(*THREE), me, rules)
    assert decision.message == "0/3 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity R], 2 no."
