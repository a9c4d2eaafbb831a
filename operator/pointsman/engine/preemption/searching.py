"""Nodes on which preemption would make room (findCandidates and DryRunPreemption in preemption.go, 1.36).

Nodes are tried one after the other from a random one on, until enough are found of which at least one violates no
budget. kube-scheduler tries several at a time, so that it may find a few more.
"""

import random
from collections import Counter
from dataclasses import dataclass

from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.filtering import rivals_by_row
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.search import Search
from pointsman.engine.preemption.potential import potential_rows
from pointsman.engine.preemption.victims import Candidate, victims_on
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.document import PreemptionEntry
from pointsman.policy.pod import PodInfo
from pointsman.policy.view import Rows


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates, and for the nodes that were tried in vain how often each reason stood in the way."""

    candidates: tuple[Candidate, ...]
    reasons: Counter[str]
    tried: int  # nodes that were tried in vain
    unneeded: tuple[str, ...] = ()  # nodes that the pod fits without any victim


def find_candidates(
    settings: PreemptionEntry,
    pod: PodInfo,
    cluster: PreemptionView,
    nominator: Nominator,
    search: Search,
    resolvable: Rows,
    rng: random.Random,
) -> Found:
    """Try the `resolvable` rows of a search that found nothing. Raises RuleError."""
    rivals = rivals_by_row(pod, cluster, nominator)
    potential = potential_rows(search.prepared, resolvable, cluster.pods_below(pod.priority), rivals)
    reasons = Counter({fit_error.NO_VICTIMS: potential.without_victims} if potential.without_victims else {})
    for refusal in potential.refusals:
        reasons.update(refusal.count_reasons())
    wanted = candidates_wanted(settings, len(resolvable))
    candidates: list[Candidate] = []
    unneeded = []
    for row in _from_anywhere(potential.rows, rng):
        outcome = victims_on(row, pod, search.prepared, rivals.get(row, ()), cluster)
        if not isinstance(outcome, Candidate):
            reasons.update(outcome)
        elif not outcome.victims:
            unneeded.append(outcome.node)
        else:
            candidates.append(outcome)
            if len(candidates) >= wanted and any(not one.violations for one in candidates):
                break
    return Found(tuple(candidates), reasons, len(resolvable) - len(candidates), tuple(unneeded))


def candidates_wanted(settings: PreemptionEntry, nodes: int) -> int:
    """How many candidates are enough, of so many nodes that might help."""
    share = nodes * settings.min_candidate_nodes_percentage // 100
    return min(max(share, settings.min_candidate_nodes_absolute), nodes)


def _from_anywhere(rows: Rows, rng: random.Random) -> list[int]:
    """The rows in their order, beginning with any of them."""
    if not len(rows):
        return []
    offset = rng.randrange(len(rows))
    return [*rows[offset:].tolist(), *rows[:offset].tolist()]
