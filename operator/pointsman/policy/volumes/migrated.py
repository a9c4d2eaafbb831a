"""Where volumes of built-in kinds are, on nodes that leave them to a CSI driver.

Such a driver labels nodes with a key of its own, and the node's CSINode names the kinds that it took over. For a claim
that is bound, kube-scheduler 1.36 then looks for the volume's zone under the driver's key (tryTranslatePVToCSI,
volumebinding/binder.go; translateTopologyFromInTreeToCSI, csi-translation-lib/plugins/in_tree_volume.go).
"""

from dataclasses import dataclass
from typing import Final

import msgspec
import numpy as np

from pointsman.kube.objects import NodeSelectorTerm, Requirement
from pointsman.kube.storage_objects import PersistentVolume
from pointsman.policy.topology_labels import DELIMITER, OLD_REGION, OLD_ZONE, REGION, ZONE
from pointsman.policy.view import BoolArray, ClusterView, Rows
from pointsman.policy.volumes.in_tree import CINDER, EBS, GCE_PD, KINDS
from pointsman.policy.volumes.matching import volume_place
from pointsman.policy.volumes.reach import BoundPlace, Place, bind_place, in_place

_DRIVER_ZONES: Final = {
    EBS: "topology.ebs.csi.aws.com/zone",
    GCE_PD: "topology.gke.io/zone",
    CINDER: "topology.cinder.csi.openstack.org/zone",
}


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """A volume's place over the rows of a view, and its place on rows that have migrated, bool (capacity,)."""

    plain: BoundPlace
    driver: BoundPlace = None
    migrated: BoolArray | None = None

    def match(self, rows: Rows) -> BoolArray:
        """Rows that reach the volume: bool (len(rows),)."""
        there = in_place(self.plain, rows)
        if self.migrated is None:
            return there
        return np.where(self.migrated.take(rows), in_place(self.driver, rows), there)


def whereabouts(volume: PersistentVolume, view: ClusterView) -> Whereabouts:
    """Where the volume of a bound claim can be used."""
    plain = bind_place(volume_place(volume), view)
    plugin = next((plugin for plugin in _DRIVER_ZONES if KINDS[plugin].persistent(volume) is not None), "")
    if not plugin:
        return Whereabouts(plain)
    driver = bind_place(driver_place(volume, _DRIVER_ZONES[plugin]), view)
    return Whereabouts(plain, driver, view.csi_nodes.migrated(plugin))


def driver_place(volume: PersistentVolume, key: str) -> Place:
    """The volume's place in the terms of a driver whose zones have this key."""
    terms = volume_place(volume) or ()
    zone = _zone_label(volume, terms)
    if _values(terms, zone):
        terms = _renamed(terms, zone, key)
    else:
        zones = sorted({name for one in volume.metadata.labels.get(zone, "").split(DELIMITER) if (name := one.strip())})
        if zones:
            here = Requirement(key=key, operator="In", values=tuple(zones))
            terms = tuple(
                msgspec.structs.replace(term, match_expressions=(*term.match_expressions, here))
                for term in terms or (NodeSelectorTerm(),)
            )
    if zone == OLD_ZONE and _values(terms, OLD_REGION):
        terms = _renamed(terms, OLD_REGION, REGION)
    return terms if terms or volume_place(volume) is not None else None


def _zone_label(volume: PersistentVolume, terms: tuple[NodeSelectorTerm, ...]) -> str:
    """The zone label that the volume goes by: that of its affinity, or else that among its own labels."""
    keys = {item.key for term in terms for item in term.match_expressions}
    for names in (keys, volume.metadata.labels.keys()):
        for label in (ZONE, OLD_ZONE):
            if label in names:
                return label
    return ZONE


def _values(terms: tuple[NodeSelectorTerm, ...], key: str) -> bool:
    return any(item.key == key and item.values for term in terms for item in term.match_expressions)


def _renamed(terms: tuple[NodeSelectorTerm, ...], old: str, new: str) -> tuple[NodeSelectorTerm, ...]:
    def renamed(item: Requirement) -> Requirement:
        return msgspec.structs.replace(item, key=new) if item.key == old else item

    return tuple(
        msgspec.structs.replace(term, match_expressions=tuple(renamed(item) for item in term.match_expressions))
        for term in terms
    )
