"""A node from the wire as the facts that columns hold, and what an update of it means for pods that wait.

Everything else that a node says (heartbeats, addresses, conditions) is left behind here: an update that changes none of
these facts is no change at all.
"""

import logging
from typing import NamedTuple

from pointsman.engine.cluster.images import ReportedImages
from pointsman.kube.objects import Node
from pointsman.kube.quantity import QuantityError, to_milli, to_value
from pointsman.policy.resource_names import CPU, PODS, is_counted
from pointsman.policy.rule import Happening
from pointsman.policy.view import KEPT_ANNOTATIONS, TaintKey

logger = logging.getLogger(__name__)


class NodeFacts(NamedTuple):
    """What rules may ask about a node. cpu is in millicores, other resources in base units."""

    labels: dict[str, str]
    allocatable: dict[str, int]
    taints: tuple[TaintKey, ...]
    unschedulable: bool
    images: ReportedImages
    annotations: dict[str, str]  # those that some rule reads
    features: frozenset[str]  # declared ones


# What a row without a node holds.
NOTHING = NodeFacts({}, {}, (), unschedulable=False, images=(), annotations={}, features=frozenset())


def node_facts(node: Node) -> NodeFacts:
    """Read a node; an amount that cannot be read counts as nothing, with a warning."""
    return NodeFacts(
        labels=node.metadata.labels,
        allocatable={
            name: _amount(node, name, amount)
            for name, amount in node.status.allocatable.items()
            if name == PODS or is_counted(name)
        },
        taints=tuple(TaintKey(taint.key, taint.value, taint.effect) for taint in node.spec.taints),
        unschedulable=node.spec.unschedulable,
        images=tuple((name, image.size_bytes) for image in node.status.images for name in image.names or ()),
        annotations={key: value for key, value in node.metadata.annotations.items() if key in KEPT_ANNOTATIONS},
        features=frozenset(node.status.declared_features),
    )


def happenings(before: NodeFacts, after: NodeFacts) -> tuple[Happening, ...]:
    """The parts of a node's update, as kube-scheduler splits it (framework/events.go, 1.36)."""
    became_schedulable = before.unschedulable and not after.unschedulable
    parts = (
        (Happening.NODE_ALLOCATABLE, after.allocatable != before.allocatable),
        (Happening.NODE_LABELS, after.labels != before.labels),
        (Happening.NODE_TAINTS, after.taints != before.taints or became_schedulable),
        (Happening.NODE_IMAGES, after.images != before.images),
        (Happening.NODE_FEATURES, after.features != before.features),
    )
    return tuple(happening for happening, happened in parts if happened)


def _amount(node: Node, name: str, amount: str | float) -> int:
    try:
        return to_milli(amount) if name == CPU else to_value(amount)
    except QuantityError as error:
        logger.warning("node %s: status.allocatable[%s]: %s; counted as 0", node.metadata.name, name, error)
        return 0
