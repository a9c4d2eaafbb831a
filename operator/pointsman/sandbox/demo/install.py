"""Installing Pointsman on a server as `kubectl apply --server-side` does, from the repository's own files.

Objects of kinds that the server does not serve are left out and told: the sandbox has no admission policies and no
network, a cluster has both.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from pointsman.kube.client import Client, PatchKind
from pointsman.kube.clock import Clock
from pointsman.kube.errors import NotFound
from pointsman.kube.resources import SCHEDULER_PROFILES, Resource

FIELD_MANAGER: Final = "pointsman-demo"
_HERE: Final = Path(__file__).parent
_MANIFESTS: Final = _HERE / "manifests"
_EXAMPLES: Final = _HERE / "examples"
_POLL_SECONDS: Final = 0.1

Manifest = dict[str, Any]


def pointsman() -> Iterator[Manifest]:
    """CustomResourceDefinition, roles and operator, in the order in which the kustomization names their files."""
    for name in yaml.safe_load((_MANIFESTS / "kustomization.yaml").read_text())["resources"]:
        yield from _documents(_MANIFESTS / name)


def profiles(schedulers: Collection[str]) -> list[Manifest]:
    """Those of the examples that serve one of these schedulerNames."""
    found = (manifest for path in sorted(_EXAMPLES.glob("*.yaml")) for manifest in _documents(path))
    return [manifest for manifest in found if manifest["spec"]["schedulerName"] in schedulers]


class Installer:
    """Applies manifests, and knows which kinds the server serves."""

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._served: dict[str, dict[str, Resource]] = {}  # by apiVersion and kind

    async def apply(self, manifests: Iterable[Manifest]) -> list[str]:
        """Apply in order; returns `Kind/name` of what the server does not serve. Raises KubeError."""
        skipped = []
        for manifest in manifests:
            resource = await self._resource(manifest["apiVersion"], manifest["kind"])
            metadata = manifest["metadata"]
            if resource is None:
                skipped.append(f"{manifest['kind']}/{metadata['name']}")
                continue
            await self._client.request(
                "PATCH",
                resource.path(metadata.get("namespace", ""), metadata["name"]),
                query={"fieldManager": FIELD_MANAGER, "fieldValidation": "Strict"},
                body=msgspec.json.encode(manifest),
                content_type=PatchKind.APPLY,
            )
        return skipped

    async def profiles_served(self) -> None:
        """Returns once the server serves SchedulerProfiles: a moment after their definition was applied."""
        wanted = SCHEDULER_PROFILES
        while await self._resource(wanted.api_version, wanted.kind) is None:
            self._served.pop(wanted.api_version)
            await self._clock.sleep(_POLL_SECONDS)

    async def _resource(self, api_version: str, kind: str) -> Resource | None:
        if api_version not in self._served:
            self._served[api_version] = await self._discover(api_version)
        return self._served[api_version].get(kind)

    async def _discover(self, api_version: str) -> dict[str, Resource]:
        group, _, version = api_version.rpartition("/")
        try:
            listed = await self._client.get_json(f"/apis/{api_version}" if group else f"/api/{version}")
        except NotFound:
            return {}
        return {one["kind"]: _read(group, version, one) for one in listed["resources"] if "/" not in one["name"]}


def _read(group: str, version: str, served: Mapping[str, Any]) -> Resource:
    return Resource(group, version, served["name"], served["kind"], served["namespaced"])


def _documents(path: Path) -> Iterator[Manifest]:
    yield from (document for document in yaml.safe_load_all(path.read_text()) if document)
