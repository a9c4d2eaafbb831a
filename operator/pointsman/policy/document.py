"""The policy document: what a ConfigMap carries from the operator to an engine, and the hash that names it.

It is the compiled profile as plain data: base expanded, names canonical, weights and args with their defaults, order
fixed. Two specs that mean the same give the same bytes (canonical JSON: sorted keys, no spaces, UTF-8), hence the same
hash, hence no rollout. The engine hashes the bytes that it mounted, not what it decoded from them.
"""

import hashlib
from typing import Any

import msgspec

from pointsman.api.names import POLICY_API_VERSION, SHORT_HASH_LENGTH
from pointsman.kube.objects import LabelSelector


class _Part(msgspec.Struct, frozen=True, rename="camel", kw_only=True, forbid_unknown_fields=True):
    pass


class PredicateEntry(_Part, frozen=True, kw_only=True):
    """One enabled predicate; `name` is the instance, `rule` the canonical rule it is an instance of."""

    name: str
    rule: str
    args: dict[str, Any] = {}


class PriorityEntry(PredicateEntry, frozen=True, kw_only=True):
    """One enabled priority."""

    weight: int


class QueueEntry(_Part, frozen=True, kw_only=True):
    """Back-off of pods that did not fit, in seconds."""

    pod_initial_backoff_seconds: int = 1
    pod_max_backoff_seconds: int = 10


class NodesEntry(_Part, frozen=True, kw_only=True):
    """Which nodes are candidates; None means all."""

    selector: LabelSelector | None = None


class PodsEntry(_Part, frozen=True, kw_only=True):
    """Whose pods are served; None means everybody's."""

    namespace_selector: LabelSelector | None = None


class PreemptionEntry(_Part, frozen=True, kw_only=True):
    """Preemption is on; how many nodes it tries at least, as a percentage of those that might help and in number."""

    min_candidate_nodes_percentage: int = 10
    min_candidate_nodes_absolute: int = 100


class PolicyDocument(_Part, frozen=True, kw_only=True):
    """Everything that an engine needs to know of a profile.

    `preemption` is None where pods are not preempted.
    `guards` are rules that are on but not built in this release: a pod that needs one is not guessed at, it waits.
    """

    api_version: str = POLICY_API_VERSION
    profile: str
    scheduler_name: str
    predicates: tuple[PredicateEntry, ...] = ()
    priorities: tuple[PriorityEntry, ...] = ()
    guards: tuple[str, ...] = ()
    nodes: NodesEntry = NodesEntry()
    pods: PodsEntry = PodsEntry()
    queue: QueueEntry = QueueEntry()
    preemption: PreemptionEntry | None = PreemptionEntry()


def canonical_json(document: PolicyDocument) -> bytes:
    """The bytes that are hashed, stored and mounted."""
    return msgspec.json.encode(msgspec.to_builtins(document), order="sorted")


def content_hash(content: bytes) -> str:
    """`sha256:<hex>` of a policy document's bytes."""
    return "sha256:" + hashlib.sha256(content).hexdigest()


def short_hash(full: str) -> str:
    """The ten hex digits that names, status and reports use."""
    return full.removeprefix("sha256:")[:SHORT_HASH_LENGTH]
