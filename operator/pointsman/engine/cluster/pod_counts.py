"""Pods per row for the questions that rules ask (policy.pod_query), kept up to date once a question was asked.

Pods that look the same to every question (one namespace, one set of labels, both ending or neither) are one class: a
selector is matched once per class, however many replicas there are. Asking anew adds the rows of the classes that
match; from then on a pod that comes or goes changes one number per question that counts its class.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from pointsman.engine.cluster.columns import Column, Recent
from pointsman.policy.pod import PodInfo
from pointsman.policy.pod_query import PodQuery
from pointsman.policy.view import IntArray

MAX_QUERIES = 512  # a column of 5,000 rows takes 40 kB

_Alike = tuple[frozenset[tuple[str, str]], bool]
"""What makes pods of one namespace a class: their labels, and whether they are being deleted."""

_Label = tuple[str, str]
_ANY: Final[_Label] = ("", "")  # stands for pods with any labels: no label has an empty key


class _PodClass:
    """The pods of a class by row, and the questions that count them."""

    __slots__ = ("asked", "labels", "namespace", "rows", "terminating")

    def __init__(self, pod: PodInfo) -> None:
        self.namespace = pod.namespace
        self.labels = pod.pod.metadata.labels
        self.terminating = pod.terminating
        self.rows: dict[int, int] = {}
        self.asked: list[_Question] = []

    def change(self, row: int, amount: int) -> None:
        pods = self.rows.get(row, 0) + amount
        if pods:
            self.rows[row] = pods
        else:
            del self.rows[row]
        for question in self.asked:
            question.column.data[row] += amount


class _Question:
    """A query that was asked, taken apart once, and its counts by row."""

    __slots__ = ("column", "labels", "namespaces", "selector", "terminating")

    def __init__(self, query: PodQuery, capacity: int) -> None:
        self.column: Column[np.int64] = Column(np.int64, capacity)
        self.namespaces = query.namespaces
        self.selector = query.selector
        self.terminating = query.terminating
        demanded = self.selector.demanded()
        key, values = demanded or ("", ("",))
        self.labels: tuple[_Label, ...] = tuple((key, value) for value in values)  # one of them is on every pod

    def counts(self, pods: _PodClass) -> bool:
        return (
            (self.namespaces is None or pods.namespace in self.namespaces)
            and (self.terminating or not pods.terminating)
            and self.selector.matches(pods.labels)
        )

    def add(self, pods: _PodClass) -> None:
        """Count the pods of a class from now on."""
        pods.asked.append(self)
        rows = np.fromiter(pods.rows.keys(), np.intp, len(pods.rows))
        self.column.data[rows] += np.fromiter(pods.rows.values(), np.int64, len(pods.rows))


class PodCounts:
    """Counts of placed pods on known nodes. At most `max_queries` questions are kept: the one asked last longest ago
    goes, and is counted anew if it comes back."""

    def __init__(self, capacity: int, max_queries: int = MAX_QUERIES) -> None:
        self._capacity = capacity
        self._classes: dict[str, dict[_Alike, _PodClass]] = {}
        self._labelled: dict[_Label, dict[_PodClass, None]] = {}  # the classes whose pods have the label
        self._questions: Recent[PodQuery, _Question] = Recent(max_queries)
        self._by_label: dict[_Label, list[_Question]] = {}

    def grow(self, capacity: int) -> None:
        self._capacity = capacity
        for question in self._questions.values():
            question.column.grow(capacity)

    def charge(self, row: int, pod: PodInfo) -> None:
        """Count a pod that came to a row."""
        alike = _alike(pod)
        classes = self._classes.setdefault(pod.namespace, {})
        found = classes.get(alike)
        if found is None:
            found = classes[alike] = _PodClass(pod)
            labels = (_ANY, *found.labels.items())
            for label in labels:
                self._labelled.setdefault(label, {})[found] = None
            asked = (question for label in labels for question in self._by_label.get(label, ()))
            found.asked = [question for question in asked if question.counts(found)]
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
            for label in (_ANY, *found.labels.items()):
                del self._labelled[label][found]
                if not self._labelled[label]:
                    del self._labelled[label]

    def counts(self, query: PodQuery) -> IntArray:
        """int64 (capacity,): pods on each row that the query counts."""
        question = self._questions.get(query)
        if question is None:
            question = self._start(query)
        return question.column.view

    def _start(self, query: PodQuery) -> _Question:
        question = _Question(query, self._capacity)
        oldest = self._questions.put(query, question)
        for label in question.labels:
            self._by_label.setdefault(label, []).append(question)
        for pods in self._classes_for(question):
            if question.counts(pods):
                question.add(pods)
        if oldest is not None:
            self._stop(oldest)
        return question

    def _stop(self, question: _Question) -> None:
        for label in question.labels:
            self._by_label[label].remove(question)
            if not self._by_label[label]:
                del self._by_label[label]
        for pods in self._classes_for(question):
            if question in pods.asked:
                pods.asked.remove(question)

    def _classes_for(self, question: _Question) -> Iterator[_PodClass]:
        """The classes that the question may count."""
        for label in question.labels:
            yield from self._labelled.get(label, ())


def _alike(pod: PodInfo) -> _Alike:
    return frozenset(pod.pod.metadata.labels.items()), pod.terminating
