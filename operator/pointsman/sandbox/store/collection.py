"""All objects of one kind: by namespace and name, in the order in which they are listed."""

from collections.abc import Iterator
from functools import cached_property

from pointsman.sandbox.store.stored import Stored


class Collection:
    """Objects of one kind. Listing order is that of etcd's keys: namespace, then name."""

    def __init__(self) -> None:
        self._by_namespace: dict[str, dict[str, Stored]] = {}

    def get(self, namespace: str, name: str) -> Stored | None:
        return self._by_namespace.get(namespace, {}).get(name)

    def put(self, stored: Stored) -> None:
        names = self._by_namespace.setdefault(stored.namespace, {})
        if stored.name not in names:
            self._order_changed()
        names[stored.name] = stored

    def remove(self, stored: Stored) -> None:
        names = self._by_namespace[stored.namespace]
        del names[stored.name]
        if not names:
            del self._by_namespace[stored.namespace]
        self._order_changed()

    def ordered(self, namespace: str) -> Iterator[Stored]:
        """Objects of one namespace, of all when it is empty."""
        for one in (namespace,) if namespace else self._sorted:
            names = self._by_namespace.get(one, {})
            yield from map(names.__getitem__, self._sorted.get(one, ()))

    @cached_property
    def _sorted(self) -> dict[str, list[str]]:
        return {namespace: sorted(names) for namespace, names in sorted(self._by_namespace.items())}

    def _order_changed(self) -> None:
        self.__dict__.pop("_sorted", None)
