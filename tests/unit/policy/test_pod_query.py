"""Selectors and questions about pods as values: what they match, how they combine, when they are the same."""

import pytest

from pointsman.kube.objects import LabelSelector
from pointsman.policy.pod_query import NOTHING, PodGroup, PodQuery, Selector, selector_of
from pointsman.policy.selectors import SelectorError
from pointsman.testing.builders import asks

WEB = selector_of(asks(app="web"))


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        pytest.param(None, False, id="none matches nothing"),
        pytest.param(asks(), True, id="an empty one matches everything"),
        pytest.param(asks(app="web"), True, id="equal"),
        pytest.param(asks(app="db"), False, id="not equal"),
        pytest.param(asks(("app", "In", "db", "web"), tier="x"), True, id="all of several"),
        pytest.param(asks(("app", "NotIn", "web")), False, id="excluded"),
        pytest.param(asks(("other", "NotIn", "web")), True, id="excluded, of a label that is absent"),
        pytest.param(asks(("app", "Exists"), ("other", "DoesNotExist")), True, id="there and not there"),
    ],
)
def test_a_selector_from_the_wire_matches_as_kubernetes_says(selector: LabelSelector | None, matches: bool) -> None:
    made = selector_of(selector)
    assert made.matches({"app": "web", "tier": "x"}) is matches
    assert made.matches({"app": "web", "tier": "x"}) is matches  # the second time from what the first has made


@pytest.mark.parametrize(
    "selector",
    [
        pytest.param(asks(("app", "Near", "x")), id="operator"),
        pytest.param(asks(("app", "In")), id="no values"),
        pytest.param(LabelSelector(match_labels={"not a key": "x"}), id="key"),
        pytest.param(LabelSelector(match_labels={"app": "not a value!"}), id="value"),
    ],
)
def test_a_selector_that_cannot_be_read_is_refused(selector: LabelSelector) -> None:
    with pytest.raises(SelectorError):
        selector_of(selector)


def test_selectors_that_ask_for_the_same_are_the_same() -> None:
    one = selector_of(asks(("app", "In", "b", "a"), tier="x"))
    other = selector_of(asks(("tier", "In", "x", "x"), ("app", "In", "a", "b", "a")))
    one.matches({})
    assert one == other
    assert hash(one) == hash(other)


def test_both_ask_for_all_that_either_asks_for() -> None:
    assert WEB.both(selector_of(asks(tier="x"))) == selector_of(asks(app="web", tier="x"))
    assert WEB.both(WEB) == WEB
    assert not WEB.both(NOTHING).matches({"app": "web"})
    assert WEB.also({"tier": "x"}) == selector_of(asks(app="web", tier="x"))
    assert not NOTHING.also({"app": "web"}).matches({"app": "web"})


def test_labels_can_be_left_out() -> None:
    assert selector_of(asks(app="web", tier="x")).without(["tier", "other"]) == WEB


@pytest.mark.parametrize(
    ("selector", "demanded"),
    [
        pytest.param(asks(app="web"), ("app", ("web",)), id="a value"),
        pytest.param(asks(("app", "In", "b", "a")), ("app", ("a", "b")), id="values"),
        pytest.param(asks(("app", "In", "b", "b")), ("app", ("b",)), id="a value that is given twice"),
        pytest.param(asks(("app", "Exists"), ("tier", "NotIn", "x")), None, id="no value in particular"),
        pytest.param(asks(), None, id="nothing"),
    ],
)
def test_a_label_that_every_match_has_is_told(
    selector: LabelSelector, demanded: tuple[str, tuple[str, ...]] | None
) -> None:
    assert selector_of(selector).demanded() == demanded


@pytest.mark.parametrize(
    ("query", "namespace", "terminating", "counts"),
    [
        pytest.param(PodQuery((PodGroup(None, WEB),)), "any", True, True, id="any namespace, being deleted or not"),
        pytest.param(PodQuery((PodGroup(None, WEB),), terminating=False), "any", True, False, id="being deleted"),
        pytest.param(PodQuery((PodGroup(frozenset({"a", "b"}), WEB),)), "b", False, True, id="one of the namespaces"),
        pytest.param(PodQuery((PodGroup(frozenset({"a", "b"}), WEB),)), "c", False, False, id="another namespace"),
        pytest.param(
            PodQuery((PodGroup(frozenset({"a", "b"}), WEB), PodGroup(frozenset({"b", "c"}), Selector()))),
            "a",
            False,
            False,
            id="in one group but not in the other",
        ),
        pytest.param(PodQuery(()), "any", False, True, id="no groups: every pod"),
    ],
)
def test_a_query_counts_pods_that_are_in_every_group(
    query: PodQuery, namespace: str, terminating: bool, counts: bool
) -> None:
    labels = {"app": "web"}
    assert query.counts(namespace, labels, terminating=terminating) is counts
    named = query.namespaces is None or namespace in query.namespaces
    assert (named and query.selector.matches(labels) and (query.terminating or not terminating)) is counts
