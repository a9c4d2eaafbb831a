"""Spread constraints as values: over which domains, of which pods, how unevenly at most.

A pod's own are read once when its event arrives; pods of one workload carry the same, so each distinct list is read
once. Semantics: podtopologyspread/common.go of kube-scheduler 1.36.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from pointsman.kube.objects import Pod, TopologySpreadConstraint
from pointsman.policy.errors import Problem
from pointsman.policy.pod_query import Selector, selector_of
from pointsman.policy.selectors import SelectorError

HARD: Final = "DoNotSchedule"
SOFT: Final = "ScheduleAnyway"
HONOR: Final = "Honor"


class SpreadConstraint(NamedTuple):
    """One constraint. Only nodes that its policies let in count, with their pods, as part of a domain."""

    topology_key: str
    when_unsatisfiable: str  # HARD or SOFT
    max_skew: int
    selector: Selector
    min_domains: int = 1
    honors_affinity: bool = True
    honors_taints: bool = False


class SpreadConstraints(NamedTuple):
    """A pod's own constraints; with one that cannot be read there are none, and `errors` says why."""

    constraints: tuple[SpreadConstraint, ...] = ()
    errors: tuple[str, ...] = ()  # naming field and value


NO_CONSTRAINTS: Final = SpreadConstraints()


def spread_constraints(pod: Pod) -> SpreadConstraints:
    """The constraints of a pod from the wire. Never raises."""
    written, labels = pod.spec.topology_spread_constraints, pod.metadata.labels
    if not written:
        return NO_CONSTRAINTS
    keys = {key for constraint in written for key in constraint.match_label_keys}
    return _read(msgspec.msgpack.encode(written), frozenset((key, labels[key]) for key in keys if key in labels))


def constraint_of(written: TopologySpreadConstraint, selector: Selector) -> SpreadConstraint:
    """A constraint whose selector has been read; what is absent gets its default."""
    return SpreadConstraint(
        topology_key=written.topology_key,
        when_unsatisfiable=written.when_unsatisfiable,
        max_skew=written.max_skew,
        selector=selector,
        min_domains=1 if written.min_domains is None else written.min_domains,
        honors_affinity=written.node_affinity_policy in ("", HONOR),
        honors_taints=written.node_taints_policy == HONOR,
    )


@lru_cache(maxsize=4096)
def _read(text: bytes, labels: frozenset[tuple[str, str]]) -> SpreadConstraints:
    """The encoded constraints stand for themselves: wire structs hold maps and so cannot be keys.

    `labels` are those of the pod's that some constraint's matchLabelKeys name.
    """
    written = msgspec.msgpack.decode(text, type=tuple[TopologySpreadConstraint, ...])
    problems: list[Problem] = []
    constraints = tuple(
        constraint_of(constraint, _selector(constraint, dict(labels), index, problems))
        for index, constraint in enumerate(written)
    )
    return SpreadConstraints((), tuple(map(str, problems))) if problems else SpreadConstraints(constraints)


def _selector(
    constraint: TopologySpreadConstraint, labels: dict[str, str], index: int, problems: list[Problem]
) -> Selector:
    """The pods that the constraint counts; what is wrong is added to `problems`."""
    try:
        selector = selector_of(constraint.label_selector)
    except SelectorError as error:
        path = f"spec.topologySpreadConstraints[{index}].labelSelector"
        problems += (Problem(f"{path}.{problem.path}", problem.message) for problem in error.problems)
        return Selector()
    return selector.also({key: labels[key] for key in constraint.match_label_keys if key in labels})


def of_kind(constraints: Sequence[SpreadConstraint], when_unsatisfiable: str) -> tuple[SpreadConstraint, ...]:
    """Those that are HARD, or those that are SOFT."""
    return tuple(constraint for constraint in constraints if constraint.when_unsatisfiable == when_unsatisfiable)
