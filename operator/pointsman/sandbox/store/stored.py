"""One version of an object: the dict that code reads and the bytes that clients get, encoded once per write."""

from functools import cached_property
from typing import Final

import msgspec

from pointsman.sandbox.patching.owners import NOBODY, Owners
from pointsman.sandbox.store.kinds import Kind, Object

encode: Final = msgspec.json.Encoder().encode


class Stored:
    """Immutable. `object` and `encoded` are without `metadata.managedFields`: lists and watches never have them.

    Ownership is worked out only when somebody asks for it, by `complete` or by the next server-side apply.
    """

    def __init__(self, kind: Kind, obj: Object, resource_version: int, owners: Owners = NOBODY) -> None:
        self.kind = kind
        self.object = obj
        self.resource_version = resource_version
        self._owners = owners

    @cached_property
    def encoded(self) -> bytes:
        """As lists and watches show it."""
        return encode(self.object)

    @property
    def owners(self) -> Owners:
        """Who owns which fields."""
        return self._owners

    @cached_property
    def complete(self) -> Object:
        """As a get of this one object and the answer to a write show it, `managedFields` included."""
        self._owners = self._owners.settled(self.kind.schema)
        managed = self._owners.managed_fields()
        if not managed:
            return self.object
        return {**self.object, "metadata": {**self.object["metadata"], "managedFields": managed}}

    @property
    def name(self) -> str:
        name: str = self.object["metadata"]["name"]
        return name

    @property
    def namespace(self) -> str:
        """Empty for cluster-scoped objects."""
        namespace: str = self.object["metadata"].get("namespace", "")
        return namespace

    @property
    def uid(self) -> str:
        uid: str = self.object["metadata"]["uid"]
        return uid
