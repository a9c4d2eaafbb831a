"""Label selectors and the tests that they are made of."""

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView

from pointsman.kube.objects import LabelSelector, Node, NodeSelectorTerm, Requirement
from pointsman.policy.node_selectors import bind_terms, compile_terms, match_any
from pointsman.policy.selectors import SelectorError, label_matcher, parse_int64
from pointsman.testing.builders import node, term

GENERATIONS = {"a": "7", "b": "10", "c": "abc", "d": None}


def requirement(key: str, operator: str, *values: str) -> Requirement:
    return Requirement(key=key, operator=operator, values=values)


def matching_names(view: HandView, *terms: NodeSelectorTerm) -> str:
    answer = match_any(bind_terms(compile_terms(terms), view), view.rows)
    return "".join(view.node_name(row) for row in view.rows[answer].tolist())


@pytest.mark.parametrize(
    ("operator", "values", "names"),
    [
        ("Gt", ["7"], "b"),
        ("Gt", ["6"], "ab"),
        ("Lt", ["10"], "a"),
        ("NotIn", ["7"], "bcd"),
        ("DoesNotExist", [], "d"),
        ("Exists", [], "abc"),
        ("In", ["7", "10"], "ab"),
        ("Gt", ["abc"], ""),
        ("Gt", ["1", "2"], ""),
        ("In", [], ""),
        ("NotIn", [], ""),
        ("Exists", ["7"], ""),
        ("In", ["7", "-not a value-"], ""),
        ("in", ["7"], ""),
    ],
)
def test_operators_on_labels_of_nodes(operator: str, values: list[str], names: str) -> None:
    # C41: numbers compare as numbers, a missing label matches NotIn, what cannot be parsed matches nothing
    nodes = [node(name) if gen is None else node(name).label("gen", gen) for name, gen in GENERATIONS.items()]
    view = HandView([builder.build() for builder in nodes])
    assert matching_names(view, term(("gen", operator, *values))) == names


def test_an_invalid_label_key_makes_a_term_match_nothing() -> None:
    view = HandView([node("a").build()])
    assert matching_names(view, term(("no key", "DoesNotExist"))) == ""
    assert matching_names(view, term(("key", "DoesNotExist"))) == "a"


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ([("metadata.name", "In", "a")], "a"),
        ([("metadata.name", "NotIn", "a")], "b"),
        ([("metadata.name", "In", "a"), ("metadata.name", "In", "b")], ""),
        ([("metadata.name", "In", "nobody")], ""),
        ([("metadata.name", "NotIn", "nobody")], "ab"),
        ([("metadata.name", "In", "a", "b")], ""),
        ([("metadata.name", "Exists")], ""),
        ([("spec.other", "In", "a")], ""),
        ([("spec.other", "In", "")], "ab"),
        ([("spec.other", "NotIn", "a")], "ab"),
    ],
)
def test_operators_on_the_name_of_nodes(fields: list[tuple[str, ...]], names: str) -> None:
    view = HandView([node("a").build(), node("b").build()])
    assert matching_names(view, term(fields=fields)) == names


def test_terms_are_alternatives_and_empty_terms_are_left_out() -> None:
    view = HandView([node("a").label("x", "1").build(), node("b").label("x", "2").build(), node("c").build()])
    assert matching_names(view, term(("x", "In", "1")), term(("x", "In", "2"))) == "ab"
    assert matching_names(view, term(), term(("x", "In", "2"))) == "b"
    assert matching_names(view, term()) == ""
    assert matching_names(view) == ""


@pytest.mark.parametrize(
    ("selector", "labels", "matches"),
    [
        pytest.param(LabelSelector(), {}, True, id="empty matches all"),
        pytest.param(LabelSelector(match_labels={"a": "1"}), {"a": "1", "b": "2"}, True, id="equal"),
        pytest.param(LabelSelector(match_labels={"a": "1"}), {"a": "2"}, False, id="unequal"),
        pytest.param(LabelSelector(match_labels={"a": ""}), {}, False, id="absent is not empty"),
        pytest.param(LabelSelector(match_expressions=(requirement("a", "NotIn", "1"),)), {}, True, id="NotIn absent"),
        pytest.param(
            LabelSelector(match_labels={"a": "1"}, match_expressions=(requirement("b", "Exists"),)),
            {"a": "1"},
            False,
            id="all must hold",
        ),
    ],
)
def test_label_selectors_match_maps(selector: LabelSelector, labels: Mapping[str, str], matches: bool) -> None:
    assert label_matcher(selector)(labels) is matches


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (
            LabelSelector(match_expressions=(requirement("a", "Exists"), requirement("a", "Gt", "1"))),
            'matchExpressions[1].operator: "Gt" is not one of In, NotIn, Exists, DoesNotExist',
        ),
        (
            LabelSelector(match_expressions=(requirement("a b", "Exists"),)),
            'matchExpressions[0].key: "a b" is not a valid label key',
        ),
        (
            LabelSelector(match_expressions=(requirement("a", "In"),)),
            "matchExpressions[0].values: must not be empty for In",
        ),
        (LabelSelector(match_labels={"a": "b c"}), 'matchLabels[a]: "b c" is not a valid label value'),
    ],
)
def test_a_bad_label_selector_names_its_field(selector: LabelSelector, message: str) -> None:
    with pytest.raises(SelectorError) as raised:
        label_matcher(selector)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("+7", 7),
        ("-7", -7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", None),
        ("1e3", None),
        ("1_000", None),
        (" 1", None),
        ("\u0667", None),
        ("", None),
        ("0" * 5000 + "1", 1),
        ("1" * 5000, None),
    ],
)
def test_numbers_are_read_like_gos(text: str, number: int | None) -> None:
    assert parse_int64(text) == number


@few_worlds
@given(clusters.node_lists(), st.lists(clusters.terms, max_size=3))
def test_one_node_is_matched_like_a_column_of_them(nodes: tuple[Node, ...], terms: list[NodeSelectorTerm]) -> None:
    view = HandView(nodes)
    compiled = compile_terms(terms)
    column = match_any(bind_terms(compiled, view), view.rows)
    single = [any(alternative.matches(view, row) for alternative in compiled) for row in view.rows.tolist()]
    np.testing.assert_array_equal(column, single)
