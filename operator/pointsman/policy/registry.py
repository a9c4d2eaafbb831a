"""Every rule of this release in one explicit map: canonical name, args, and the factories of its two halves.

The catalogue (`api.catalogue`) knows more names than this: legacy spellings, and rules that are known but not built.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pointsman.policy.args import Args
from pointsman.policy.inter_pod_affinity_args import InterPodAffinityArgs
from pointsman.policy.kinds import CLAIMED_VOLUMES, OWNERS, SERVICES, Kind
from pointsman.policy.legacy_args import (
    CheckNodeLabelPresenceArgs,
    LabelPreferenceArgs,
    NodeResourcesLeastAllocatedArgs,
    NodeResourcesMostAllocatedArgs,
    RequestedToCapacityRatioArgs,
    ServiceAffinityArgs,
    ServiceAntiAffinityArgs,
)
from pointsman.policy.node_affinity_args import NodeAffinityArgs
from pointsman.policy.node_resources_args import NodeResourcesBalancedAllocationArgs, NodeResourcesFitArgs
from pointsman.policy.predicates import (
    check_node_label_presence,
    inter_pod_affinity,
    node_affinity,
    node_declared_features,
    node_name,
    node_ports,
    node_resources_fit,
    node_unschedulable,
    node_volume_limits,
    pod_topology_spread,
    service_affinity,
    taint_toleration,
    volume_binding,
    volume_restrictions,
    volume_zone,
)
from pointsman.policy.predicates.max_azure_disk_volume_count import MaxAzureDiskVolumeCount
from pointsman.policy.predicates.max_cinder_volume_count import MaxCinderVolumeCount
from pointsman.policy.predicates.max_ebs_volume_count import MaxEBSVolumeCount
from pointsman.policy.predicates.max_gce_pd_volume_count import MaxGCEPDVolumeCount
from pointsman.policy.priorities.balanced_allocation import BalancedAllocation
from pointsman.policy.priorities.equal import EqualPriority
from pointsman.policy.priorities.image_locality import ImageLocality
from pointsman.policy.priorities.inter_pod_affinity import InterPodAffinity
from pointsman.policy.priorities.label_preference import LabelPreference
from pointsman.policy.priorities.least_requested import LeastRequestedPriority
from pointsman.policy.priorities.most_requested import MostRequestedPriority
from pointsman.policy.priorities.node_affinity import NodeAffinity
from pointsman.policy.priorities.node_prefer_avoid_pods import NodePreferAvoidPodsPriority
from pointsman.policy.priorities.node_resources_fit import NodeResourcesFit
from pointsman.policy.priorities.pod_topology_spread import PodTopologySpread
from pointsman.policy.priorities.requested_to_capacity_ratio import RequestedToCapacityRatioPriority
from pointsman.policy.priorities.resource_limits import ResourceLimitsPriority
from pointsman.policy.priorities.selector_spread import SelectorSpreadPriority
from pointsman.policy.priorities.service_anti_affinity import ServiceAntiAffinity
from pointsman.policy.priorities.service_spreading import ServiceSpreadingPriority
from pointsman.policy.priorities.taint_toleration import TaintToleration
from pointsman.policy.priorities.volume_binding import VolumeBinding
from pointsman.policy.rule import Predicate, Priority
from pointsman.policy.spread.args import PodTopologySpreadArgs
from pointsman.policy.volume_binding_args import VolumeBindingArgs


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule. A factory gets the instance's name and args of the type `args`, validated.

    `needs` are the kinds that the rule looks at beside nodes, pods and namespaces.
    """

    name: str
    args: type[Args] = Args
    predicate: Callable[[str, Any], Predicate[Any]] | None = None
    priority: Callable[[str, Any], Priority[Any]] | None = None
    needs: frozenset[Kind] = frozenset()


COUNTED_BY_KIND: Final = CLAIMED_VOLUMES | {Kind.CSI_NODES}
"""What tells how many volumes of a built-in kind a node has, and whether a driver serves them."""

BUILT: Final[dict[str, Rule]] = {
    rule.name: rule
    for rule in (
        Rule("NodeUnschedulable", predicate=node_unschedulable.NodeUnschedulable),
        Rule("NodeName", predicate=node_name.NodeName),
        Rule("TaintToleration", predicate=taint_toleration.TaintToleration, priority=TaintToleration),
        Rule("NodeAffinity", NodeAffinityArgs, node_affinity.NodeAffinity, NodeAffinity),
        Rule("NodePorts", predicate=node_ports.NodePorts),
        Rule("NodeResourcesFit", NodeResourcesFitArgs, node_resources_fit.NodeResourcesFit, NodeResourcesFit),
        Rule(
            "VolumeRestrictions",
            predicate=volume_restrictions.VolumeRestrictions,
            needs=frozenset({Kind.CLAIMS}),
        ),
        Rule(
            "NodeVolumeLimits",
            predicate=node_volume_limits.NodeVolumeLimits,
            needs=CLAIMED_VOLUMES | {Kind.CSI_NODES, Kind.VOLUME_ATTACHMENTS},
        ),
        Rule(
            "VolumeBinding",
            VolumeBindingArgs,
            volume_binding.VolumeBinding,
            VolumeBinding,
            needs=CLAIMED_VOLUMES | {Kind.CSI_NODES, Kind.CSI_DRIVERS, Kind.CSI_STORAGE_CAPACITIES},
        ),
        Rule("VolumeZone", predicate=volume_zone.VolumeZone, needs=CLAIMED_VOLUMES),
        Rule(
            "PodTopologySpread",
            PodTopologySpreadArgs,
            pod_topology_spread.PodTopologySpread,
            PodTopologySpread,
            needs=OWNERS,
        ),
        Rule("InterPodAffinity", InterPodAffinityArgs, inter_pod_affinity.InterPodAffinity, InterPodAffinity),
        Rule(
            "NodeResourcesBalancedAllocation",
            NodeResourcesBalancedAllocationArgs,
            priority=BalancedAllocation,
        ),
        Rule("ImageLocality", priority=ImageLocality),
        Rule("NodeDeclaredFeatures", predicate=node_declared_features.NodeDeclaredFeatures),
        Rule(
            "CheckNodeLabelPresence",
            CheckNodeLabelPresenceArgs,
            check_node_label_presence.CheckNodeLabelPresence,
        ),
        Rule("MaxEBSVolumeCount", predicate=MaxEBSVolumeCount, needs=COUNTED_BY_KIND),
        Rule("MaxGCEPDVolumeCount", predicate=MaxGCEPDVolumeCount, needs=COUNTED_BY_KIND),
        Rule("MaxAzureDiskVolumeCount", predicate=MaxAzureDiskVolumeCount, needs=COUNTED_BY_KIND),
        Rule("MaxCinderVolumeCount", predicate=MaxCinderVolumeCount, needs=COUNTED_BY_KIND),
        Rule("LeastRequestedPriority", NodeResourcesLeastAllocatedArgs, priority=LeastRequestedPriority),
        Rule("MostRequestedPriority", NodeResourcesMostAllocatedArgs, priority=MostRequestedPriority),
        Rule(
            "RequestedToCapacityRatioPriority",
            RequestedToCapacityRatioArgs,
            priority=RequestedToCapacityRatioPriority,
        ),
        Rule("SelectorSpreadPriority", priority=SelectorSpreadPriority, needs=OWNERS),
        Rule("ServiceSpreadingPriority", priority=ServiceSpreadingPriority, needs=SERVICES),
        Rule("ServiceAffinity", ServiceAffinityArgs, service_affinity.ServiceAffinity, needs=SERVICES),
        Rule("ServiceAntiAffinity", ServiceAntiAffinityArgs, priority=ServiceAntiAffinity, needs=SERVICES),
        Rule("LabelPreference", LabelPreferenceArgs, priority=LabelPreference),
        Rule("NodePreferAvoidPodsPriority", priority=NodePreferAvoidPodsPriority),
        Rule("EqualPriority", priority=EqualPriority),
        Rule("ResourceLimitsPriority", priority=ResourceLimitsPriority),
    )
}
