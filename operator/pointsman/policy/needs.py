"""What a pod uses that only a rule which is not in this release could decide about.

By list, because a rule has a hard and a soft half: what its predicate enforces, and what its priority wishes for. What
each rule looks at in a pod is what its plugin's PreFilter or PreScore looks at in kube-scheduler 1.36.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from pointsman.kube.objects import Pod
from pointsman.policy.sides import Side

Asks = Callable[[Pod], str]
"""What a pod uses that needs the rule, in plural words; empty when it does not need it."""


@dataclass(frozen=True, slots=True)
class Need:
    """`fields` are those that `asks` reads; `feature` says in a note whose pods are concerned."""

    rule: str
    feature: str
    asks: Asks
    fields: tuple[str, ...]


def _resource_claims(pod: Pod) -> str:
    return "resource claims" if pod.spec.resource_claims else ""


# In the order in which they are asked: of several rules that a pod needs, the one that says most about it comes first.
NEEDS: Final[dict[Side, tuple[Need, ...]]] = {
    Side.PREDICATES: (Need("DynamicResources", "resource claims", _resource_claims, ("pod.spec.resource_claims",)),),
    Side.PRIORITIES: (),
}

FEATURES: Final = {side: {need.rule: need.feature for need in needs} for side, needs in NEEDS.items()}
"""By list, the rules that can be guarded, with words for the pods that need them."""
