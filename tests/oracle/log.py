"""Reading kube-scheduler's log: what it scored, how it ended, whom it preempted.

At verbosity 10 of the file schedule_one.go the stock kube-scheduler 1.36 writes one line per feasible node and scoring
plugin (normalised, times weight) and one per node with the total; other files tell which objects it has seen. Lines
are klog's text format: a header, a quoted message, then key="value" pairs.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

_MESSAGE: Final = re.compile(rb'\] "((?:[^"\\]|\\.)*)"')
_PAIR: Final = re.compile(rb' ([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|(\S+))')

_SCORED: Final = "Plugin scored node for pod"
_TOTAL: Final = "Calculated node's final score for pod"
_TRIED: Final = "Attempting to schedule pod"
_VICTIM: Final = frozenset(
    {
        "Preemptor Pod preempted victim Pod",
        "Victim Pod is already being deleted, skipping the API call for it",
        "Victim Pod is already deleted",
    }
)
_TARGET: Final = "the target node for the preemption is determined"
_GOING: Final = "Victim Pod is already being deleted, skipping the API call for it"
_PREEMPTION_ENDED: Final = "Async Preemption finished completely"
_SEEN: Final = {
    "Add event for node": ("node", True),
    "Delete event for node": ("node", False),
    "Add event for scheduled pod": ("pod", True),
    "Delete event for scheduled pod": ("pod", False),
    "Add event for unscheduled pod": ("pending", True),
    "Delete event for unscheduled pod": ("pending", False),
}


@dataclass(slots=True)
class PodLog:
    """What the log tells of one pod. Scores by node and plugin are weighted."""

    attempts: int = 0
    scores: dict[str, dict[str, int]] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    victims: set[str] = field(default_factory=set)  # namespace/name
    going: set[str] = field(default_factory=set)  # those of them that were being deleted already
    target: str = ""  # the node that preemption clears
    preempted: bool = False  # all its victims have been told

    def has_preempted(self, expected: frozenset[str]) -> bool:
        """Whether all victims have been told of. Those that are being deleted already are told first, the others later
        and then the end; without others there is no end, so that only knowing better than the log helps."""
        return self.preempted or (self.victims == self.going == expected)


class Log:
    """The log so far. `forget` drops what was told of pods; objects that are known stay."""

    def __init__(self) -> None:
        self.nodes: set[str] = set()
        self.assigned: set[str] = set()  # namespace/name
        self.pending: set[str] = set()
        self._pods: dict[str, PodLog] = {}

    def of(self, pod: str) -> PodLog:
        """What was told of a pod, by namespace/name."""
        return self._pods.setdefault(pod, PodLog())

    def forget(self) -> None:
        self._pods.clear()

    def feed(self, lines: Iterable[bytes]) -> None:
        """Take in complete lines, in order."""
        for line in lines:
            self._line(line)

    def _line(self, line: bytes) -> None:
        found = _MESSAGE.search(line)
        if found is None:
            return
        message = found[1].decode()
        if message == _SCORED:
            said = _pairs(line, found.end())
            self.of(said["pod"]).scores.setdefault(said["node"], {})[said["plugin"]] = int(said["score"])
        elif message == _TOTAL:
            said = _pairs(line, found.end())
            self.of(said["pod"]).totals[said["node"]] = int(said["score"])
        elif message in _SEEN:
            self._seen(*_SEEN[message], _pairs(line, found.end()))
        elif message == _TRIED:
            self._tried(_pairs(line, found.end())["pod"])
        elif message in _VICTIM:
            said = _pairs(line, found.end())
            told = self.of(said["preemptor"])
            told.victims.add(said["victim"])
            if message == _GOING:
                told.going.add(said["victim"])
        elif message == _TARGET:
            said = _pairs(line, found.end())
            self.of(said["pod"]).target = said["node"]
        elif message == _PREEMPTION_ENDED:
            self.of(_pairs(line, found.end())["preemptor"]).preempted = True

    def _tried(self, pod: str) -> None:
        """Scores belong to one attempt."""
        told = self.of(pod)
        told.attempts += 1
        told.scores.clear()
        told.totals.clear()

    def _seen(self, kind: str, there: bool, said: dict[str, str]) -> None:
        known = {"node": self.nodes, "pod": self.assigned, "pending": self.pending}[kind]
        name = said["node" if kind == "node" else "pod"]
        if there:
            known.add(name)
        else:
            known.discard(name)


def _pairs(line: bytes, start: int) -> dict[str, str]:
    return {key.decode(): (quoted or bare).decode() for key, quoted, bare in _PAIR.findall(line, start)}
