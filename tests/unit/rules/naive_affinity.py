"""InterPodAffinity once more, pod by pod and node by node, straight from its description: slow, and easy to trust.

Works on wire objects and plain dictionaries (scheduler-semantics.md 2.13); shares nothing with the rule.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from pointsman.kube.objects import LabelSelector, Node, Pod, PodAffinity, PodAffinityTerm

Namespaces = Mapping[str, Mapping[str, str]]
NONE = PodAffinity()


def selects(selector: LabelSelector | None, labels: Mapping[str, str]) -> bool:
    if selector is None:
        return False
    for key, value in selector.match_labels.items():
        if labels.get(key) != value:
            return False
    for item in selector.match_expressions:
        answer = {
            "In": labels.get(item.key) in (item.values or ()),
            "NotIn": labels.get(item.key) not in (item.values or ()),
            "Exists": item.key in labels,
            "DoesNotExist": item.key not in labels,
        }[item.operator]
        if not answer:
            return False
    return True


def means(term: PodAffinityTerm, owner: Pod, other: Pod, labels: Mapping[str, str], also: frozenset[str]) -> bool:
    """`labels` are those that the namespace selector is asked with, `also` namespaces that it was made into."""
    named = term.namespaces or (() if term.namespace_selector else (owner.metadata.namespace,))
    near = other.metadata.namespace in (*named, *also) or selects(term.namespace_selector, labels)
    return near and selects(term.label_selector, other.metadata.labels)


def halves(pod: Pod) -> tuple[PodAffinity, PodAffinity]:
    affinity = pod.spec.affinity
    return (NONE, NONE) if affinity is None else (affinity.pod_affinity or NONE, affinity.pod_anti_affinity or NONE)


class Naive:
    """One incoming pod among placed pods."""

    def __init__(self, pod: Pod, nodes: Sequence[Node], placed: Sequence[Pod], namespaces: Namespaces) -> None:
        self.pod = pod
        self.nodes = nodes
        self.namespaces = namespaces
        known = {node.metadata.name: node for node in nodes}
        self.placed = [(other, known[other.spec.node_name]) for other in placed if other.spec.node_name in known]

    def by_own(self, term: PodAffinityTerm, other: Pod) -> bool:
        selector = term.namespace_selector
        listed = [name for name, labels in self.namespaces.items() if selects(selector, labels)]
        return means(term, self.pod, other, {}, frozenset(listed))

    def by_theirs(self, term: PodAffinityTerm, other: Pod) -> bool:
        labels = self.namespaces.get(self.pod.metadata.namespace, {})
        return means(term, other, self.pod, labels, frozenset())

    def refused(self, node: Node) -> str:
        """Which of the three checks fails first on a node; empty when it fits."""
        near, far = (half.required_during_scheduling_ignored_during_execution for half in halves(self.pod))
        labels = node.metadata.labels
        affinity: Counter[tuple[str, str]] = Counter()
        anti: Counter[tuple[str, str]] = Counter()
        existing: Counter[tuple[str, str]] = Counter()
        for other, at in self.placed:
            here = at.metadata.labels
            if all(self.by_own(term, other) for term in near):
                affinity.update(
                    (term.topology_key, here[term.topology_key]) for term in near if term.topology_key in here
                )
            anti.update(
                (term.topology_key, here[term.topology_key])
                for term in far
                if term.topology_key in here and self.by_own(term, other)
            )
            existing.update(
                (term.topology_key, here[term.topology_key])
                for term in halves(other)[1].required_during_scheduling_ignored_during_execution
                if term.topology_key in here and self.by_theirs(term, other)
            )
        if any(term.topology_key not in labels for term in near):
            return "affinity"
        if not all((term.topology_key, labels[term.topology_key]) in affinity for term in near):
            first = not affinity and all(self.by_own(term, self.pod) for term in near)
            if not first:
                return "affinity"
        if any((term.topology_key, labels.get(term.topology_key)) in anti for term in far):
            return "anti"
        return "existing" if any(pair in existing for pair in labels.items()) else ""

    def points(self, node: Node, hard: int, ignore: bool) -> int:
        """The score of a node before the reduce step."""
        near, far = (half.preferred_during_scheduling_ignored_during_execution for half in halves(self.pod))
        if ignore and not near and not far:
            return 0
        joined: list[tuple[str, int, Node]] = []
        for other, at in self.placed:
            for sign, terms in ((1, near), (-1, far)):
                joined += [
                    (item.pod_affinity_term.topology_key, sign * item.weight, at)
                    for item in terms
                    if self.by_own(item.pod_affinity_term, other)
                ]
            theirs, shunned = halves(other)
            joined += [
                (term.topology_key, hard, at)
                for term in theirs.required_during_scheduling_ignored_during_execution
                if self.by_theirs(term, other)
            ]
            for sign, half in ((1, theirs), (-1, shunned)):
                joined += [
                    (item.pod_affinity_term.topology_key, sign * item.weight, at)
                    for item in half.preferred_during_scheduling_ignored_during_execution
                    if self.by_theirs(item.pod_affinity_term, other)
                ]
        labels = node.metadata.labels
        return sum(weight for key, weight, at in joined if key in labels and at.metadata.labels.get(key) == labels[key])
