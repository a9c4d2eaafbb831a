"""Questions about the pods of other nodes: which of them a rule counts, in a form that can be asked again and again.

Spreading and pod affinity count pods by namespace and labels. A question is a plain value, so that the engine can
recognise it, keep its counts per row up to date from then on, and answer the next pod that asks the same at once.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache, reduce
from typing import Final

from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.policy.errors import Problem
from pointsman.policy.selectors import LABEL_OPERATORS, LabelTest, equality_tests, label_matcher, label_tests

Asked = tuple[str, str, tuple[str, ...]]
"""One requirement: key, operator, distinct values in order."""


@dataclass(frozen=True, slots=True)
class Selector:
    """A label selector as a value. No requirements: matches everything, unless `nothing` is set."""

    requirements: tuple[Asked, ...] = ()
    nothing: bool = False
    _tests: tuple[LabelTest, ...] | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def empty(self) -> bool:
        """Whether it asks for nothing in particular and so matches everything."""
        return not self.requirements and not self.nothing

    def matches(self, labels: Mapping[str, str]) -> bool:
        return not self.nothing and all(test.answer(labels.get(test.key)) for test in self._compiled())

    def demanded(self) -> tuple[str, tuple[str, ...]] | None:
        """A label that whoever matches must have, and its possible values; None when there is none.

        Many selectors can be filed under these, so that only few have to be tried.
        """
        return next(((key, values) for key, operator, values in self.requirements if operator == "In"), None)

    def also(self, labels: Mapping[str, str]) -> "Selector":
        """The selector that asks for these labels as well."""
        return self.both(Selector(tuple((key, "In", (value,)) for key, value in labels.items())))

    def both(self, other: "Selector") -> "Selector":
        """The selector that asks for everything that this one and the other ask for."""
        asked = {*self.requirements, *other.requirements}
        return Selector(tuple(sorted(asked)), self.nothing or other.nothing)

    def without(self, keys: Iterable[str]) -> "Selector":
        """The selector that asks nothing about these labels."""
        dropped = frozenset(keys)
        return Selector(tuple(asked for asked in self.requirements if asked[0] not in dropped), self.nothing)

    def _compiled(self) -> tuple[LabelTest, ...]:
        """Made when first needed and kept: a selector is matched far more often than it is made."""
        tests = self._tests
        if tests is None:
            tests = _tests(self.requirements)
            object.__setattr__(self, "_tests", tests)
        return tests


NOTHING: Final = Selector(nothing=True)


def selector_of(selector: LabelSelector | None) -> Selector:
    """A selector from the wire: absent matches nothing, empty matches everything. Raises SelectorError."""
    if selector is None:
        return NOTHING
    label_matcher(selector)  # raises
    asked = {(item.key, item.operator, tuple(sorted({*(item.values or ())}))) for item in selector.match_expressions}
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

    @property
    def namespaces(self) -> frozenset[str] | None:
        """The namespaces that all groups have in common, None for any."""
        named = [group.namespaces for group in self.groups if group.namespaces is not None]
        return frozenset.intersection(*named) if named else None

    @property
    def selector(self) -> Selector:
        """What all groups ask of the pods' labels."""
        return reduce(Selector.both, (group.selector for group in self.groups), Selector())

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
