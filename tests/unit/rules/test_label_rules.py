"""CheckNodeLabelPresence and LabelPreference: whether nodes have labels, whatever the values; and EqualPriority."""

import numpy as np
import pytest
from pydantic import ValidationError
from tests.unit.rules.view import HandView, feasible, reasons, scores

from pointsman.policy.args import Args
from pointsman.policy.legacy_args import CheckNodeLabelPresenceArgs, LabelPreferenceArgs
from pointsman.policy.predicates.check_node_label_presence import CheckNodeLabelPresence
from pointsman.policy.priorities.equal import EqualPriority
from pointsman.policy.priorities.label_preference import LabelPreference
from pointsman.policy.rule import Change, Happening
from pointsman.testing.builders import node, pod

NODES = [
    node("both").label("rack", "7").label("disk").build(),
    node("rack").label("rack", "7").build(),
    node("disk").label("disk", "ssd").build(),
    node("none").build(),
]
VIEW = HandView(NODES)
PENDING = pod("p").container().info()


def presence(*labels: str, presence: bool) -> CheckNodeLabelPresence:
    return CheckNodeLabelPresence("labels", CheckNodeLabelPresenceArgs(labels=labels, presence=presence))


@pytest.mark.parametrize(
    ("rule", "fitting"),
    [
        pytest.param(presence("rack", presence=True), ["both", "rack"], id="one wanted"),
        pytest.param(presence("rack", "disk", presence=True), ["both"], id="all of them wanted"),
        pytest.param(presence("rack", presence=False), ["disk", "none"], id="one unwanted"),
        pytest.param(presence("rack", "disk", presence=False), ["none"], id="none of them wanted"),
        pytest.param(presence("elsewhere", presence=False), ["both", "rack", "disk", "none"], id="nowhere, unwanted"),
        pytest.param(presence("elsewhere", presence=True), [], id="nowhere, wanted"),
    ],
)
def test_nodes_fit_by_which_labels_they_have(rule: CheckNodeLabelPresence, fitting: list[str]) -> None:
    assert feasible(rule, VIEW, PENDING) == fitting


def test_the_reason_is_kube_schedulers_and_no_preemption_helps() -> None:
    rule = presence("rack", presence=True)
    assert reasons(rule, VIEW, PENDING) == dict.fromkeys(
        ("disk", "none"), ("node(s) didn't have the requested labels",)
    )
    assert not rule.resolvable(rule.prepare(PENDING, VIEW), np.array([3, 4])).any()


@pytest.mark.parametrize(("row", "woken"), [(1, True), (3, False)], ids=["fits now", "still lacks it"])
def test_a_node_wakes_the_pods_that_it_would_take(row: int, woken: bool) -> None:
    wakes = presence("rack", presence=True).wakes_on
    assert wakes.on == Happening.NODE_ADD | Happening.NODE_LABELS | Happening.NODE_TAINTS
    assert wakes.hint is not None
    assert wakes.hint(PENDING, Change(Happening.NODE_LABELS, VIEW, row)) is woken


@pytest.mark.parametrize(
    ("wanted", "expected"), [(True, [100, 100, 0, 0]), (False, [0, 0, 100, 100])], ids=["present", "absent"]
)
def test_a_preferred_label_gives_all_or_nothing(wanted: bool, expected: list[int]) -> None:
    rule = LabelPreference("prefer", LabelPreferenceArgs(label="rack", presence=wanted))
    assert scores(rule, VIEW, PENDING) == expected


def test_equal_priority_tells_no_node_from_another() -> None:
    assert scores(EqualPriority("equal", Args()), VIEW, PENDING) == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("args", "location"),
    [
        ({"presence": True}, ("labels",)),
        ({"labels": [], "presence": True}, ("labels",)),
        ({"labels": ["rack"]}, ("presence",)),
        ({"labels": ["rack", "a b"], "presence": True}, ("labels", 1)),
    ],
)
def test_bad_args_are_told_with_their_place(args: dict[str, object], location: tuple[object, ...]) -> None:
    with pytest.raises(ValidationError) as caught:
        CheckNodeLabelPresenceArgs.model_validate(args)
    assert [error["loc"] for error in caught.value.errors()] == [location]
