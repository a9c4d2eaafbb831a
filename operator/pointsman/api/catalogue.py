"""Every rule name that a profile may write: kube-scheduler 1.36's own and those of the older Policy files.

The catalogue says which names mean the same rule, in which list a rule may stand, where the base has it and with what
weight, and whether this release builds it. It knows no code: factories are in `policy.registry`, and a test holds the
two together. Order and weights of the base: pkg/scheduler/apis/config/v1/default_plugins.go, version 1.36; older names:
pkg/scheduler/framework/plugins/legacy_registry.go, version 1.22 and before.
"""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final


class Standing(Enum):
    """What naming a rule in a profile leads to."""

    BUILT = "built"
    KNOWN = "known, not in this release"
    FIXED = "always on, or set elsewhere: cannot be listed"
    OBSOLETE = "gone from Kubernetes for good"


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """One rule. `order` is its place in the base (None: not in the base), `weight` its weight among the base's
    priorities (None: the base does not score with it)."""

    name: str
    standing: Standing
    predicate: bool = False
    priority: bool = False
    order: int | None = None
    weight: int | None = None
    always_on: bool = False  # the predicate stays with `base: None` and with "*", unless disabled by name
    aliases: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()  # a group: the rules that it stands for
    hint: str = ""  # completes "NAME …": why it cannot be listed and what to do instead

    @property
    def base_predicate(self) -> bool:
        return self.predicate and self.order is not None

    @property
    def base_priority(self) -> bool:
        return self.priority and self.weight is not None


_TAINTED: Final = (
    "is obsolete: nodes carry a taint for it since Kubernetes 1.12, which TaintToleration heeds; remove it"
)
_FIXED: Final = "is always on and cannot be listed; remove it"


def _built(name: str, order: int, *aliases: str, predicate: bool = True, weight: int | None = None) -> CatalogueEntry:
    on = name in {"NodeUnschedulable", "TaintToleration"}
    return CatalogueEntry(
        name, Standing.BUILT, predicate, weight is not None, order, weight, always_on=on, aliases=aliases
    )


def _later(name: str, order: int, *aliases: str, weight: int | None = None) -> CatalogueEntry:
    return CatalogueEntry(name, Standing.KNOWN, True, weight is not None, order, weight, aliases=aliases)


def _legacy_predicate(name: str, *aliases: str) -> CatalogueEntry:
    return CatalogueEntry(name, Standing.BUILT, predicate=True, aliases=aliases)


def _legacy_priority(name: str, *aliases: str) -> CatalogueEntry:
    return CatalogueEntry(name, Standing.BUILT, priority=True, aliases=aliases)


def _fixed(name: str, order: int, hint: str = _FIXED) -> CatalogueEntry:
    return CatalogueEntry(name, Standing.FIXED, order=order, hint=hint)


def _obsolete(name: str, hint: str = _TAINTED) -> CatalogueEntry:
    return CatalogueEntry(name, Standing.OBSOLETE, hint=hint)


ENTRIES: Final[tuple[CatalogueEntry, ...]] = (
    # kube-scheduler 1.36, in the base's order
    _fixed("SchedulingGates", 1),
    _fixed("PrioritySort", 2),
    _built("NodeUnschedulable", 3, "CheckNodeUnschedulable"),
    _built("NodeName", 4, "HostName"),
    _built("TaintToleration", 5, "PodToleratesNodeTaints", "TaintTolerationPriority", weight=3),
    _built("NodeAffinity", 6, "MatchNodeSelector", "NodeAffinityPriority", weight=2),
    _built("NodePorts", 7, "PodFitsHostPorts", "PodFitsPorts"),
    _built("NodeResourcesFit", 8, "PodFitsResources", weight=1),
    _built("VolumeRestrictions", 9, "NoDiskConflict"),
    _built("NodeVolumeLimits", 10, "MaxCSIVolumeCount", "MaxCSIVolumeCountPred"),
    _built("VolumeBinding", 11, "CheckVolumeBinding", weight=1),
    _built("VolumeZone", 12, "NoVolumeZoneConflict"),
    _built("PodTopologySpread", 13, "EvenPodsSpread", "EvenPodsSpreadPriority", weight=2),
    _built("InterPodAffinity", 14, "MatchInterPodAffinity", "InterPodAffinityPriority", weight=2),
    _later("DynamicResources", 15, weight=2),
    _fixed(
        "DefaultPreemption",
        16,
        "cannot be listed: use spec.preemption",
    ),
    _built("NodeResourcesBalancedAllocation", 17, "BalancedResourceAllocation", predicate=False, weight=1),
    _built("ImageLocality", 18, "ImageLocalityPriority", predicate=False, weight=1),
    _fixed("DefaultBinder", 19),
    _built("NodeDeclaredFeatures", 20),
    # kube-scheduler 1.36, behind feature gates that are off
    CatalogueEntry("GangScheduling", Standing.KNOWN),
    CatalogueEntry("TopologyPlacementGenerator", Standing.KNOWN),
    CatalogueEntry("PodGroupPodsCount", Standing.KNOWN),
    # Policy files: predicates without an heir
    CatalogueEntry(
        "GeneralPredicates",
        Standing.BUILT,
        predicate=True,
        parts=("NodeName", "NodeAffinity", "NodePorts", "NodeResourcesFit"),
    ),
    _legacy_predicate("MaxEBSVolumeCount", "EBSLimits"),
    _legacy_predicate("MaxGCEPDVolumeCount", "GCEPDLimits"),
    _legacy_predicate("MaxAzureDiskVolumeCount", "AzureDiskLimits"),
    _legacy_predicate("MaxCinderVolumeCount", "CinderLimits"),
    _legacy_predicate("CheckNodeLabelPresence", "LabelsPresence"),
    _legacy_predicate("ServiceAffinity", "CheckServiceAffinity"),
    # Policy files: priorities without an heir
    _legacy_priority("LeastRequestedPriority", "NodeResourcesLeastAllocated"),
    _legacy_priority("MostRequestedPriority", "NodeResourcesMostAllocated"),
    _legacy_priority("RequestedToCapacityRatioPriority", "RequestedToCapacityRatio"),
    _legacy_priority("SelectorSpreadPriority", "SelectorSpread"),
    _legacy_priority("ServiceSpreadingPriority"),
    _legacy_priority("ServiceAntiAffinity"),
    _legacy_priority("LabelPreference"),
    _legacy_priority("NodePreferAvoidPodsPriority", "NodePreferAvoidPods"),
    _legacy_priority("EqualPriority"),
    _legacy_priority("ResourceLimitsPriority", "NodeResourceLimits"),
    # named by old files, without a meaning today
    _obsolete("CheckNodeCondition"),
    _obsolete("CheckNodeMemoryPressure"),
    _obsolete("CheckNodeDiskPressure"),
    _obsolete("CheckNodePIDPressure"),
    _obsolete("PodToleratesNodeNoExecuteTaints", "is obsolete: TaintToleration heeds NoExecute taints too; remove it"),
    _obsolete("NoVolumeNodeConflict", "is obsolete: VolumeBinding does its work since Kubernetes 1.10; remove it"),
    _obsolete("NodeLabel", "is two rules here: CheckNodeLabelPresence (predicate) and LabelPreference (priority)"),
)


def names(entry: CatalogueEntry) -> tuple[str, ...]:
    """Every spelling of a rule, the canonical one first."""
    return (entry.name, *entry.aliases)


_BY_NAME: Final[dict[str, CatalogueEntry]] = {name: entry for entry in ENTRIES for name in names(entry)}
_BY_LOWER: Final[dict[str, str]] = {name.lower(): name for name in _BY_NAME}


def canonical(name: str) -> CatalogueEntry | None:
    """The rule that a name means in either vocabulary, None when no rule is called so."""
    return _BY_NAME.get(name)


def nearest(name: str) -> str | None:
    """The known name that looks most like an unknown one, None when nothing comes near."""
    close = difflib.get_close_matches(name.lower(), _BY_LOWER, n=1, cutoff=0.7)
    return _BY_LOWER[close[0]] if close else None


def base() -> Iterator[CatalogueEntry]:
    """The rules of the base that a profile may change, in the base's order."""
    return (entry for entry in ENTRIES if entry.order is not None and entry.standing is not Standing.FIXED)
