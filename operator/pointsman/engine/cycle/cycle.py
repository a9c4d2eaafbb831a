"""One scheduling decision: the best node for a pod; or why there is none, and whose eviction would make room.

A pure function of the policy, the pod, the columns and the seeded generator: nothing is written, nothing awaited.
Charging the pod to the chosen node (`Cluster.assume`), the binding, evictions and nominations are the caller's. Every
node is filtered and scored; kube-scheduler's sampling of large clusters has no counterpart.
"""

import random
from dataclasses import dataclass

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.reserving import reserve
from pointsman.engine.cycle.scoring import best, draw, score_rows, total
from pointsman.engine.cycle.search import Search
from pointsman.engine.preemption.post_filter import post_filter
from pointsman.engine.preemption.victims import Candidate
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray, ClusterView


@dataclass(frozen=True, slots=True)
class Decision:
    """Where a pod goes. `row` and `node` are None and empty when it fits nowhere; `message` then says why.

    For such a pod `nomination` is the node that it is nominated to from now on, empty for none, None if things stay as
    they are.
    """

    row: int | None
    node: str
    feasible: int  # nodes that passed every predicate
    evaluated: int  # nodes that were looked at
    message: str = ""
    reasons: tuple[str, ...] = ()  # those in the message, each once, without counts
    rejectors: frozenset[str] = frozenset()  # instances that refused a node or the pod, and search.POOL_REJECTOR
    nomination: str | None = ""
    preemption: Candidate | None = None  # whose eviction makes room on the nominated node
    asked_preemption: bool = False
    reserved: tuple[object, ...] = ()  # what predicates want to be set aside on the node, before the pod is bound


def schedule(
    policy: Policy,
    pod: PodInfo,
    cluster: PreemptionView,
    candidates: BoolArray,
    nominator: Nominator,
    rng: random.Random,
) -> Decision:
    """Decide on one pod. `candidates` is bool (capacity,): the rows of the profile's nodes. Raises RuleError."""
    if not cluster.node_count:
        return Decision(None, "", 0, 0, fit_error.NO_NODES, (fit_error.NO_NODES,))
    found = search(policy, pod, cluster, candidates, nominator)
    if not len(found.feasible):
        after = post_filter(policy, pod, cluster, candidates, nominator, found, rng)
        counts = found.reason_counts()
        message = " ".join(filter(None, (found.message(counts), after.words)))
        return Decision(
            row=None,
            node="",
            feasible=0,
            evaluated=found.evaluated,
            message=message,
            reasons=tuple(counts),
            rejectors=found.rejectors(),
            nomination=after.nomination,
            preemption=after.candidate,
            asked_preemption=after.asked,
        )
    row = _choose(policy, pod, cluster, found, rng)
    reserved = reserve(found.prepared, row)
    return Decision(row, cluster.node_name(row), len(found.feasible), found.evaluated, reserved=reserved)


def _choose(policy: Policy, pod: PodInfo, cluster: ClusterView, found: Search, rng: random.Random) -> int:
    rows = found.feasible
    if len(rows) == 1:
        return int(rows[0])
    totals = total(score_rows(policy, pod, cluster, rows), len(rows))
    return draw(best(rows, totals), rng)
