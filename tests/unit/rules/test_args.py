"""Args of rules: what is accepted, the defaults, and where an error points."""

from typing import Any

import pytest
from pydantic import ValidationError

from pointsman.kube.objects import NodeSelector, PreferredSchedulingTerm, Requirement
from pointsman.policy.args import Args
from pointsman.policy.inter_pod_affinity_args import InterPodAffinityArgs
from pointsman.policy.node_affinity_args import NodeAffinityArgs
from pointsman.policy.node_resources_args import NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs
from pointsman.testing.builders import term

CPU_AND_MEMORY = [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}]


def strategy(**fields: Any) -> dict[str, Any]:
    return {"scoringStrategy": fields}


def shaped(*points: tuple[Any, Any]) -> dict[str, Any]:
    shape = [{"utilization": utilization, "score": score} for utilization, score in points]
    return strategy(type="RequestedToCapacityRatio", requestedToCapacityRatio={"shape": shape})


def required(**fields: Any) -> dict[str, Any]:
    terms = {"nodeSelectorTerms": [fields]}
    return {"addedAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}


def test_defaults_are_kube_schedulers() -> None:
    assert NodeResourcesFitArgs().model_dump(mode="json", by_alias=True, exclude_none=True) == {
        "ignoredResources": [],
        "ignoredResourceGroups": [],
        "scoringStrategy": {"type": "LeastAllocated", "resources": CPU_AND_MEMORY},
    }
    balanced = NodeResourcesBalancedAllocationArgs()
    assert balanced.model_dump(mode="json", by_alias=True) == {"resources": CPU_AND_MEMORY}
    assert NodeAffinityArgs().model_dump(exclude_none=True) == {}
    assert InterPodAffinityArgs().model_dump(mode="json", by_alias=True) == {
        "hardPodAffinityWeight": 1,
        "ignorePreferredTermsOfExistingPods": False,
    }


@pytest.mark.parametrize("fields", [{"type": "MostAllocated"}, {"type": "MostAllocated", "resources": []}])
def test_no_resources_means_cpu_and_memory(fields: dict[str, Any]) -> None:
    args = NodeResourcesFitArgs.model_validate(strategy(**fields))
    assert [entry.model_dump() for entry in args.scoring_strategy.resources] == CPU_AND_MEMORY


@pytest.mark.parametrize(
    ("model", "data", "location", "words"),
    [
        (NodeResourcesFitArgs, strategy(type="MostAlocated"), ("scoringStrategy", "type"), "'LeastAllocated'"),
        (NodeResourcesFitArgs, strategy(resources=[]), ("scoringStrategy", "type"), "required"),
        *[
            (
                NodeResourcesFitArgs,
                strategy(type="LeastAllocated", resources=[{"name": "cpu", "weight": weight}]),
                ("scoringStrategy", "resources", 0, "weight"),
                words,
            )
            for weight, words in ((0, "greater than or equal to 1"), (101, "less than or equal to 100"), ("1", "int"))
        ],
        (
            NodeResourcesFitArgs,
            strategy(type="RequestedToCapacityRatio"),
            ("scoringStrategy",),
            "requestedToCapacityRatio must be set when type is RequestedToCapacityRatio",
        ),
        (
            NodeResourcesFitArgs,
            strategy(type="MostAllocated", requestedToCapacityRatio={"shape": [{"utilization": 0, "score": 1}]}),
            ("scoringStrategy",),
            "requestedToCapacityRatio must be absent when type is not RequestedToCapacityRatio",
        ),
        (
            NodeResourcesFitArgs,
            shaped(),
            ("scoringStrategy", "requestedToCapacityRatio", "shape"),
            "must not be empty",
        ),
        (
            NodeResourcesFitArgs,
            shaped((0, 1), (50, 2), (50, 3)),
            ("scoringStrategy", "requestedToCapacityRatio", "shape"),
            "utilization must increase from point to point: 50 stands after 50",
        ),
        *[
            (
                NodeResourcesFitArgs,
                shaped(point),
                ("scoringStrategy", "requestedToCapacityRatio", "shape", 0, field),
                words,
            )
            for point, field, words in (
                ((-1, 0), "utilization", "greater than or equal to 0"),
                ((101, 0), "utilization", "less than or equal to 100"),
                ((0, -1), "score", "greater than or equal to 0"),
                ((0, 11), "score", "less than or equal to 10"),
                ((0, 1.5), "score", "int"),
            )
        ],
        (NodeResourcesFitArgs, {"ignoredResources": ["a b"]}, ("ignoredResources", 0), '"a b" is not a resource name'),
        (
            NodeResourcesFitArgs,
            {"ignoredResourceGroups": ["a/b"]},
            ("ignoredResourceGroups", 0),
            '"a/b" must not',
        ),
        (NodeResourcesFitArgs, {"ignoredResources": "cpu"}, ("ignoredResources",), "tuple"),
        (NodeResourcesFitArgs, {"scoring": {}}, ("scoring",), "not permitted"),
        (NodeResourcesFitArgs, {"scoring_strategy": {}}, ("scoring_strategy",), "not permitted"),
        *[
            (InterPodAffinityArgs, {"hardPodAffinityWeight": weight}, ("hardPodAffinityWeight",), words)
            for weight, words in (
                (-1, "greater than or equal to 0"),
                (101, "less than or equal to 100"),
                (1.5, "int"),
                ("1", "int"),
            )
        ],
        (
            InterPodAffinityArgs,
            {"ignorePreferredTermsOfExistingPods": "no"},
            ("ignorePreferredTermsOfExistingPods",),
            "bool",
        ),
        (
            NodeResourcesBalancedAllocationArgs,
            {"resources": [{"name": "cpu", "weight": 2}]},
            ("resources", 0, "weight"),
            "must be 1, not 2",
        ),
        (
            NodeResourcesBalancedAllocationArgs,
            {"resources": [{"name": "cpu"}, {"name": "cpu"}]},
            ("resources",),
            '"cpu" is listed more than once',
        ),
        (
            NodeAffinityArgs,
            required(matchExpressions=[{"key": "gen", "operator": "Gt", "values": ["new"]}]),
            (
                "addedAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution",
                "nodeSelectorTerms",
                0,
                "matchExpressions",
                0,
            ),
            "values: must be one whole number for Gt",
        ),
        (
            NodeAffinityArgs,
            required(matchFields=[{"key": "metadata.name", "operator": "In", "values": ["a", "b"]}]),
            (
                "addedAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution",
                "nodeSelectorTerms",
                0,
                "matchFields",
                0,
                "values",
            ),
            "must have exactly one element",
        ),
        (Args, {"anything": 1}, ("anything",), "not permitted"),
    ],
)
def test_bad_args_are_refused_at_their_place(
    model: type[Args], data: dict[str, Any], location: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(ValidationError) as raised:
        model.model_validate(data)
    (error,) = raised.value.errors()
    assert error["loc"] == location
    assert words in error["msg"]


def test_added_affinity_becomes_what_pods_carry() -> None:
    expression = {"key": "zone", "operator": "In", "values": ["a"]}
    added = {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]},
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "preference": {"matchFields": []}}],
    }
    args = NodeAffinityArgs.model_validate({"addedAffinity": added})
    assert args.required == NodeSelector(node_selector_terms=(term(("zone", "In", "a")),))
    assert args.required.node_selector_terms[0].match_expressions == (
        Requirement(key="zone", operator="In", values=("a",)),
    )
    assert args.preferred == (PreferredSchedulingTerm(weight=3),)
