"""What follows when a pod fits nowhere: whether preemption gets it a node, and what its message says of that.

The words are those of a stock kube-scheduler 1.36, where the plugins DynamicResources and DefaultPreemption have their
say one after the other (RunPostFilterPlugins in framework/runtime/framework.go). We have no DynamicResources, but a
profile that guards it is one that has it on, so its words belong to the message.
"""

import random
from dataclasses import dataclass
from typing import Final

from pointsman.api import catalogue
from pointsman.engine.cycle import fit_error
from pointsman.engine.cycle.filtering import nominated_row
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.preparing import Refused
from pointsman.engine.cycle.search import Search
from pointsman.engine.preemption.choosing import choose
from pointsman.engine.preemption.eligibility import ineligible
from pointsman.engine.preemption.searching import Found, find_candidates
from pointsman.engine.preemption.victims import Candidate
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.document import PreemptionEntry
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray

NO_CLAIMS: Final = "no new claims to deallocate"
# DynamicResources misses what it should have noted in PreFilter; its error ends the round before preemption is asked.
CLAIMS_UNKNOWN: Final = "not found"
_PREFIX: Final = "preemption: "
_CLAIMS_RULE: Final = "DynamicResources"


@dataclass(frozen=True, slots=True)
class Aftermath:
    """`words` end the pod's message. `nomination` is the node that the pod is nominated to from now on, empty for
    none, None if things stay as they are. `asked` tells whether preemption was considered."""

    words: str = ""
    nomination: str | None = None
    candidate: Candidate | None = None
    asked: bool = False


def post_filter(
    policy: Policy,
    pod: PodInfo,
    cluster: PreemptionView,
    candidates: BoolArray,
    nominator: Nominator,
    search: Search,
    rng: random.Random,
) -> Aftermath:
    """Decide after a search that found nothing; `candidates` are the rows that it had. Raises RuleError."""
    claims = _words_on_claims(policy, search.refused)
    settings = policy.document.preemption
    if claims == CLAIMS_UNKNOWN or (claims and settings is None):
        return Aftermath(claims)
    if settings is None:
        return Aftermath(nomination="")
    found = _preempt(settings, pod, cluster, candidates, nominator, search, rng)
    if isinstance(found, Candidate):
        return Aftermath(nomination=found.node, candidate=found, asked=True)
    words, nomination, failed = found
    parts = (words,) if failed or not claims else (claims, words)
    return Aftermath(", ".join(parts), nomination, asked=True)


def _preempt(
    settings: PreemptionEntry,
    pod: PodInfo,
    cluster: PreemptionView,
    candidates: BoolArray,
    nominator: Nominator,
    search: Search,
    rng: random.Random,
) -> Candidate | tuple[str, str | None, bool]:
    """The node to clear; or why there is none, what becomes of the nomination, and whether that is an error."""
    resolvable = search.resolvable(candidates)
    nominated = nominated_row(pod, cluster, nominator)
    if reason := ineligible(pod, nominated, resolvable, cluster):
        return _PREFIX + reason, None, False
    found = find_candidates(settings, pod, cluster, nominator, search, resolvable, rng)
    if found.candidates:
        return choose(found.candidates, rng)
    if found.unneeded:
        return _PREFIX + _unneeded(found.unneeded), None, True
    return _PREFIX + _in_vain(search.node_count, found), "", False


def _in_vain(node_count: int, found: Found) -> str:
    counts = found.reasons.copy()
    if node_count > found.tried:
        counts[fit_error.HELPLESS] += node_count - found.tried
    return fit_error.refused_by_nodes(node_count, counts)


def _unneeded(nodes: tuple[str, ...]) -> str:
    texts = [f'expected at least one victim pod on node "{node}"' for node in nodes]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _words_on_claims(policy: Policy, refused: Refused | None) -> str:
    """What DynamicResources says of a pod without claims, empty if the profile does without that rule."""
    if _CLAIMS_RULE not in policy.document.guards:
        return ""
    if refused is not None and not refused.resolvable and _comes_before_claims(refused.rejectors[-1]):
        return CLAIMS_UNKNOWN
    return NO_CLAIMS


def _comes_before_claims(name: str) -> bool:
    """Whether a predicate that ended PreFilter kept DynamicResources from its turn; other names come after the base."""
    rule, claims = catalogue.canonical(name), catalogue.canonical(_CLAIMS_RULE)
    orders = [entry.order for entry in (rule, claims) if entry is not None and entry.order is not None]
    return len(orders) == 2 and orders[0] < orders[1]
