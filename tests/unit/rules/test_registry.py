"""The map of built rules, and that each keeps the shape that the engine relies on."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import pytest

from pointsman.api.catalogue import canonical
from pointsman.policy.args import Args
from pointsman.policy.registry import BUILT
from pointsman.policy.rule import Dependence, Predicate, Priority
from pointsman.testing.builders import pod

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
    "CheckNodeLabelPresence",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount",
    "MaxCinderVolumeCount",
    "ServiceAffinity",
]
PRIORITIES = [
    "TaintToleration",
    "NodeAffinity",
    "NodeResourcesFit",
    "VolumeBinding",
    "PodTopologySpread",
    "InterPodAffinity",
    "NodeResourcesBalancedAllocation",
    "ImageLocality",
    "LeastRequestedPriority",
    "MostRequestedPriority",
    "RequestedToCapacityRatioPriority",
    "SelectorSpreadPriority",
    "ServiceSpreadingPriority",
    "ServiceAntiAffinity",
    "LabelPreference",
    "NodePreferAvoidPodsPriority",
    "EqualPriority",
    "ResourceLimitsPriority",
]
ARGS: dict[str, dict[str, Any]] = {  # of rules that cannot do without
    "CheckNodeLabelPresence": {"labels": ["rack"], "presence": True},
    "LabelPreference": {"label": "rack", "presence": True},
    "ServiceAffinity": {"labels": ["rack"]},
    "ServiceAntiAffinity": {"label": "rack"},
    "RequestedToCapacityRatioPriority": {"shape": [{"utilization": 0, "score": 10}]},
}


def args_of(name: str) -> Args:
    return BUILT[name].args.model_validate(ARGS.get(name, {}))


def test_the_rules_of_this_release_are_built() -> None:
    assert [name for name, rule in BUILT.items() if rule.predicate] == PREDICATES
    assert [name for name, rule in BUILT.items() if rule.priority] == PRIORITIES


@pytest.mark.parametrize("name", BUILT)
def test_every_built_rule_is_in_the_catalogue_and_carries_its_instances_name(name: str) -> None:
    rule = BUILT[name]
    entry = canonical(name)
    assert entry is not None
    assert entry.name == rule.name == name
    for half, protocol in ((rule.predicate, Predicate), (rule.priority, Priority)):
        if half is not None:
            instance = half("mine", args_of(name))
            assert isinstance(instance, protocol)
            assert instance.name == "mine"


@pytest.mark.parametrize("name", BUILT)
def test_what_a_rule_reads_exists(name: str) -> None:
    rule = BUILT[name]
    plain = pod("p").container().require().info()
    for half in (rule.predicate, rule.priority):
        if half is not None:
            reads = half(name, args_of(name)).reads
            assert reads.depends & (Dependence.ROW | Dependence.NODE)
            assert all(attrgetter(path)(plain) is not NotImplemented for path in reads.pod_fields)
            assert reads.pod_fields


def halves_that(depend: Callable[[Dependence], bool]) -> set[str]:
    return {
        name
        for name, rule in BUILT.items()
        for half in (rule.predicate, rule.priority)
        if half is not None and depend(half(name, args_of(name)).reads.depends)
    }


def test_only_rules_about_resources_and_ports_depend_on_the_nodes_own_pods_alone() -> None:
    assert halves_that(lambda depends: depends == Dependence.ROW) == {
        "LeastRequestedPriority",
        "MostRequestedPriority",
        "NodePorts",
        "NodeResourcesBalancedAllocation",
        "NodeResourcesFit",
        "RequestedToCapacityRatioPriority",
    }


def test_rules_about_neighbours_and_volumes_depend_on_more_than_nodes_and_their_pods() -> None:
    assert halves_that(lambda depends: bool(depends & (Dependence.DOMAIN | Dependence.CLUSTER))) == {
        "InterPodAffinity",
        "MaxAzureDiskVolumeCount",
        "MaxCinderVolumeCount",
        "MaxEBSVolumeCount",
        "MaxGCEPDVolumeCount",
        "NodeVolumeLimits",
        "PodTopologySpread",
        "SelectorSpreadPriority",
        "ServiceAffinity",
        "ServiceAntiAffinity",
        "ServiceSpreadingPriority",
        "VolumeBinding",
        "VolumeRestrictions",
        "VolumeZone",
    }
