"""What the audit log and the API server prove after a test: who bound what, who was refused, who overcommitted a node.

Nothing here asks Pointsman. Sums of requests are made from plain pod manifests, bindings are read from the API
server's own log, so that a fault in the engine's accounting cannot hide itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tests.controlplane.audit import AuditEvent

ENGINE_USER = "system:serviceaccount:pointsman-engines:engine-"
OPERATOR_USERS = "system:serviceaccount:pointsman-system:"
STOCK_SCHEDULER_USER = "system:kube-scheduler"
FINISHED = ("Succeeded", "Failed")

_BYTES = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


@dataclass(frozen=True, slots=True)
class Binding:
    """One pod that was bound: by which user, from which pod, to which node, when the call was answered."""

    namespace: str
    pod: str
    node: str
    user: str
    by_pod: str
    at: datetime


def bindings(log: Iterable[AuditEvent]) -> Iterator[Binding]:
    """Every binding that the API server accepted, oldest first."""
    for event in log:
        reference = event.object_ref
        if event.verb == "create" and reference.subresource == "binding" and event.code == 201:
            target = (event.request_object or {}).get("target", {})
            yield Binding(
                reference.namespace, reference.name, target.get("name", ""), event.user.username, event.pod,
                event.stage_timestamp,
            )  # fmt: skip


def refusals(log: Iterable[AuditEvent], profiles: Iterable[str]) -> list[str]:
    """Calls of Pointsman's own users that were answered 401 or 403, in words.

    An engine whose profile is not among `profiles` any more may be refused while it is being deleted.
    """
    engines = {f"{ENGINE_USER}{profile}" for profile in profiles}
    return [
        f"{event.user.username} {event.verb} {event.request_uri}: {event.code} {event.response_status.message}"
        for event in log
        if event.refused and (event.user.username in engines or event.user.username.startswith(OPERATOR_USERS))
    ]


def overcommitted(nodes: Iterable[Mapping[str, Any]], pods: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Nodes whose bound pods ask for more cpu, memory or pods than the node has, each with the figures."""
    used: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for pod in pods:
        node = pod["spec"].get("nodeName")
        if node and pod["status"].get("phase") not in FINISHED:
            used[node]["pods"] += 1
            for container in pod["spec"]["containers"]:
                for name, text in container.get("resources", {}).get("requests", {}).items():
                    used[node][name] += amount(name, text)
    found: dict[str, str] = {}
    for node in nodes:
        name = node["metadata"]["name"]
        allocatable = node["status"]["allocatable"]
        for resource, wanted in used[name].items():
            if wanted > amount(resource, allocatable.get(resource, "0")):
                found[name] = f"{resource}: {wanted} asked, {allocatable.get(resource, '0')} there"
    return found


def amount(resource: str, text: str) -> int:
    """A quantity of the kinds that these tests use: millicores for cpu, else bytes or a count."""
    if resource == "cpu":
        return int(text[:-1]) if text.endswith("m") else int(text) * 1000
    for suffix, factor in _BYTES.items():
        if text.endswith(suffix):
            return int(text[: -len(suffix)]) * factor
    return int(text)
