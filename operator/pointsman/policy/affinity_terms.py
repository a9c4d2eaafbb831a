"""Pod affinity terms as values: what a pod asks of the pods around it, and for that matter they of it.

Read once when a pod's event arrives. Pods of one workload carry the same terms, so each distinct affinity of a
namespace is read once and its terms are shared: equal terms can be counted together. Semantics are those of
AffinityTerm in kube-scheduler 1.36 (staging/src/k8s.io/kube-scheduler/framework/types.go).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple, TypeVar

import msgspec

from pointsman.kube.objects import LabelSelector, Pod, PodAffinity, PodAffinityTerm, WeightedPodAffinityTerm
from pointsman.policy.errors import Problem
from pointsman.policy.pod_query import Selector, selector_of
from pointsman.policy.selectors import SelectorError

W = TypeVar("W", PodAffinityTerm, WeightedPodAffinityTerm)

_INT32: Final = range(-(2**31), 2**31)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"


class AffinityTerm(NamedTuple):
    """One term. Who is meant: pods of a listed namespace or of one whose labels match, if their own labels match."""

    topology_key: str
    namespaces: frozenset[str]  # listed, or the pod's own where it names none
    namespace_selector: Selector  # matches nothing when absent
    selector: Selector
    weight: int = 0  # 0 for required terms


@dataclass(frozen=True, slots=True)
class AffinityTerms:
    """The four lists of a pod. A list with a term that cannot be read is empty, and `errors` says why."""

    required: tuple[AffinityTerm, ...] = ()
    preferred: tuple[AffinityTerm, ...] = ()
    required_anti: tuple[AffinityTerm, ...] = ()
    preferred_anti: tuple[AffinityTerm, ...] = ()
    errors: tuple[str, ...] = ()  # naming field and value


NO_TERMS: Final = AffinityTerms()


def affinity_terms(pod: Pod) -> AffinityTerms:
    """The terms of a pod from the wire. Never raises."""
    affinity = pod.spec.affinity
    if affinity is None or (affinity.pod_affinity is None and affinity.pod_anti_affinity is None):
        return NO_TERMS
    text = msgspec.msgpack.encode((affinity.pod_affinity, affinity.pod_anti_affinity))
    return _terms(pod.metadata.namespace, text)


@lru_cache(maxsize=4096)
def _terms(namespace: str, text: bytes) -> AffinityTerms:
    """The encoded affinity stands for itself: wire structs hold maps and so cannot be keys."""
    affinity, anti = msgspec.msgpack.decode(text, type=tuple[PodAffinity | None, PodAffinity | None])
    errors: list[str] = []
    required, preferred = _halves(affinity, "spec.affinity.podAffinity", namespace, errors)
    required_anti, preferred_anti = _halves(anti, "spec.affinity.podAntiAffinity", namespace, errors)
    return AffinityTerms(required, preferred, required_anti, preferred_anti, tuple(errors))


def _halves(
    affinity: PodAffinity | None, path: str, namespace: str, errors: list[str]
) -> tuple[tuple[AffinityTerm, ...], tuple[AffinityTerm, ...]]:
    """Required and preferred terms."""
    if affinity is None:
        return (), ()
    required = affinity.required_during_scheduling_ignored_during_execution
    preferred = affinity.preferred_during_scheduling_ignored_during_execution
    return (
        _list(required, lambda at, term: _term(term, at, namespace), f"{path}.{_REQUIRED}", errors),
        _list(preferred, lambda at, entry: _weighted(entry, at, namespace), f"{path}.{_PREFERRED}", errors),
    )


def _list(
    terms: Iterable[W], read: Callable[[str, W], AffinityTerm], path: str, errors: list[str]
) -> tuple[AffinityTerm, ...]:
    """One list of terms. A single bad one spoils all of it, as in kube-scheduler (GetAffinityTerms)."""
    try:
        return tuple(read(f"{path}[{index}]", term) for index, term in enumerate(terms))
    except ValueError as error:
        errors.append(str(error))
        return ()


def _weighted(entry: WeightedPodAffinityTerm, path: str, namespace: str) -> AffinityTerm:
    if entry.weight not in _INT32:
        raise ValueError(f"{path}.weight: {entry.weight} is not a 32-bit number")
    return _term(entry.pod_affinity_term, f"{path}.podAffinityTerm", namespace)._replace(weight=entry.weight)


def _term(term: PodAffinityTerm, path: str, namespace: str) -> AffinityTerm:
    own = not term.namespaces and term.namespace_selector is None
    return AffinityTerm(
        topology_key=term.topology_key,
        namespaces=frozenset((namespace,) if own else term.namespaces),
        namespace_selector=_selector(term.namespace_selector, f"{path}.namespaceSelector"),
        selector=_selector(term.label_selector, f"{path}.labelSelector"),
    )


def _selector(selector: LabelSelector | None, path: str) -> Selector:
    try:
        return selector_of(selector)
    except SelectorError as error:
        problems = (Problem(f"{path}.{problem.path}", problem.message) for problem in error.problems)
        raise SelectorError(tuple(problems)) from None
