"""Questions about the pods of other nodes: which of them a rule counts, in a form that can be asked again and again.

Spreading and pod affinity count pods by namespace and labels. A question is a plain value, so that the engine can
recognise it, keep its counts per row up to date from then on, and answer the next pod that asks the same at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.policy.errors import Problem
from pointsman.policy.selectors import LABEL_OPERATORS, LabelTest, equality_tests, label_matcher, label_tests

Asked = tuple[str, str, tuple[str, ...]]
"""One requirement: key, operator, sorted values."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A label selector as a value. No requirements: matches everything, unless `nothing` is set."""

    requirements: tuple[Asked, ...] = ()
    nothing: bool = False

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing in particular and so matches everything."""
        return not self.requirements and not self.nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        return not self.nothing and all(test.answer(labels.get(test.key)) for test in _tests(self.requirements))

    def also(self, labels: Mapping[str, str]) -> "Selector":
        """The selector that asks for these labels as well."""
        return self.both(Selector(tuple((key, "In", (value,)) for key, value in labels.items())))

    def both(self, other: "Selector") -> "Selector":
        """The selector that asks for everything that this one and the other ask for."""
        asked = {*self.requirements, *other.requirements}
        return Selector(tuple(sorted(asked)), self.nothing or other.nothing)


NOTHING: Final = Selector(nothing=True)


def selector_of(selector: LabelSelector | None) -> Selector:
    """A selector from the wire: absent matches nothing, empty matches everything. Raises SelectorError."""
    if selector is None:
        return NOTHING
    label_matcher(selector)  # raises
    asked = {(item.key, item.operator, tuple(sorted(item.values or ()))) for item in selector.match_expressions}
    equal = {(key, "In", (value,)) for key, value in selector.match_labels.items()}
    return Selector(tuple(sorted(asked | equal)))


@dataclass(frozen=True, slots=True)
class PodGroup:
    """Pods of these namespaces (None: of any) whose labels match."""

    namespaces: frozenset[str] | None
    selector: Selector

    def has(self, namespace: str, labels: Mapping[str, str]) -> bool:
        return (self.namespaces is None or namespace in self.namespaces) and self.selector.matches(labels)


@dataclass(frozen=True, slots=True)
class PodQuery:
    """Pods that are in every one of these groups. Pods that are being deleted count only if `terminating`."""

    groups: tuple[PodGroup, ...]
    terminating: bool = True

    def counts(self, namespace: str, labels: Mapping[str, str], *, terminating: bool) -> bool:
        """Whether a pod like this is one of them."""
        return (self.terminating or not terminating) and all(group.has(namespace, labels) for group in self.groups)


@lru_cache(maxsize=4096)
def _tests(requirements: tuple[Asked, ...]) -> tuple[LabelTest, ...]:
    problems: list[Problem] = []
    wire = [Requirement(key=key, operator=operator, values=values) for key, operator, values in requirements]
    equal = [item for item in wire if item.operator == "In" and len(item.values or ()) == 1]
    others = [item for item in wire if item not in equal]
    pairs = ((item.key, (item.values or ("",))[0]) for item in equal)
    exact = tuple(test for key, value in pairs for test in equality_tests({key: value}))
    return (*exact, *label_tests(others, LABEL_OPERATORS, problems))
