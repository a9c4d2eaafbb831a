"""Storage objects as the watch showed them, found by key and by one more property, with assumptions laid over them.

The engine acts on a promise before the API server knows of it: a volume that was given to a claim must not be given to
another a moment later. An assumption holds while the watch shows nothing newer; the watch's word counts more, also
where it says less (volumebinding/passive_assume_cache.go, kube-scheduler 1.36).
"""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import msgspec

from pointsman.kube.known import Key, key_of
from pointsman.kube.storage_objects import StorageObject

T = TypeVar("T", bound=StorageObject)


class Kept(Generic[T]):
    """Objects of one kind. `group` is the property to find them by; groups keep the order of arrival."""

    def __init__(self, group: Callable[[T], str] | None = None) -> None:
        self._group: Callable[[T], str] = group or _ungrouped
        self._objects: dict[Key, T] = {}
        self._assumed: dict[Key, T] = {}
        self._groups: dict[str, dict[Key, None]] = {}
        self._watchers: list[Callable[[Key], None]] = []

    def watch(self, watcher: Callable[[Key], None]) -> None:
        """Call with the key of every object that `get` may give otherwise than before."""
        self._watchers.append(watcher)

    def get(self, key: Key) -> T | None:
        """The object with what is assumed about it."""
        return self._assumed.get(key) or self._objects.get(key)

    def seen(self, key: Key) -> T | None:
        """The object as the watch showed it last."""
        return self._objects.get(key)

    def of(self, group: str) -> Sequence[T]:
        """The objects of a group, with what is assumed about them."""
        return [self._assumed.get(key) or self._objects[key] for key in self._groups.get(group, ())]

    def put(self, new: T) -> bool:
        """Take over what the watch shows; whether that differs from what was seen or assumed before."""
        key = key_of(new)
        before, seen = self.get(key), self._objects.get(key)
        if seen is None or self._group(seen) != self._group(new):
            self._leave_group(key)
            self._groups.setdefault(self._group(new), {})[key] = None
        self._objects[key] = new
        if seen is None or seen.metadata.resource_version != new.metadata.resource_version:
            self._assumed.pop(key, None)
        self._tell(key)
        return before is None or not _same(before, self.get(key) or new)

    def pop(self, key: Key) -> bool:
        """Forget an object, and what was assumed about it; whether there was one."""
        if key not in self._objects:
            return False
        self._leave_group(key)
        del self._objects[key]
        self._assumed.pop(key, None)
        self._tell(key)
        return True

    def assume(self, changed: T) -> None:
        """Take the object as changed until the watch shows another version; `changed` must be of the current one.

        ValueError if it is not, or if there is no such object.
        """
        key = key_of(changed)
        seen = self._objects.get(key)
        if seen is None or seen.metadata.resource_version != changed.metadata.resource_version:
            version = "no version" if seen is None else f"version {seen.metadata.resource_version}"
            raise ValueError(
                f"{'/'.join(filter(None, key))}: cannot assume a change of version"
                f" {changed.metadata.resource_version}, the watch has shown {version}"
            )
        self._assumed[key] = changed
        self._tell(key)

    def restore(self, changed: T) -> bool:
        """Take back what was assumed from this version on; whether there was anything."""
        key = key_of(changed)
        assumed = self._assumed.get(key)
        if assumed is None or assumed.metadata.resource_version != changed.metadata.resource_version:
            return False
        del self._assumed[key]
        self._tell(key)
        return True

    def _tell(self, key: Key) -> None:
        for watcher in self._watchers:
            watcher(key)

    def _leave_group(self, key: Key) -> None:
        seen = self._objects.get(key)
        if seen is None:
            return
        group = self._group(seen)
        del self._groups[group][key]
        if not self._groups[group]:
            del self._groups[group]


def _ungrouped(_: object) -> str:
    return ""


def _same(before: T, after: T) -> bool:
    """Whether two versions of an object agree in everything that is read of it."""
    version = after.metadata.resource_version
    metadata = msgspec.structs.replace(before.metadata, resource_version=version)
    return msgspec.structs.replace(before, metadata=metadata) == after
