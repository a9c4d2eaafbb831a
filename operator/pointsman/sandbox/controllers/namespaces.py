"""Namespaces: what is in each from the start, and their end. A namespace that is deleted is emptied before it goes."""

import asyncio
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from pointsman.kube.client import Client
from pointsman.kube.clock import Clock
from pointsman.kube.errors import ApiError, Conflict
from pointsman.kube.known import WatchEvent
from pointsman.kube.resources import CONFIG_MAPS, NAMESPACES, SERVICE_ACCOUNTS, Resource
from pointsman.sandbox.controllers.loop import Loop
from pointsman.sandbox.controllers.mirror import Mirror
from pointsman.sandbox.controllers.objects import Item

_ACCOUNT: Final = "default"
_AUTHORITY: Final = "kube-root-ca.crt"
_FINALIZER: Final = "kubernetes"  # ours; others are for whoever set them
_LOOK_AGAIN_SECONDS: Final = 0.5  # while pods still end


class Namespaces:
    """Keeps namespaces. `kinds` are the kinds that may have objects in one; `authority` is the server's certificate."""

    def __init__(
        self,
        client: Client,
        namespaces: Mirror[Item],
        accounts: Mirror[Item],
        config_maps: Mirror[Item],
        kinds: Callable[[], Iterable[Resource]],
        authority: str,
        *,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        self._client = client
        self._namespaces = namespaces
        self._accounts = accounts
        self._config_maps = config_maps
        self._kinds = kinds
        self._authority = authority
        self.loop: Loop[str] = Loop("namespace", self._reconcile, clock, rng)
        namespaces.listen(lambda event: self.loop.add(event.object.metadata.name))
        accounts.listen(self._on_content)
        config_maps.listen(self._on_content)

    def _on_content(self, event: WatchEvent[Item]) -> None:
        if event.object.metadata.name in (_ACCOUNT, _AUTHORITY):
            self.loop.add(event.object.metadata.namespace)

    async def _reconcile(self, name: str) -> float | None:
        namespace = self._namespaces.get(("", name))
        if namespace is None:
            return None
        if namespace.deleting:
            return await self._end(name, namespace)
        await self._furnish(name)
        return None

    async def _furnish(self, name: str) -> None:
        if self._accounts.get((name, _ACCOUNT)) is None:
            await self._create(SERVICE_ACCOUNTS, name, {"metadata": {"name": _ACCOUNT}})
        if self._config_maps.get((name, _AUTHORITY)) is None:
            body = {"metadata": {"name": _AUTHORITY}, "data": {"ca.crt": self._authority}}
            await self._create(CONFIG_MAPS, name, body)

    async def _create(self, resource: Resource, namespace: str, body: Mapping[str, object]) -> None:
        try:
            await self._client.create(
                resource.path(namespace), {"apiVersion": resource.api_version, "kind": resource.kind, **body}
            )
        except Conflict:
            return  # it is there; the mirror will hear of it

    async def _end(self, name: str, namespace: Item) -> float | None:
        kinds = [one for one in self._kinds() if one.namespaced]
        left = await asyncio.gather(*(self._empty(kind, name) for kind in kinds))
        if any(left):
            return _LOOK_AGAIN_SECONDS
        finalizers = namespace.spec.get("finalizers") or []
        if _FINALIZER in finalizers:
            others = [one for one in finalizers if one != _FINALIZER]
            body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": others}}
            path = NAMESPACES.path(name=name, subresource="finalize")
            await self._client.request("PUT", path, body=msgspec.json.encode(body))
        return None

    async def _empty(self, kind: Resource, namespace: str) -> bool:
        """Delete all objects of a kind there; returns whether some are still left."""
        path = kind.path(namespace)
        try:
            if not (await self._client.get_json(path, limit="1"))["items"]:
                return False
            await self._client.request("DELETE", path)
            return bool((await self._client.get_json(path, limit="1"))["items"])
        except ApiError as error:
            if error.status == 404:  # the kind itself has gone
                return False
            raise
