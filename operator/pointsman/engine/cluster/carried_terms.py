"""Distinct pod affinity terms of placed pods, each with the number of its carriers per row.

A decision asks whom running pods keep away or draw near. That is answered per distinct term, of which a workload has a
few however many replicas it runs; a pod that comes or goes changes one number for each of its own terms. A term goes
with its last carrier.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.policy.affinity_terms import AffinityTerm, AffinityTerms
from pointsman.policy.view import CarriedTerm, TermKind

_Label = tuple[str, str]
_ANY: Final[_Label] = ("", "")  # stands for pods with any labels: no label has an empty key
_NONE: Final[Mapping[AffinityTerm, CarriedTerm]] = {}


class _Carriers:
    """A column, and its sum."""

    __slots__ = ("column", "total")

    def __init__(self, capacity: int) -> None:
        self.column: Column[np.int64] = Column(np.int64, capacity)
        self.total = 0

    def add(self, row: int, amount: int) -> None:
        self.column.data[row] += amount
        self.total += amount


class _Filed:
    """The terms of one kind, filed under a label that they demand of whom they mean, or under none."""

    def __init__(self) -> None:
        self.carriers: dict[AffinityTerm, _Carriers] = {}
        self._under: dict[_Label, dict[AffinityTerm, CarriedTerm]] = {}

    def add(self, term: AffinityTerm, carriers: _Carriers) -> None:
        self.carriers[term] = carriers
        told = CarriedTerm(*term, carriers=carriers.column.view)
        for label in _labels(term):
            self._under.setdefault(label, {})[term] = told

    def remove(self, term: AffinityTerm) -> None:
        del self.carriers[term]
        for label in _labels(term):
            del self._under[label][term]
            if not self._under[label]:
                del self._under[label]

    def grow(self, capacity: int) -> None:
        for term, carriers in self.carriers.items():
            carriers.column.grow(capacity)
            self.add(term, carriers)

    def meeting(self, labels: Mapping[str, str]) -> Sequence[CarriedTerm]:
        """Those that a pod of these labels may meet."""
        if not self._under:
            return ()
        return [term for label in (_ANY, *labels.items()) for term in self._under.get(label, _NONE).values()]


class CarriedTerms:
    """A column takes 40 kB at 5,000 rows. Terms keep the order in which they first came."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._filed = {kind: _Filed() for kind in TermKind}

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for filed in self._filed.values():
            filed.grow(capacity)

    def charge(self, row: int, terms: AffinityTerms) -> None:
        """Count the terms of a pod that came to a row; one that it carries twice counts twice."""
        for kind, term in _by_kind(terms):
            filed = self._filed[kind]
            carriers = filed.carriers.get(term)
            if carriers is None:
                carriers = _Carriers(self._capacity)
                filed.add(term, carriers)
            carriers.add(row, 1)

    def discharge(self, row: int, terms: AffinityTerms) -> None:
        """Undo `charge` of the same terms."""
        for kind, term in _by_kind(terms):
            carriers = self._filed[kind].carriers[term]
            carriers.add(row, -1)
            if not carriers.total:
                self._filed[kind].remove(term)

    def of_kind(self, kind: TermKind, labels: Mapping[str, str] | None = None) -> Sequence[CarriedTerm]:
        """Every distinct term of this kind that somebody carries; with labels, those that a pod of them may meet."""
        filed = self._filed[kind]
        if labels is not None:
            return filed.meeting(labels)
        return tuple(CarriedTerm(*term, carriers=found.column.view) for term, found in filed.carriers.items())


def _labels(term: AffinityTerm) -> tuple[_Label, ...]:
    """Of these labels a pod must have one to be meant."""
    demanded = term.selector.demanded()
    return (_ANY,) if demanded is None else tuple((demanded[0], value) for value in demanded[1])


def _by_kind(terms: AffinityTerms) -> Iterator[tuple[TermKind, AffinityTerm]]:
    for kind, of_kind in (
        (TermKind.REQUIRED, terms.required),
        (TermKind.PREFERRED, terms.preferred),
        (TermKind.REQUIRED_ANTI, terms.required_anti),
        (TermKind.PREFERRED_ANTI, terms.preferred_anti),
    ):
        for term in of_kind:
            yield kind, term
