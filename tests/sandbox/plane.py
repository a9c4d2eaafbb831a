"""A sandbox that a test holds as if it were a control plane: with kubectl, credentials and a log of all calls."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any, Final

import msgspec
import yaml

from pointsman.kube.clock import SystemClock
from pointsman.sandbox.sandbox import Sandbox
from pointsman.sandbox.server.api import Done, Observer
from tests.controlplane.in_thread import in_thread
from tests.controlplane.plane import ControlPlane
from tests.manifests.install import files

START_SECONDS: Final = 30.0
NOT_SERVED: Final = ("NetworkPolicy", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding")


@contextmanager
def sandbox_plane(folder: Path, kubectl: Path) -> Iterator[ControlPlane]:
    """A sandbox in a thread with an event loop of its own, for as long as the block lasts."""
    folder.mkdir()
    audit_log = folder / "audit.log"
    with (
        audit_log.open("ab", buffering=0) as log,
        in_thread(lambda: Sandbox(folder, observer=_writer(log)), "sandbox", START_SECONDS) as (sandbox, _),
    ):
        kubeconfig = yaml.safe_load(sandbox.kubeconfig.read_text())
        yield ControlPlane(
            url=sandbox.url,
            folder=folder,
            kubeconfig=sandbox.kubeconfig,
            ca=sandbox.ca,
            token=kubeconfig["users"][0]["user"]["token"],
            audit_log=audit_log,
            kubectl_path=kubectl,
            processes=(),
        )


def install(plane: ControlPlane) -> None:
    """Apply the plain manifests, without the kinds that a sandbox does not serve."""
    definitions: list[dict[str, Any]] = []
    others: list[dict[str, Any]] = []
    for path in files():
        for document in yaml.safe_load_all(path.read_text()):
            if document["kind"] not in NOT_SERVED:
                (definitions if document["kind"] == "CustomResourceDefinition" else others).append(document)
    plane.apply(yaml.safe_dump_all(definitions))
    plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=20s")
    plane.apply(yaml.safe_dump_all(others))


def _writer(log: IO[bytes]) -> Observer:
    """Writes calls as a real API server's audit log has them, as far as the tests read it."""
    clock = SystemClock()

    def write(done: Done) -> None:
        log.write(msgspec.json.encode(_entry(done, clock.now())) + b"\n")

    return write


def _entry(done: Done, now: datetime) -> dict[str, Any]:
    access, status = done.access, 200 if done.answer is None else done.answer.status
    said = msgspec.json.decode(done.answer.body) if done.answer is not None and status in (401, 403) else {}
    binding = access.subresource == "binding" and done.call.body
    return {
        "stage": "ResponseComplete",
        "verb": access.verb,
        "requestURI": done.call.path,
        "user": {"username": done.user.name, "groups": done.user.groups, "extra": dict(done.user.extra)},
        "objectRef": {
            "apiGroup": access.group,
            "resource": access.resource,
            "subresource": access.subresource,
            "namespace": access.namespace,
            "name": access.name,
        },
        "responseStatus": {"code": status, "reason": said.get("reason", ""), "message": said.get("message", "")},
        "requestObject": msgspec.json.decode(done.call.body) if binding else None,
        "requestReceivedTimestamp": now,
        "stageTimestamp": now,
    }
