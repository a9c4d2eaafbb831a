"""Where a new volume could be made for a claim: the class's topology, and room as the driver reports it.

checkVolumeProvisions and hasEnoughCapacity, volumebinding/binder.go; MatchTopologySelectorTerms,
pkg/apis/core/v1/helper, 1.36. Room is asked for only of drivers that publish it, and only if the claim has a size.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from pointsman.kube.objects import LabelSelector, NodeSelectorTerm, Requirement
from pointsman.kube.storage_objects import PersistentVolumeClaim, StorageClass
from pointsman.policy.view import BoolArray, ClusterView, Rows
from pointsman.policy.volumes.claims import claim_class
from pointsman.policy.volumes.reach import Place, Reach, reach
from pointsman.policy.volumes.sizes import STORAGE, requested_by, room_in

_BY_HAND: Final = ("", "kubernetes.io/no-provisioner")


@dataclass(frozen=True, slots=True)
class Provisioning:
    """What stands in the way of making a volume for one claim; None for `room` if that is not asked for."""

    possible: bool  # the class has a provisioner at all
    topology: Reach
    room: Reach | None

    def allowed(self, rows: Rows) -> BoolArray:
        """Rows for which the class would make a volume: bool (len(rows),)."""
        return self.topology.any(rows) if self.possible else np.zeros(len(rows), np.bool_)

    def enough(self, rows: Rows) -> BoolArray:
        """Rows with room for it: bool (len(rows),)."""
        return np.ones(len(rows), np.bool_) if self.room is None else self.room.any(rows)


def provisioning(claim: PersistentVolumeClaim, view: ClusterView) -> Provisioning:
    """Prepare the question for a claim; one whose class is gone gets no volume."""
    storage_class = view.storage.storage_class(claim_class(claim))
    if storage_class is None or storage_class.provisioner in _BY_HAND:
        return Provisioning(possible=False, topology=reach(view, ()), room=None)
    return Provisioning(
        possible=True, topology=reach(view, (_allowed(storage_class),)), room=_room(claim, storage_class, view)
    )


def _room(claim: PersistentVolumeClaim, storage_class: StorageClass, view: ClusterView) -> Reach | None:
    driver = view.storage.csi_driver(storage_class.provisioner)
    if driver is None or not driver.spec.storage_capacity or STORAGE not in claim.spec.resources.requests:
        return None
    size = requested_by(claim).value()
    places = (
        _place(capacity.node_topology)
        for capacity in view.storage.capacities(storage_class.metadata.name)
        if capacity.node_topology is not None and room_in(capacity) >= size
    )
    return reach(view, places)


def _allowed(storage_class: StorageClass) -> Place:
    """A term without requirements matches nothing; without terms everything does."""
    terms = storage_class.allowed_topologies
    return (
        tuple(
            NodeSelectorTerm(
                match_expressions=tuple(
                    Requirement(key=item.key, operator="In", values=item.values)
                    for item in term.match_label_expressions
                )
            )
            for term in terms
        )
        if terms
        else None
    )


def _place(selector: LabelSelector) -> Place:
    equal = (Requirement(key=key, operator="In", values=(value,)) for key, value in selector.match_labels.items())
    requirements = (*equal, *selector.match_expressions)
    return (NodeSelectorTerm(match_expressions=requirements),) if requirements else None
