"""SchedulingGates: a pod with gates waits outside the queue (schedulinggates/scheduling_gates.go, 1.36).

The gating itself is the queue's, which reads `PodInfo.gates`; here are only the words for it.
"""

from collections.abc import Sequence

NAME = "SchedulingGates"


def reason(gates: Sequence[str]) -> str:
    """Why a gated pod waits."""
    return f"waiting for scheduling gates: [{' '.join(gates)}]"
