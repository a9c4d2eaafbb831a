"""Server-side apply: the one way in which we write objects that we own.

Sent as JSON (which is YAML) with `force`: what we render is ours. Fields that others may own are left out of `obj`.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from pointsman.api.names import FIELD_MANAGER
from pointsman.kube.client import Client, PatchKind, decode
from pointsman.kube.resources import Resource


async def apply(
    client: Client,
    resource: Resource,
    obj: dict[str, Any],
    *,
    dry_run: bool = False,
    subresource: str = "",
    may_send: Callable[[], bool] | None = None,
) -> dict[str, Any]:
    """Apply `obj` (apiVersion, kind, metadata.name and exactly the fields that we own) and return it as stored.

    `dry_run` asks the server what would be stored. `may_send` and what is raised are those of `Client.request`.
    """
    metadata = obj["metadata"]
    query = {"fieldManager": FIELD_MANAGER, "force": "true"}
    if dry_run:
        query["dryRun"] = "All"
    content = await client.request(
        "PATCH",
        resource.path(metadata.get("namespace", ""), metadata["name"], subresource),
        query=query,
        body=msgspec.json.encode(obj),
        content_type=PatchKind.APPLY,
        may_send=may_send,
    )
    return decode(content, dict)
