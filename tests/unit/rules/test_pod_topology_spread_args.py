"""PodTopologySpreadArgs: what kube-scheduler refuses is refused, by field."""

from typing import Any

import pytest

from pointsman.policy.arguments import read_args
from pointsman.policy.errors import PolicyError
from pointsman.policy.pod_query import NOTHING
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.policy.spread.constraints import SpreadConstraint

GOOD: dict[str, Any] = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}
HOST: dict[str, Any] = {"maxSkew": 2, "topologyKey": "kubernetes.io/hostname", "whenUnsatisfiable": "ScheduleAnyway"}


def listed(*constraints: dict[str, Any]) -> dict[str, Any]:
    return {"defaultingType": "List", "defaultConstraints": list(constraints)}


def test_without_args_the_systems_constraints_apply() -> None:
    args = PodTopologySpreadArgs()
    assert args.system_defaulted
    assert args.defaults == (
        SpreadConstraint("kubernetes.io/hostname", "ScheduleAnyway", 3, NOTHING),
        SpreadConstraint("topology.kubernetes.io/zone", "ScheduleAnyway", 5, NOTHING),
    )


def test_a_list_is_taken_as_written() -> None:
    more = {**GOOD, "minDomains": 2, "nodeAffinityPolicy": "Ignore", "nodeTaintsPolicy": "Honor"}
    args = PodTopologySpreadArgs.model_validate(listed(more, HOST))
    assert not args.system_defaulted
    assert args.defaults == (
        SpreadConstraint("zone", "DoNotSchedule", 1, NOTHING, 2, honors_affinity=False, honors_taints=True),
        SpreadConstraint("kubernetes.io/hostname", "ScheduleAnyway", 2, NOTHING),
    )


def test_an_empty_list_means_no_default_constraints() -> None:
    assert PodTopologySpreadArgs.model_validate(listed()).defaults == ()


def test_args_are_spelt_out_and_can_be_read_again() -> None:
    spelt_out = read_args(PodTopologySpreadArgs, listed(GOOD), "args")
    assert spelt_out["defaultConstraints"] == [
        {**GOOD, "nodeAffinityPolicy": "Honor", "nodeTaintsPolicy": "Ignore", "matchLabelKeys": []}
    ]
    assert read_args(PodTopologySpreadArgs, spelt_out, "args") == spelt_out


@pytest.mark.parametrize(
    ("args", "path", "words"),
    [
        pytest.param(listed({**GOOD, "maxSkew": 0}), ".defaultConstraints[0].maxSkew", "0", id="no skew"),
        pytest.param(listed({**GOOD, "topologyKey": ""}), ".defaultConstraints[0].topologyKey", "empty", id="no key"),
        pytest.param(listed({**GOOD, "topologyKey": "a b"}), ".defaultConstraints[0].topologyKey", "a b", id="bad key"),
        pytest.param(
            listed({**GOOD, "whenUnsatisfiable": "Maybe"}),
            ".defaultConstraints[0].whenUnsatisfiable",
            "Maybe",
            id="another action",
        ),
        pytest.param(
            listed({"maxSkew": 1, "topologyKey": "zone"}),
            ".defaultConstraints[0].whenUnsatisfiable",
            "",
            id="no action",
        ),
        pytest.param(
            listed({**GOOD, "labelSelector": {"matchLabels": {"a": "b"}}}),
            ".defaultConstraints[0]",
            "constraint must not define a selector, as they deduced for each pod",
            id="a selector",
        ),
        pytest.param(
            listed(GOOD, HOST, {**GOOD, "maxSkew": 3}),
            ".defaultConstraints",
            "Duplicate value: {zone, DoNotSchedule}",
            id="one pair twice",
        ),
        pytest.param(
            {"defaultConstraints": [GOOD]}, "", "when .defaultConstraints are not empty", id="a list for System"
        ),
        pytest.param({"defaultingType": "None"}, ".defaultingType", "None", id="another type"),
    ],
)
def test_what_kube_scheduler_refuses_is_refused(args: dict[str, Any], path: str, words: str) -> None:
    with pytest.raises(PolicyError) as caught:
        read_args(PodTopologySpreadArgs, args, "args")
    (problem,) = caught.value.problems
    assert problem.path == f"args{path}"
    assert words in problem.message
