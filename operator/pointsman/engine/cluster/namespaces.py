"""Namespaces by name, with their labels, and which of them a selector means.

Terms with a namespace selector ask with every decision while namespaces hardly change, so answers are kept until one
of them does.
"""

from typing import Final

from pointsman.engine.cluster.columns import Recent
from pointsman.policy.pod_query import Selector

MAX_SELECTORS: Final = 512


class Namespaces:
    """Known namespaces. At most `max_selectors` answers are kept; the one asked for last longest ago goes first."""

    def __init__(self, max_selectors: int = MAX_SELECTORS) -> None:
        self._labels: dict[str, dict[str, str]] = {}
        self._answers: Recent[Selector, frozenset[str]] = Recent(max_selectors)

    def get(self, name: str) -> dict[str, str] | None:
        """Labels, None for a namespace that is not known."""
        return self._labels.get(name)

    def put(self, name: str, labels: dict[str, str]) -> bool:
        """Take over a namespace's labels; whether that was news."""
        if self._labels.get(name) == labels:
            return False
        self._labels[name] = labels
        self._answers.clear()
        return True

    def discard(self, name: str) -> bool:
        """Forget a namespace; whether it was known."""
        if self._labels.pop(name, None) is None:
            return False
        self._answers.clear()
        return True

    def matching(self, selector: Selector) -> frozenset[str]:
        """Names of those whose labels match."""
        answer = self._answers.get(selector)
        if answer is None:
            answer = frozenset(name for name, labels in self._labels.items() if selector.matches(labels))
            self._answers.put(selector, answer)
        return answer
