"""Pods per row for the questions that rules ask (policy.pod_query), kept up to date once a question was asked.

Pods that look the same to every question (one namespace, one set of labels, both ending or neither) are one class: a
selector is matched once per class, however many replicas there are. Asking anew adds the rows of the classes that
match; from then on a pod that comes or goes changes one number per question that counts its class.
"""

from collections import OrderedDict
from collections.abc import Iterable

import numpy as np

from pointsman.engine.cluster.columns import Column
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodQuery
from pointsman.policy.view import IntArray

MAX_QUERIES = 512  # a column of 5,000 rows takes 40 kB

_Alike = tuple[frozenset[tuple[str, str]], bool]
"""What makes pods of one namespace a class: their labels, and whether they are being deleted."""


class _PodClass:
    """The pods of a class by row, and the questions that count them."""

    __slots__ = ("asked", "labels", "rows", "terminating")

    def __init__(self, pod: PodInfo) -> None:
        self.labels = pod.pod.metadata.labels
        self.terminating = pod.terminating
        self.rows: dict[int, int] = {}
        self.asked: list[Column[np.int64]] = []

    def change(self, row: int, amount: int) -> None:
        pods = self.rows.get(row, 0) + amount
        if pods:
            self.rows[row] = pods
        else:
            del self.rows[row]
        for column in self.asked:
            column.data[row] += amount


class PodCounts:
    """Counts of placed pods on known nodes. At most `max_queries` questions are kept: the one asked last longest ago
    goes, and is counted anew if it comes back."""

    def __init__(self, capacity: int, max_queries: int = MAX_QUERIES) -> None:
        self._capacity = capacity
        self._max_queries = max_queries
        self._classes: dict[str, dict[_Alike, _PodClass]] = {}
        self._queries: OrderedDict[PodQuery, Column[np.int64]] = OrderedDict()

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for column in self._queries.values():
            column.grow(capacity)

    def charge(self, row: int, pod: PodInfo) -> None:
        """Count a pod that came to a row."""
        alike = _alike(pod)
        classes = self._classes.setdefault(pod.namespace, {})
        found = classes.get(alike)
        if found is None:
            found = classes[alike] = _PodClass(pod)
            found.asked = [column for query, column in self._queries.items() if _counts(query, pod.namespace, found)]
        found.change(row, 1)

    def discharge(self, row: int, pod: PodInfo) -> None:
        """Undo `charge` of the same pod; a class without pods is forgotten."""
        alike = _alike(pod)
        classes = self._classes[pod.namespace]
        found = classes[alike]
        found.change(row, -1)
        if not found.rows:
            del classes[alike]
            if not classes:
                del self._classes[pod.namespace]

    def counts(self, query: PodQuery) -> IntArray:
        """int64 (capacity,): pods on each row that the query counts."""
        column = self._queries.get(query)
        if column is None:
            column = self._start(query)
        self._queries.move_to_end(query)
        return column.view

    def _start(self, query: PodQuery) -> Column[np.int64]:
        column = self._queries[query] = Column(np.int64, self._capacity)
        for namespace in self._namespaces(query):
            for pods in self._classes.get(namespace, {}).values():
                if _counts(query, namespace, pods):
                    pods.asked.append(column)
                    rows = np.fromiter(pods.rows.keys(), np.intp, len(pods.rows))
                    column.data[rows] += np.fromiter(pods.rows.values(), np.int64, len(pods.rows))
        if len(self._queries) > self._max_queries:
            self._stop(*self._queries.popitem(last=False))
        return column

    def _stop(self, query: PodQuery, column: Column[np.int64]) -> None:
        for namespace in self._namespaces(query):
            for pods in self._classes.get(namespace, {}).values():
                pods.asked = [other for other in pods.asked if other is not column]

    def _namespaces(self, query: PodQuery) -> Iterable[str]:
        """The namespaces whose pods the query may count."""
        named = [group.namespaces for group in query.groups if group.namespaces is not None]
        return frozenset.intersection(*named) if named else tuple(self._classes)


def _alike(pod: PodInfo) -> _Alike:
    return frozenset(pod.pod.metadata.labels.items()), pod.terminating


def _counts(query: PodQuery, namespace: str, pods: _PodClass) -> bool:
    return query.counts(namespace, pods.labels, terminating=pods.terminating)
