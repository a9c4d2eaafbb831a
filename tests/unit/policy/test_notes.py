"""Notes on policies that compile, and which rules stand guard because this release does not build them."""

import pytest
from tests.unit.policy.specs import compiled, off, on

from pointsman.policy.document import GuardsEntry

HARD = ("DynamicResources",)
KUBELET = "pods will be placed where the kubelet then rejects them"
KEPT = "predicates that stay on unless disabled by name: NodeUnschedulable, TaintToleration"
LATER = "; pods that need one stay pending and say so"
PLACED = "do not wait for it and are placed without it"
BEYOND = (
    "base None has no rules for volume claims, resource claims, pod affinity and topology spread: pods that use them"
    " are placed without regard to them"
)
ALL_FOUR = on("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")


NOTES: dict[str, tuple[dict[str, object], list[str]]] = {
    "the base": ({}, [f"not in this release: {', '.join(HARD)}{LATER}"]),
    "no base": (
        {"base": "None"},
        [f"without NodeName, NodeAffinity, NodePorts, NodeResourcesFit {KUBELET}", KEPT, BEYOND],
    ),
    "no base, what the kubelet checks is listed": ({"base": "None", "predicates": ALL_FOUR}, [KEPT, BEYOND]),
    "an instance is as good": (
        {
            "base": "None",
            "predicates": [*on("NodeName", "NodeAffinity", "NodePorts"), {"name": "a", "rule": "PodFitsResources"}],
        },
        [KEPT, BEYOND],
    ),
    "what stays on is listed": (
        {"base": "None", "predicates": [*ALL_FOUR, *on("TaintToleration", "NodeUnschedulable")]},
        [BEYOND],
    ),
    "what stays on is disabled": (
        {"base": "None", "predicates": [*ALL_FOUR, *off("TaintToleration", "NodeUnschedulable")]},
        [BEYOND],
    ),
    "the star without a base": (
        {"base": "None", "predicates": ALL_FOUR, "priorities": off("*")},
        [KEPT, BEYOND, "spec.priorities[*]: has no effect, since base is None"],
    ),
    "guards taken down by name": (
        {"predicates": [*off("*", "DynamicResources"), *ALL_FOUR], "priorities": off("*")},
        [
            KEPT,
            f"spec.predicates[DynamicResources]: disabled, so pods with resource claims {PLACED}",
        ],
    ),
    "preemption that is off and says more": (
        {
            "base": "None",
            "predicates": ALL_FOUR,
            "preemption": {"state": "Disabled", "args": {"minCandidateNodesAbsolute": 1}},
        },
        [KEPT, BEYOND, "spec.preemption: disabled, so args have no effect"],
    ),
    "a disabled entry that says more": (
        {
            "base": "None",
            "predicates": [*ALL_FOUR, {"name": "TaintToleration", "state": "Disabled", "args": {}}],
            "priorities": [{"name": "own", "rule": "ImageLocality", "state": "Disabled", "weight": 3}],
        },
        [
            "predicates that stay on unless disabled by name: NodeUnschedulable",
            BEYOND,
            "spec.predicates[TaintToleration]: disabled, so the rest of the entry has no effect",
            "spec.priorities[own]: disabled, so the rest of the entry has no effect",
        ],
    ),
}


@pytest.mark.parametrize(("spec", "notes"), NOTES.values(), ids=NOTES)
def test_notes_say_what_was_added_ignored_and_may_go_wrong(spec: dict[str, object], notes: list[str]) -> None:
    assert [*compiled(**spec).notes] == notes


GUARDS: dict[str, tuple[dict[str, object], GuardsEntry]] = {
    "the base": ({}, GuardsEntry(predicates=HARD)),
    "no base": ({"base": "None"}, GuardsEntry()),
    "the star": ({"predicates": off("*"), "priorities": off("*")}, GuardsEntry(predicates=HARD)),
    "all disabled by name": ({"predicates": off(*HARD)}, GuardsEntry()),
    "one disabled as a predicate": (
        {"predicates": off("DynamicResources")},
        GuardsEntry(),
    ),
    "scoring that no pod could need": (
        {"priorities": off("VolumeBinding", "DynamicResources")},
        GuardsEntry(predicates=HARD),
    ),
}


@pytest.mark.parametrize(("spec", "guards"), GUARDS.values(), ids=GUARDS)
def test_rules_that_would_be_on_stand_guard_in_the_list_in_which_they_are_on(
    spec: dict[str, object], guards: GuardsEntry
) -> None:
    assert compiled(**spec).document.guards == guards
