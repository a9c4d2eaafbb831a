"""Pods for these tests, decoded from what an API server would send."""

from pathlib import Path
from typing import Any

import msgspec

from pointsman.sandbox.agent.environment import PodFacts
from pointsman.sandbox.agent.paths import PodFolder
from pointsman.sandbox.agent.podspec import Container, Pod, Volume

FOLDER = PodFolder(Path("/scratch/pods/ns_web_u1"), Path("/scratch/logs/ns_web_u1"))


def make_container(**fields: Any) -> Container:
    return msgspec.convert({"name": "main", "image": "app:1", **fields}, Container)


def make_pod(*containers: dict[str, Any], **fields: Any) -> Pod:
    """A pod `ns/web` of uid u1; `spec`, `status` and `metadata` add to it. Without containers it has one, `main`."""
    metadata = {"name": "web", "namespace": "ns", "uid": "u1", **fields.get("metadata", {})}
    spec = {"nodeName": "node-1", "containers": list(containers) or [{"name": "main", "image": "app:1"}]}
    pod = {"metadata": metadata, "spec": spec | fields.get("spec", {}), "status": fields.get("status", {})}
    return msgspec.convert(pod, Pod)


def make_volume(**fields: Any) -> Volume:
    return msgspec.convert({"name": "files", **fields}, Volume)


def facts(pod: Pod, folder: PodFolder = FOLDER) -> PodFacts:
    return PodFacts(pod, "127.64.0.9", "127.127.0.1", folder)
