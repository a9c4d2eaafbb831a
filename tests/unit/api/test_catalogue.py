"""The catalogue of rule names: both vocabularies, the base of kube-scheduler 1.36, and what this release builds."""

import pytest

from pointsman.api import catalogue
from pointsman.api.catalogue import ENTRIES, Standing, canonical, nearest
from pointsman.policy.registry import BUILT

# pkg/scheduler/framework/plugins/names/names.go, 1.36.3
PLUGINS = [
    "PrioritySort",
    "DefaultBinder",
    "DefaultPreemption",
    "DynamicResources",
    "GangScheduling",
    "ImageLocality",
    "InterPodAffinity",
    "NodeAffinity",
    "NodeDeclaredFeatures",
    "NodeName",
    "NodePorts",
    "NodeResourcesBalancedAllocation",
    "NodeResourcesFit",
    "NodeUnschedulable",
    "NodeVolumeLimits",
    "PodTopologySpread",
    "SchedulingGates",
    "TaintToleration",
    "VolumeBinding",
    "VolumeRestrictions",
    "VolumeZone",
    "TopologyPlacementGenerator",
    "PodGroupPodsCount",
]

# Policy files: scheduler-semantics.md section 8.6, and names that 1.36 has no plugin for
ALIASES = {
    "CheckNodeUnschedulable": "NodeUnschedulable",
    "HostName": "NodeName",
    "PodFitsHostPorts": "NodePorts",
    "PodFitsPorts": "NodePorts",
    "MatchNodeSelector": "NodeAffinity",
    "NodeAffinityPriority": "NodeAffinity",
    "PodFitsResources": "NodeResourcesFit",
    "PodToleratesNodeTaints": "TaintToleration",
    "TaintTolerationPriority": "TaintToleration",
    "BalancedResourceAllocation": "NodeResourcesBalancedAllocation",
    "ImageLocalityPriority": "ImageLocality",
    "NoDiskConflict": "VolumeRestrictions",
    "MaxCSIVolumeCountPred": "NodeVolumeLimits",
    "CheckVolumeBinding": "VolumeBinding",
    "NoVolumeZoneConflict": "VolumeZone",
    "EvenPodsSpread": "PodTopologySpread",
    "EvenPodsSpreadPriority": "PodTopologySpread",
    "MatchInterPodAffinity": "InterPodAffinity",
    "InterPodAffinityPriority": "InterPodAffinity",
    "LabelsPresence": "CheckNodeLabelPresence",
    "CheckServiceAffinity": "ServiceAffinity",
}
LEGACY_RULES = [
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount",
    "MaxCinderVolumeCount",
    "CheckNodeLabelPresence",
    "ServiceAffinity",
    "ServiceAntiAffinity",
    "LabelPreference",
    "LeastRequestedPriority",
    "MostRequestedPriority",
    "RequestedToCapacityRatioPriority",
    "SelectorSpreadPriority",
    "ServiceSpreadingPriority",
    "NodePreferAvoidPodsPriority",
    "EqualPriority",
    "ResourceLimitsPriority",
]


@pytest.mark.parametrize("name", PLUGINS)
def test_every_plugin_of_kube_scheduler_is_known_by_its_own_name(name: str) -> None:
    entry = canonical(name)
    assert entry is not None
    assert entry.name == name


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_an_older_name_means_the_rule_of_today(alias: str, name: str) -> None:
    assert canonical(alias) is canonical(name)
    assert canonical(name) is not None


@pytest.mark.parametrize("name", LEGACY_RULES)
def test_a_rule_without_an_heir_keeps_its_name_and_is_no_part_of_the_base(name: str) -> None:
    entry = canonical(name)
    assert entry is not None
    assert entry.name == name
    assert entry.standing in {Standing.BUILT, Standing.KNOWN}
    assert entry.order is None


def test_general_predicates_stand_for_the_four_rules_of_kube_scheduler_1_22() -> None:
    entry = canonical("GeneralPredicates")
    assert entry is not None
    assert set(entry.parts) == {"NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"}


def test_the_base_has_the_order_of_kube_scheduler_1_36() -> None:
    # scheduler-semantics.md 2.0, without those that cannot be listed
    assert [entry.name for entry in catalogue.base()] == [
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
        "DynamicResources",
        "NodeResourcesBalancedAllocation",
        "ImageLocality",
        "NodeDeclaredFeatures",
    ]


def test_the_base_has_the_weights_of_kube_scheduler_1_36() -> None:
    assert {entry.name: entry.weight for entry in catalogue.base() if entry.base_priority} == {
        "TaintToleration": 3,
        "NodeAffinity": 2,
        "NodeResourcesFit": 1,
        "VolumeBinding": 1,
        "PodTopologySpread": 2,
        "InterPodAffinity": 2,
        "DynamicResources": 2,
        "NodeResourcesBalancedAllocation": 1,
        "ImageLocality": 1,
    }


def test_entries_stand_in_the_order_that_they_claim() -> None:
    orders = [entry.order for entry in ENTRIES if entry.order is not None]
    assert orders == list(range(1, len(orders) + 1))


def test_no_name_means_two_rules() -> None:
    spellings = [name for entry in ENTRIES for name in catalogue.names(entry)]
    assert len(spellings) == len(set(spellings))


def test_what_the_catalogue_calls_built_is_what_the_registry_builds() -> None:
    built = {entry.name: entry for entry in ENTRIES if entry.standing is Standing.BUILT and not entry.parts}
    assert set(built) == set(BUILT)
    for name, rule in BUILT.items():
        assert built[name].predicate == (rule.predicate is not None), name
        assert built[name].priority == (rule.priority is not None), name


@pytest.mark.parametrize(
    ("mistake", "meant"),
    [
        ("NodeResourceFit", "NodeResourcesFit"),
        ("noderesourcesfit", "NodeResourcesFit"),
        ("TaintTolerations", "TaintToleration"),
        ("PodFitResources", "PodFitsResources"),
        ("LeastRequestPriority", "LeastRequestedPriority"),
    ],
)
def test_the_nearest_name_of_a_mistake_is_the_one_that_was_meant(mistake: str, meant: str) -> None:
    assert canonical(mistake) is None
    assert nearest(mistake) == meant


@pytest.mark.parametrize("name", ["", "x", "same-rack", "{{ 1 }}", "\n"])
def test_a_name_of_ones_own_is_near_nothing(name: str) -> None:
    assert nearest(name) is None
