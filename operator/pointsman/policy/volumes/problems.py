"""What of a storage object cannot be read, and what follows: told when the object is seen, not whenever it is used.

API servers refuse such objects, so whoever stored one went past them.
"""

from collections.abc import Iterator

from pointsman.kube.quantity import QuantityError, parse
from pointsman.kube.storage_objects import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim
from pointsman.policy.errors import Problem
from pointsman.policy.pod_query import selector_of
from pointsman.policy.selectors import SelectorError
from pointsman.policy.volumes.sizes import STORAGE

Amount = str | int | float | None


def claim_problems(claim: PersistentVolumeClaim) -> Iterator[Problem]:
    """No pod can use a claim whose size cannot be read; a selector that cannot be read selects no volume."""
    yield from _amount("spec.resources.requests.storage", claim.spec.resources.requests.get(STORAGE))
    try:
        selector_of(claim.spec.selector)
    except SelectorError as error:
        yield Problem("spec.selector", str(error))


def volume_problems(volume: PersistentVolume) -> Iterator[Problem]:
    """A volume whose capacity cannot be read fits no claim."""
    yield from _amount("spec.capacity.storage", volume.spec.capacity.get(STORAGE))


def room_problems(room: CSIStorageCapacity) -> Iterator[Problem]:
    """Room that cannot be read is none."""
    yield from _amount("capacity", room.capacity)
    yield from _amount("maximumVolumeSize", room.maximum_volume_size)


def _amount(path: str, amount: Amount) -> Iterator[Problem]:
    try:
        if amount is not None:
            parse(amount)
    except QuantityError as error:
        yield Problem(path, str(error))
