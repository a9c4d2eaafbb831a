"""A node from the wire as the facts that columns hold, and what an update of it means for pods that wait.

Everything else that a node says (heartbeats, addresses, conditions) is left behind here: an update that changes none of
these facts is no change at all.
"""

from typing import NamedTuple

from pointsman.engine.cluster.images import ReportedImages
from pointsman.kube.objects import Node
from pointsman.kube.quantity import QuantityError, to_milli, to_value
from pointsman.policy.resource_names import CPU, PODS, is_counted
from pointsman.policy.rule import Happening
from pointsman.policy.view import KEPT_ANNOTATIONS, TaintKey


class NodeFacts(NamedTuple):
    """What rules may ask about a node. cpu is in millicores, other resources in base units."""

    labels: dict[str, str]
    allocatable: dict[str, int]
    taints: tuple[TaintKey, ...]
    unschedulable: bool
    images: ReportedImages
    annotations: dict[str, str]  # those that some rule reads
    features: frozenset[str]  # declared ones
    problems: tuple[str, ...]  # what could not be read and counts as nothing


# What a row without a node holds.
NOTHING = NodeFacts({}, {}, (), unschedulable=False, images=(), annotations={}, features=frozenset(), problems=())


def node_facts(node: Node) -> NodeFacts:
    """Read a node; an amount that cannot be read counts as nothing."""
    problems: list[str] = []
    return NodeFacts(
        labels=node.metadata.labels,
        allocatable={
            name: _amount(name, amount, problems)
            for name, amount in node.status.allocatable.items()
            if name == PODS or is_counted(name)
        },
        taints=tuple(TaintKey(taint.key, taint.value, taint.effect) for taint in node.spec.taints),
        unschedulable=node.spec.unschedulable,
        images=tuple((name, image.size_bytes) for image in node.status.images for name in image.names or ()),
        annotations={key: value for key, value in node.metadata.annotations.items() if key in KEPT_ANNOTATIONS},
        features=frozenset(node.status.declared_features),
        problems=tuple(problems),
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


def _amount(name: str, amount: str | float, problems: list[str]) -> int:
    try:
        return to_milli(amount) if name == CPU else to_value(amount)
    except QuantityError as error:
        problems.append(f"status.allocatable[{name}]: {error}")
        return 0
