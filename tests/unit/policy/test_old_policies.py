"""Rules of old Policy files, with the features of the public ones: what compiles, and what is said of the rest.

Numbers are those of the survey of public scheduler configurations.
"""

import pytest
from tests.unit.policy.specs import Entries, compiled, on, problems

from pointsman.api.catalogue import ENTRIES, CatalogueEntry, Standing

GENERAL = ["NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit"]
ALWAYS = {"NodeUnschedulable", "TaintToleration"}


def predicates_of(entries: Entries) -> set[str]:
    document = compiled(base="None", predicates=entries).document
    return {entry.name for entry in document.predicates} - ALWAYS


def weights_of(entries: Entries) -> dict[str, int]:
    return {entry.name: entry.weight for entry in compiled(base="None", priorities=entries).document.priorities}


def test_every_rule_of_a_policy_that_has_an_heir_or_stands_alone_compiles() -> None:
    # 4 and 11: a subset of predicates without taints, and one with storage and pod affinity left to other tests
    assert predicates_of(on("PodFitsHostPorts", "PodFitsResources", "MatchNodeSelector", "HostName")) == set(GENERAL)
    assert predicates_of(on("GeneralPredicates", "PodToleratesNodeTaints", "CheckNodeUnschedulable")) == set(GENERAL)


def test_least_and_most_requested_may_stand_together_without_a_base() -> None:
    # 2
    listed = on("EqualPriority", "LeastRequestedPriority", "MostRequestedPriority", "BalancedResourceAllocation")
    assert weights_of(listed) == {
        "NodeResourcesBalancedAllocation": 1,
        "EqualPriority": 1,
        "LeastRequestedPriority": 1,
        "MostRequestedPriority": 1,
    }


def test_priorities_of_old_keep_their_weight() -> None:
    listed = [
        {"name": "NodePreferAvoidPodsPriority", "weight": 10000},
        {"name": "NodeAffinityPriority", "weight": 1},
        {"name": "rack", "rule": "LabelPreference", "args": {"label": "rack", "presence": True}, "weight": 2},
    ]
    assert weights_of(listed) == {"NodeAffinity": 1, "NodePreferAvoidPodsPriority": 10000, "rack": 2}


def test_rules_without_a_place_in_the_base_run_after_it_in_the_lists_order() -> None:
    racks = {"rule": "LabelsPresence", "args": {"labels": ["rack"], "presence": True}}
    listed = [{"name": "z", **racks}, {"name": "CheckNodeLabelPresence", "args": racks["args"]}, {"name": "NodePorts"}]
    names = [entry.name for entry in compiled(base="None", predicates=listed).document.predicates]
    assert names == ["NodeUnschedulable", "TaintToleration", "NodePorts", "z", "CheckNodeLabelPresence"]


def test_what_kops_shipped_for_kubernetes_1_7_is_told_line_by_line() -> None:
    # 1 (cases.md C82): one predicate twice, and conditions that are taints today
    gone = ["CheckNodeMemoryPressure", "CheckNodeDiskPressure", "CheckNodeCondition"]
    found = problems(base="None", predicates=on("PodToleratesNodeTaints", "NodeName", "HostName", *gone))
    assert found[0] == ("spec.predicates[HostName]: is the same rule as spec.predicates[NodeName]: list it once")
    assert [line.partition(":")[0] for line in found[1:]] == [f"spec.predicates[{name}]" for name in gone]
    assert all("obsolete" in line for line in found[1:])


def test_a_group_and_its_parts_together_are_refused_part_by_part() -> None:
    # 2
    found = problems(base="None", predicates=on("GeneralPredicates", "PodFitsResources", "MatchNodeSelector"))
    assert found == [
        f"spec.predicates[{name}]: is the same rule as spec.predicates[GeneralPredicates]: list it once"
        for name in ("PodFitsResources", "MatchNodeSelector")
    ]


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        (
            "CheckNodeLabelPresence",
            {"labels": ["rack"], "presense": True},
            [
                "spec.predicates[CheckNodeLabelPresence].args.presence: must be set",
                "spec.predicates[CheckNodeLabelPresence].args.presense: unknown field, did you mean presence?",
            ],
        ),
        (
            "LabelsPresence",
            {"labels": [], "presence": True},
            ["spec.predicates[LabelsPresence].args.labels: must not be empty"],
        ),
        (
            "LabelsPresence",
            {"labels": ["a b"], "presence": True},
            ['spec.predicates[LabelsPresence].args.labels[0]: "a b" is not a label key'],
        ),
    ],
)
def test_args_of_old_predicates_are_checked(name: str, args: dict[str, object], message: list[str]) -> None:
    assert problems(base="None", predicates=[{"name": name, "args": args}]) == message


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.standing is Standing.OBSOLETE], ids=lambda entry: entry.name
)
def test_a_name_without_a_meaning_today_is_answered_with_what_to_do(entry: CatalogueEntry) -> None:
    (line,) = problems(base="None", predicates=on(entry.name))
    assert line.startswith(f"spec.predicates[{entry.name}]: {entry.name} is ")
