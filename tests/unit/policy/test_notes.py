"""Notes on policies that compile, and which rules stand guard because this release does not build them."""

import pytest
from tests.unit.policy.specs import compiled, off, on

KUBELET = "pods will be placed where the kubelet then rejects them"
KEPT = "predicates that stay on unless disabled by name: NodeUnschedulable, TaintToleration"
PLACED = "do not wait for it and are placed without it"
REGARDLESS = "pods that use them are placed without regard to them"
BEYOND = f"no rules for volume claims, resource claims, pod affinity, topology spread: {REGARDLESS}"
ALL_FOUR = on("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit")


NOTES: dict[str, tuple[dict[str, object], list[str]]] = {
    "the base": ({}, ["not in this release: DynamicResources; pods that need one stay pending and say so"]),
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
    "no base, rules for what goes beyond nodes": (
        {
            "base": "None",
            "predicates": [*ALL_FOUR, *on("VolumeBinding", "MatchInterPodAffinity")],
            "priorities": [{"name": "own", "rule": "PodTopologySpread"}],
        },
        [KEPT, f"no rules for resource claims: {REGARDLESS}"],
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


GUARDS: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "the base": ({}, ("DynamicResources",)),
    "no base": ({"base": "None"}, ()),
    "the star": ({"predicates": off("*"), "priorities": off("*")}, ("DynamicResources",)),
    "disabled by name": ({"predicates": off("DynamicResources")}, ()),
    "disabled as a priority": ({"priorities": off("DynamicResources")}, ("DynamicResources",)),
}


@pytest.mark.parametrize(("spec", "guards"), GUARDS.values(), ids=GUARDS)
def test_a_rule_that_would_be_on_stands_guard(spec: dict[str, object], guards: tuple[str, ...]) -> None:
    assert compiled(**spec).document.guards == guards
