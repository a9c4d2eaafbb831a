"""The ConfigMaps and Secrets that a pod refers to: which ones, and their content.

An immutable one is read once for a pod; of the others the newest content is taken whenever somebody asks, which is
cheaper than a watch for each as long as mapped pods are few.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from pointsman.kube.client import Client
from pointsman.kube.errors import NotFound
from pointsman.kube.resources import CONFIG_MAPS, Resource
from pointsman.sandbox.agent.podspec import ConfigMap, Container, Secret, Volume

SECRETS: Final = Resource("", "v1", "secrets", "Secret")
ROOT_CA_CONFIG_MAP: Final = "kube-root-ca.crt"  # published into every namespace by kube-controller-manager


class ConfigError(Exception):
    """A pod cannot be started as it is written, or not yet; the message is for its status."""


@dataclass(frozen=True, slots=True)
class Reference:
    """One object of the pod's namespace."""

    kind: str  # ConfigMap or Secret
    name: str


Content = Mapping[str, bytes]
Contents = Mapping[Reference, Content | None]  # None: there is no such object


def config_map(name: str) -> Reference:
    """A ConfigMap of the pod's namespace."""
    return Reference("ConfigMap", name)


def secret(name: str) -> Reference:
    """A Secret of the pod's namespace."""
    return Reference("Secret", name)


def environment_references(containers: Iterable[Container]) -> Iterator[Reference]:
    """What the environments refer to."""
    for container in containers:
        for source in container.env_from:
            if source.config_map_ref is not None:
                yield config_map(source.config_map_ref.name)
            if source.secret_ref is not None:
                yield secret(source.secret_ref.name)
        for variable in container.env:
            if variable.value_from is None:
                continue
            if variable.value_from.config_map_key_ref is not None:
                yield config_map(variable.value_from.config_map_key_ref.name)
            if variable.value_from.secret_key_ref is not None:
                yield secret(variable.value_from.secret_key_ref.name)


def volume_references(volumes: Iterable[Volume]) -> Iterator[Reference]:
    """What the volumes refer to."""
    for volume in volumes:
        if volume.config_map is not None:
            yield config_map(volume.config_map.name)
        if volume.secret is not None:
            yield secret(volume.secret.secret_name)
        for source in volume.projected.sources if volume.projected is not None else ():
            if source.config_map is not None:
                yield config_map(source.config_map.name)
            if source.secret is not None:
                yield secret(source.secret.name)


def pick(contents: Contents, reference: Reference, key: str, optional: bool) -> bytes | None:
    """One key's bytes; None when it is missing and may be. Raises ConfigError in the kubelet's words."""
    content = contents.get(reference)
    if content is not None and key in content:
        return content[key]
    if optional:
        return None
    if content is None:
        raise ConfigError(f'{reference.kind.lower()} "{reference.name}" not found')
    raise ConfigError(f'couldn\'t find key {key} in {reference.kind} "{reference.name}"')


class Sources:
    """Reads objects for one pod."""

    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace
        self._immutable: dict[Reference, Content] = {}

    async def read(self, references: Iterable[Reference]) -> Contents:
        """The objects' content now. Raises KubeError when the API server does not answer or refuses."""
        return {reference: await self._read(reference) for reference in dict.fromkeys(references)}

    async def _read(self, reference: Reference) -> Content | None:
        if reference in self._immutable:
            return self._immutable[reference]
        try:
            content, immutable = await self._fetch(reference)
        except NotFound:
            return None
        if immutable:
            self._immutable[reference] = content
        return content

    async def _fetch(self, reference: Reference) -> tuple[Content, bool]:
        if reference.kind == "Secret":
            found = await self._client.get(SECRETS.path(self._namespace, reference.name), Secret)
            return found.data, found.immutable
        got = await self._client.get(CONFIG_MAPS.path(self._namespace, reference.name), ConfigMap)
        return {**{key: text.encode() for key, text in got.data.items()}, **got.binary_data}, got.immutable
