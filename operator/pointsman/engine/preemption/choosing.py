"""Where preemption does least harm (pickOneNodeForPreemption in preemption.go, 1.36).

Of several candidates that are equal in all respects kube-scheduler takes the first of a Go map; ours is an even draw.
"""

import random
from collections.abc import Sequence

from pointsman.engine.preemption.importance import start_time
from pointsman.engine.preemption.victims import Candidate

_TO_POSITIVE = 2**31  # added to a priority, so that a further victim of negative priority is no gain


def least_harmful(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates among which nothing decides; each has at least one victim."""
    least = min(map(_harm, candidates))
    return [one for one in candidates if _harm(one) == least]


def choose(candidates: Sequence[Candidate], rng: random.Random) -> Candidate:
    """One of the least harmful, each as likely as the others."""
    best = least_harmful(candidates)
    return best[rng.randrange(len(best))]


def _harm(candidate: Candidate) -> tuple[float, ...]:
    """What counts against a candidate, the weightiest first."""
    victims = candidate.victims
    highest = victims[0].priority
    earliest = min(start_time(victim) for victim in victims if victim.priority == highest)
    return (
        candidate.violations,
        highest,
        sum(victim.priority + _TO_POSITIVE for victim in victims),
        len(victims),
        -earliest,
    )
