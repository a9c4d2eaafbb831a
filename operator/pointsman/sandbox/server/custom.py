"""Custom kinds come and go with their CustomResourceDefinitions: registered in the store right after the write."""

from typing import Final

from pointsman.sandbox.crd.definition import kinds_of
from pointsman.sandbox.store.kinds import Kind
from pointsman.sandbox.store.store import Store

_DEFINITIONS: Final = ("apiextensions.k8s.io", "v1", "customresourcedefinitions")


class CustomKinds:
    """Keeps what is served equal to what is defined."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._served: dict[str, tuple[int, tuple[Kind, ...]]] = {}  # by definition: its version and its kinds

    def written(self, kind: Kind) -> None:
        """Something of this kind was written."""
        if kind.key != _DEFINITIONS:
            return
        defined = {stored.name: stored for stored in self._store.list(kind).items}
        for name in self._served.keys() - defined.keys():
            self._withdraw(name, ())
        for name, stored in defined.items():
            version, kinds = self._served.get(name, (0, ()))
            if version != stored.resource_version:
                kinds = kinds_of(stored.object)
                self._withdraw(name, kinds)
                for one in kinds:
                    self._store.register(one)
                self._served[name] = (stored.resource_version, kinds)

    def _withdraw(self, name: str, but: tuple[Kind, ...]) -> None:
        kept = {kind.key for kind in but}
        _, kinds = self._served.pop(name, (0, ()))
        for kind in kinds:
            if kind.key not in kept:
                self._store.unregister(kind)
