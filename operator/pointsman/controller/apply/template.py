"""A Deployment's pod template must be ours and nothing else.

Server-side apply leaves what others add (a container, an environment variable, a capability, hostNetwork), and a pod
with a foreign container has the engine's rights. So the whole template is compared with what the API server makes of
ours: defaults, quantities and all. It is asked for that once per template, by a dry run of a create.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from pointsman.api.names import FIELD_MANAGER
from pointsman.controller.apply.drift import RESTARTED_ANNOTATION, fingerprint, restart_mark, same_template
from pointsman.controller.render.children import Child
from pointsman.kube.client import Client, PatchKind, decode

_REMEMBERED: Final = 4096  # templates; one per profile is needed


class Templates:
    """Knows pod templates as the API server stores them. Everything raises as `Client.request` does."""

    def __init__(self, client: Client, may_write: Callable[[], bool]) -> None:
        self._client = client
        self._may_write = may_write
        self._known: dict[str, dict[str, Any]] = {}

    async def correction(self, child: Child, live: dict[str, Any]) -> list[dict[str, Any]] | None:
        """The JSON patch that makes a live Deployment's template ours; None when it is.

        The server is asked anew before anything is corrected: what it makes of a template may have changed.
        """
        template = live["spec"]["template"]
        if same_template(await self._stored(child, remembered=True), template):
            return None
        stored = await self._stored(child, remembered=False)
        if same_template(stored, template):
            return None
        return [
            {"op": "test", "path": "/metadata/resourceVersion", "value": live["metadata"]["resourceVersion"]},
            {"op": "replace", "path": "/spec/template", "value": _restarted(stored, restart_mark(template))},
        ]

    async def correct(self, child: Child, patch: list[dict[str, Any]]) -> dict[str, Any]:
        """Send a correction; Invalid when the Deployment has changed meanwhile."""
        content = await self._client.request(
            "PATCH",
            child.identity.resource.path(child.namespace, child.identity.name),
            query={"fieldManager": FIELD_MANAGER},
            body=msgspec.json.encode(patch),
            content_type=PatchKind.JSON,
            may_send=self._may_write,
        )
        return decode(content, dict)

    async def _stored(self, child: Child, *, remembered: bool) -> dict[str, Any]:
        key = f"{child.identity.name}/{fingerprint(child.body)}"
        if not remembered or key not in self._known:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = await self._dry_run(child)
        return self._known[key]

    async def _dry_run(self, child: Child) -> dict[str, Any]:
        metadata = {key: value for key, value in child.body["metadata"].items() if key != "name"}
        metadata["generateName"] = f"{child.identity.name}-"
        content = await self._client.request(
            "POST",
            child.identity.resource.path(child.namespace),
            query={"dryRun": "All", "fieldManager": FIELD_MANAGER},
            body=msgspec.json.encode({**child.body, "metadata": metadata}),
        )
        template: dict[str, Any] = decode(content, dict)["spec"]["template"]
        return template


def _restarted(template: dict[str, Any], mark: str) -> dict[str, Any]:
    if not mark:
        return template
    metadata = template.get("metadata") or {}
    annotations = {**(metadata.get("annotations") or {}), RESTARTED_ANNOTATION: mark}
    return {**template, "metadata": {**metadata, "annotations": annotations}}
