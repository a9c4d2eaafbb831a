"""The words for a pod that fits nowhere, as kube-scheduler 1.36 says them (framework/types.go, FitError).

Users grep these and dashboards count them, so they are an interface. Two texts have no model there: nodes outside the
profile's pool, which kube-scheduler does not know, count with a reason of their own.
"""

from collections.abc import Mapping, Sequence

NO_NODES = "no nodes available to schedule pods"
OUTSIDE_POOL = "node(s) outside the node pool"
NO_VICTIMS = "No preemption victims found for incoming pod"
HELPLESS = "Preemption is not helpful for scheduling"


def refused_at_once(node_count: int, reasons: Sequence[str]) -> str:
    """A predicate refused the pod whatever the node."""
    message = ", ".join(reasons)
    return f"{_head(node_count)} {message}." if message else _head(node_count)


def refused_by_nodes(node_count: int, counts: Mapping[str, int]) -> str:
    """Every node was refused; `counts` tells for each reason on how many of them.

    Entries are sorted as text, so that 10 comes before 2.
    """
    entries = sorted(f"{count} {reason}" for reason, count in counts.items())
    return f"{_head(node_count)} {', '.join(entries)}." if entries else _head(node_count)


def left_out(predicates: Sequence[str]) -> str:
    """The reason of nodes that some predicates ruled out by name before any was looked at."""
    return f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(predicates))}]"


def irreconcilable(predicates: Sequence[str]) -> str:
    """The reason when what predicates name has no node in common."""
    if len(predicates) == 1:
        return f"node(s) didn't satisfy plugin {predicates[0]}"
    return f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(predicates))}] simultaneously"


def _head(node_count: int) -> str:
    return f"0/{node_count} nodes are available:"
