"""What base and lists come to: which rules, in which order, with which weights and args."""

import json

import pytest
from tests.unit.policy.specs import Entries, compiled, content, off, on

from pointsman.policy.build import load
from pointsman.policy.document import PreemptionEntry, QueueEntry, canonical_json

# scheduler-semantics.md 2.0, as far as this release builds it
PREDICATES = [
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "NodeVolumeLimits",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "NodeDeclaredFeatures",
]
PRIORITIES = {
    "TaintToleration": 3,
    "NodeAffinity": 2,
    "NodeResourcesFit": 1,
    "VolumeBinding": 1,
    "PodTopologySpread": 2,
    "InterPodAffinity": 2,
    "NodeResourcesBalancedAllocation": 1,
    "ImageLocality": 1,
}
ALWAYS = ["NodeUnschedulable", "TaintToleration"]
FIT_ARGS = {
    "ignoredResources": [],
    "ignoredResourceGroups": [],
    "scoringStrategy": {
        "type": "LeastAllocated",
        "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
    },
}
GPU = {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "nvidia.com/gpu", "weight": 3}]}}


def without(*names: str) -> list[str]:
    return [name for name in PREDICATES if name not in names]


def names_of(predicates: Entries, base: str = "Default") -> list[str]:
    return [entry.name for entry in compiled(base=base, predicates=predicates).document.predicates]


def weights_of(priorities: Entries, base: str = "Default") -> dict[str, int]:
    return {entry.name: entry.weight for entry in compiled(base=base, priorities=priorities).document.priorities}


@pytest.mark.parametrize(
    ("predicates", "expected"),
    [
        pytest.param([], PREDICATES, id="the base"),
        pytest.param(off("NodePorts"), without("NodePorts"), id="one disabled"),
        pytest.param(off("PodFitsHostPorts"), without("NodePorts"), id="one disabled by its older name"),
        pytest.param(on("NodeResourcesFit", "NodeName"), PREDICATES, id="what is listed keeps the base's place"),
        pytest.param(off("*"), ALWAYS, id="all disabled but two"),
        pytest.param(off("*", "TaintToleration"), ["NodeUnschedulable"], id="all disabled and one of the two by name"),
        pytest.param(off("*", *ALWAYS), [], id="nothing at all"),
        pytest.param(off("*") + on("NodePorts"), [*ALWAYS, "NodePorts"], id="all disabled but what is listed"),
        pytest.param(on("NodePorts") + off("*"), [*ALWAYS, "NodePorts"], id="the place of the star means nothing"),
        pytest.param(
            off("GeneralPredicates"),
            without("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit"),
            id="a group disabled",
        ),
        pytest.param(
            [{"name": "z", "rule": "NodeName"}, {"name": "a", "rule": "HostName"}],
            [*PREDICATES, "z", "a"],
            id="instances follow in the list's order",
        ),
        pytest.param(
            [{"name": "z", "rule": "NodeName", "state": "Disabled"}], PREDICATES, id="an instance that is turned off"
        ),
    ],
)
def test_predicates_with_the_default_base(predicates: Entries, expected: list[str]) -> None:
    assert names_of(predicates) == expected


@pytest.mark.parametrize(
    ("predicates", "expected"),
    [
        pytest.param([], ALWAYS, id="nothing listed"),
        pytest.param(off("CheckNodeUnschedulable", "TaintToleration"), [], id="both disabled"),
        pytest.param(
            on("NodeResourcesFit", "NodeName"),
            ["NodeUnschedulable", "NodeName", "TaintToleration", "NodeResourcesFit"],
            id="two listed",
        ),
        pytest.param(on("GeneralPredicates"), PREDICATES[:6], id="a group listed"),
    ],
)
def test_predicates_without_a_base(predicates: Entries, expected: list[str]) -> None:
    assert names_of(predicates, base="None") == expected


@pytest.mark.parametrize(
    ("priorities", "expected"),
    [
        pytest.param([], PRIORITIES, id="the base"),
        pytest.param(
            [{"name": "NodeResourcesFit", "weight": 10}], {**PRIORITIES, "NodeResourcesFit": 10}, id="weighted"
        ),
        pytest.param(on("TaintTolerationPriority"), PRIORITIES, id="listed without a weight: the base's"),
        pytest.param(off("*"), {}, id="all disabled"),
        pytest.param(off("*") + on("TaintToleration"), {"TaintToleration": 3}, id="one is left, with its weight"),
        pytest.param(
            [{"name": "b", "rule": "TaintToleration"}, {"name": "a", "rule": "ImageLocality", "weight": 7}],
            {**PRIORITIES, "a": 7, "b": 1},
            id="instances weigh 1 unless told otherwise, sorted by name",
        ),
    ],
)
def test_priorities_with_the_default_base(priorities: Entries, expected: dict[str, int]) -> None:
    assert [*weights_of(priorities).items()] == [*expected.items()]


def test_without_a_base_there_is_no_weight_to_inherit() -> None:
    assert weights_of(on("NodeAffinity", "TaintToleration"), base="None") == {"TaintToleration": 1, "NodeAffinity": 1}


def test_a_rule_is_disabled_in_its_list_only() -> None:
    document = compiled(priorities=off("NodeResourcesFit")).document
    assert "NodeResourcesFit" in {entry.name for entry in document.predicates}
    assert "NodeResourcesFit" not in {entry.name for entry in document.priorities}


def test_args_hold_for_the_rule_in_both_lists() -> None:
    document = compiled(priorities=[{"name": "NodeResourcesFit", "args": GPU}]).document
    found = [entry.args for entry in (*document.predicates, *document.priorities) if entry.name == "NodeResourcesFit"]
    assert found == [{**FIT_ARGS, **GPU}, {**FIT_ARGS, **GPU}]


def test_args_of_an_instance_under_a_name_of_its_own_are_its_own() -> None:
    document = compiled(
        predicates=[{"name": "own", "rule": "PodFitsResources"}],
        priorities=[{"name": "own", "args": GPU}],
    ).document
    args = {(entry.name, entry.rule): entry.args for entry in (*document.predicates, *document.priorities)}
    assert args["own", "NodeResourcesFit"] == {**FIT_ARGS, **GPU}
    assert args["NodeResourcesFit", "NodeResourcesFit"] == FIT_ARGS


def test_args_of_a_disabled_entry_are_ignored() -> None:
    document = compiled(
        priorities=[{"name": "NodeResourcesFit", "state": "Disabled", "args": {"nonsense": 1}}]
    ).document
    assert {entry.name: entry.args for entry in document.predicates}["NodeResourcesFit"] == FIT_ARGS


def test_selectors_queue_and_names_are_carried_over() -> None:
    document = compiled(
        nodes={"selector": {"matchLabels": {"pool": "gpu"}}},
        pods={"namespaceSelector": {"matchExpressions": [{"key": "team", "operator": "Exists"}]}},
        queue={"podInitialBackoffSeconds": 2, "podMaxBackoffSeconds": 30},
    ).document
    assert (document.profile, document.scheduler_name) == ("test", "test")
    assert document.nodes.selector is not None
    assert document.nodes.selector.match_labels == {"pool": "gpu"}
    assert document.pods.namespace_selector is not None
    assert document.pods.namespace_selector.match_expressions[0].operator == "Exists"
    assert document.queue == QueueEntry(pod_initial_backoff_seconds=2, pod_max_backoff_seconds=30)


@pytest.mark.parametrize(
    ("preemption", "entry"),
    [
        pytest.param({}, PreemptionEntry(), id="on unless told otherwise"),
        pytest.param(
            {"args": {"minCandidateNodesPercentage": 3}},
            PreemptionEntry(min_candidate_nodes_percentage=3, min_candidate_nodes_absolute=100),
            id="args",
        ),
        pytest.param({"state": "Disabled", "args": {"minCandidateNodesAbsolute": 7}}, None, id="off"),
    ],
)
@pytest.mark.parametrize("base", ["Default", "None"])
def test_preemption_does_not_depend_on_the_base(
    base: str, preemption: dict[str, object], entry: PreemptionEntry | None
) -> None:
    compilation = compiled(base=base, preemption=preemption)
    assert compilation.document.preemption == entry
    assert load(canonical_json(compilation.document)).document == compilation.document


# pairs of specs that mean the same
SAME = {
    "preemption spelled out": (
        {"preemption": {"state": "Enabled", "args": {"minCandidateNodesPercentage": 10}}},
        {},
    ),
    "older names": (
        {"predicates": off("HostName"), "priorities": [{"name": "ImageLocalityPriority", "weight": 2}]},
        {"predicates": off("NodeName"), "priorities": [{"name": "ImageLocality", "weight": 2}]},
    ),
    "the base spelt out": ({"predicates": on(*PREDICATES), "priorities": on(*PRIORITIES)}, {}),
    "its weights spelt out": ({"priorities": [{"name": name, "weight": w} for name, w in PRIORITIES.items()]}, {}),
    "default args spelt out": ({"priorities": [{"name": "NodeResourcesFit", "args": FIT_ARGS}]}, {}),
    "empty args": ({"priorities": [{"name": "ImageLocality", "args": {}}]}, {}),
    "args with their kind": (
        {
            "predicates": [
                {
                    "name": "NodeResourcesFit",
                    "args": {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "NodeResourcesFitArgs"},
                }
            ]
        },
        {},
    ),
    "null args": ({"priorities": [{"name": "NodeAffinity", "args": {"addedAffinity": None}}]}, {}),
    "args in the other list": (
        {"predicates": [{"name": "NodeResourcesFit", "args": GPU}]},
        {"priorities": [{"name": "PodFitsResources", "args": GPU}]},
    ),
    "args in both lists": (
        {
            "predicates": [{"name": "NodeResourcesFit", "args": GPU}],
            "priorities": [{"name": "NodeResourcesFit", "args": {**FIT_ARGS, **GPU}}],
        },
        {"priorities": [{"name": "NodeResourcesFit", "args": GPU}]},
    ),
    "a group and its parts": (
        {"base": "None", "predicates": on("GeneralPredicates")},
        {"base": "None", "predicates": on("NodePorts", "NodeName", "NodeAffinity", "NodeResourcesFit")},
    ),
    "the star and each by name": (
        {"priorities": off("*")},
        {"priorities": off(*PRIORITIES)},
    ),
    "the order of a selector": (
        {
            "nodes": {
                "selector": {
                    "matchExpressions": [
                        {"key": "b", "operator": "Exists"},
                        {"key": "a", "operator": "In", "values": ["y", "x", "y"]},
                    ]
                }
            }
        },
        {
            "nodes": {
                "selector": {
                    "matchLabels": {},
                    "matchExpressions": [
                        {"key": "a", "operator": "In", "values": ["x", "y"]},
                        {"key": "b", "operator": "Exists", "values": []},
                    ],
                }
            }
        },
    ),
    "what has nothing to do with placing pods": (
        {"replicas": 3, "suspend": True, "engine": {"image": "a", "logLevel": "Debug"}},
        {},
    ),
}


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_specs_that_mean_the_same_give_the_same_bytes(one: dict[str, object], other: dict[str, object]) -> None:
    assert content(**one) == content(**other)


def test_the_document_is_canonical_json() -> None:
    text = content().decode()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
