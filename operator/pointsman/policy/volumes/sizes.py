"""How much storage claims ask for and volumes have; what cannot be read has no size."""

from pointsman.kube.quantity import Quantity, QuantityError, parse
from pointsman.kube.storage_objects import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim

STORAGE = "storage"


def requested_by(claim: PersistentVolumeClaim) -> Quantity:
    """What a claim asks for, nothing if it does not say. Raises QuantityError."""
    return parse(claim.spec.resources.requests.get(STORAGE, 0))


def capacity_of(volume: PersistentVolume) -> Quantity | None:
    """What a volume holds; None when that cannot be read."""
    try:
        return parse(volume.spec.capacity.get(STORAGE, 0))
    except QuantityError:
        return None


def room_in(capacity: CSIStorageCapacity) -> int:
    """Bytes of the largest volume that can still be made: `maximumVolumeSize` where the driver tells; -1 if none can.

    volumeLimit, volumebinding/binder.go, 1.36.
    """
    limit = capacity.maximum_volume_size if capacity.maximum_volume_size is not None else capacity.capacity
    try:
        return -1 if limit is None else parse(limit).value()
    except QuantityError:
        return -1
