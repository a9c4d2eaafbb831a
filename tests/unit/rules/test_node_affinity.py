"""NodeAffinity: nodeSelector, required and preferred terms, and what the profile adds."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, feasible, raw_scores, reasons, scores

from pointsman.kube.objects import Node, NodeSelectorTerm, Pod, Requirement
from pointsman.policy.node_affinity_args import NodeAffinityArgs
from pointsman.policy.predicates.node_affinity import NodeAffinity, State
from pointsman.policy.priorities.node_affinity import NodeAffinity as NodeAffinityPriority
from pointsman.policy.rule import SKIP, Reject
from pointsman.testing.builders import PodBuilder, node, pod, term

PREDICATE = NodeAffinity("NodeAffinity", NodeAffinityArgs())
PRIORITY = NodeAffinityPriority("NodeAffinity", NodeAffinityArgs())
OWN = ("node(s) didn't match Pod's node affinity/selector",)
ENFORCED = ("node(s) didn't match scheduler-enforced node affinity",)


def named(*names: str) -> NodeSelectorTerm:
    return term(fields=[("metadata.name", "In", name) for name in names])


def added(**affinity: Any) -> NodeAffinityArgs:
    return NodeAffinityArgs.model_validate({"addedAffinity": affinity})


def enforcing(key: str, value: str) -> NodeAffinityArgs:
    expression = {"key": key, "operator": "In", "values": [value]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
    return added(requiredDuringSchedulingIgnoredDuringExecution=terms)


@pytest.fixture
def view() -> HandView:
    return HandView([node("node1").build(), node("node2").label("foo", "bar").build()])


def narrowed(builder: PodBuilder, view: HandView) -> set[str] | None:
    state = PREDICATE.prepare(builder.info(), view)
    assert isinstance(state, State)
    names = PREDICATE.narrows(state)
    return None if names is None else set(names)


def test_terms_are_alternatives_and_parts_of_a_term_hold_together(view: HandView) -> None:
    # C40 run1: the first term contradicts itself, the second allows node2
    builder = pod("p").require(named("node1", "node2"), term(("foo", "In", "bar")))
    assert feasible(PREDICATE, view, builder.info()) == ["node2"]
    assert narrowed(builder, view) is None


def test_terms_that_name_nodes_narrow_the_search(view: HandView) -> None:
    # C40 run2
    builder = pod("p").require(named("node1"), named("node2"))
    assert feasible(PREDICATE, view, builder.info()) == ["node1", "node2"]
    assert narrowed(builder, view) == {"node1", "node2"}


def test_a_term_that_names_a_node_and_asks_for_a_label_wants_both(view: HandView) -> None:
    builder = pod("p").require(term(("foo", "Exists"), fields=[("metadata.name", "In", "node1")]))
    assert feasible(PREDICATE, view, builder.info()) == []
    assert narrowed(builder, view) == {"node1"}


def test_names_that_contradict_each_other_refuse_the_pod_at_once(view: HandView) -> None:
    builder = pod("p").require(named("node1", "node2"))
    assert PREDICATE.prepare(builder.info(), view) == Reject(("pod affinity terms conflict",), resolvable=False)


def test_a_pinned_pod_never_goes_elsewhere() -> None:
    # C43: n2 and n3 are empty and still no choice
    view = HandView([node(name).build() for name in ("n1", "n2", "n3")])
    builder = pod("ds").require(named("n1"))
    assert feasible(PREDICATE, view, builder.info()) == ["n1"]
    assert reasons(PREDICATE, view, builder.info()) == {"n2": OWN, "n3": OWN}


def test_node_selector_and_required_terms_hold_together() -> None:
    view = HandView(
        [
            node("both").label("disk", "ssd").label("zone", "a").build(),
            node("disk").label("disk", "ssd").build(),
            node("zone").label("zone", "a").build(),
        ]
    )
    builder = pod("p").select("disk", "ssd").require(term(("zone", "In", "a")))
    assert feasible(PREDICATE, view, builder.info()) == ["both"]
    assert feasible(PREDICATE, view, pod("p").select("disk", "ssd").info()) == ["both", "disk"]


def test_required_terms_that_are_all_empty_match_nothing(view: HandView) -> None:
    assert feasible(PREDICATE, view, pod("p").require(term()).info()) == []
    assert feasible(PREDICATE, view, pod("p").require().info()) == []


def test_a_pod_without_wishes_is_not_looked_at(view: HandView) -> None:
    assert PREDICATE.prepare(pod("p").info(), view) == SKIP
    assert PRIORITY.prepare(pod("p").info(), view) == SKIP


def test_affinity_that_the_profile_adds_is_checked_first(view: HandView) -> None:
    rule = NodeAffinity("NodeAffinity", enforcing("foo", "bar"))
    assert feasible(rule, view, pod("p").info()) == ["node2"]
    picky = pod("p").select("none", "such").info()
    assert reasons(rule, view, picky) == {"node1": ENFORCED, "node2": OWN}
    state = rule.prepare(picky, view)
    assert isinstance(state, State)
    assert rule.count_reasons(state, view.rows) == {ENFORCED[0]: 1, OWN[0]: 1}


def test_preferred_terms_add_their_weights() -> None:
    view = HandView(
        [
            node("none").build(),
            node("zone").label("zone", "a").build(),
            node("both").label("zone", "a").label("disk", "ssd").build(),
        ]
    )
    builder = pod("p").prefer((1, term(("zone", "In", "a"))), (2, term(("disk", "Exists"))), (50, term()))
    assert raw_scores(PRIORITY, view, builder.info()) == [0, 1, 3]
    assert scores(PRIORITY, view, builder.info()) == [0, 33, 100]


def test_terms_that_the_profile_prefers_add_to_the_pods() -> None:
    preference = {"matchExpressions": [{"key": "zone", "operator": "Exists"}]}
    args = added(preferredDuringSchedulingIgnoredDuringExecution=[{"weight": 7, "preference": preference}])
    rule = NodeAffinityPriority("NodeAffinity", args)
    view = HandView([node("none").build(), node("zone").label("zone", "a").build()])
    assert raw_scores(rule, view, pod("p").info()) == [0, 7]
    assert raw_scores(rule, view, pod("p").prefer((5, term(("zone", "In", "a")))).info()) == [0, 12]


def is_valid(requirement: Requirement) -> bool:
    """Whether labels.NewRequirement takes it; the random world has one bad key and one bad value."""
    values = requirement.values or ()
    counts = {
        "In": bool(values),
        "NotIn": bool(values),
        "Exists": not values,
        "DoesNotExist": not values,
        "Gt": len(values) == 1 and values[0].isdigit(),
        "Lt": len(values) == 1 and values[0].isdigit(),
    }
    return counts.get(requirement.operator, False) and requirement.key != "not a key" and "not a value" not in values


def label_holds(requirement: Requirement, labels: dict[str, str]) -> bool:
    value, values = labels.get(requirement.key), requirement.values or ()
    match requirement.operator:
        case "In":
            return value in values
        case "NotIn":
            return value not in values
        case "Exists":
            return value is not None
        case "DoesNotExist":
            return value is None
        case "Gt":
            return value is not None and value.isdigit() and int(value) > int(values[0])
        case _:
            return value is not None and value.isdigit() and int(value) < int(values[0])


def term_holds(entry: NodeSelectorTerm, target: Node) -> bool:
    if not entry.match_expressions and not entry.match_fields:
        return False
    fields_valid = all(
        field.operator in ("In", "NotIn") and len(field.values or ()) == 1 for field in entry.match_fields
    )
    if not fields_valid or not all(is_valid(requirement) for requirement in entry.match_expressions):
        return False
    labels, known = target.metadata.labels, {"metadata.name": target.metadata.name}
    return all(label_holds(requirement, labels) for requirement in entry.match_expressions) and all(
        (known.get(field.key, "") in (field.values or ())) == (field.operator == "In") for field in entry.match_fields
    )


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    affinity = pending.spec.affinity.node_affinity if pending.spec.affinity else None
    required = affinity.required_during_scheduling_ignored_during_execution if affinity else None
    preferred = affinity.preferred_during_scheduling_ignored_during_execution if affinity else ()
    expected = [
        entry.metadata.name
        for entry in nodes
        if all(entry.metadata.labels.get(key) == value for key, value in pending.spec.node_selector.items())
        and (required is None or any(term_holds(option, entry) for option in required.node_selector_terms))
    ]
    view, info = HandView(nodes, running), PodBuilder(pending).info()
    assert feasible(PREDICATE, view, info) == expected
    raw = [sum(option.weight for option in preferred if term_holds(option.preference, entry)) for entry in nodes]
    assert raw_scores(PRIORITY, view, info) == (raw if preferred else None)
    assert all(0 <= score <= 100 for score in scores(PRIORITY, view, info) or ())


@few_worlds
@given(clusters.worlds())
def test_narrowing_never_hides_a_feasible_node(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    view = HandView(nodes, running)
    state = PREDICATE.prepare(PodBuilder(pending).info(), view)
    if isinstance(state, State) and (names := PREDICATE.narrows(state)) is not None:
        outside = np.array([row for row in view.rows.tolist() if view.node_name(row) not in names], dtype=np.intp)
        assert not PREDICATE.feasible(state, outside).any()
