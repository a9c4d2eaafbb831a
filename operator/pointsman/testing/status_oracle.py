"""An oracle for statuses: what Flux, Argo CD and Helm must never get to see.

The rules are those that Flux's own controllers are tested with (fluxcd/pkg, runtime/conditions/check, FAIL0001 to
FAIL0009), and what kstatus and this project's API promise beyond that. A status that is in progress (Ready=Unknown,
Reconciling=True with reason Progressing) is held to fewer of them, there as here.

    assert status_faults(kubectl_get_json) == []
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_ABNORMAL: Final = ("Reconciling", "Stalled")
_MAX_MESSAGE_BYTES: Final = 1024

Condition = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Seen:
    """An object as the rules look at it."""

    generation: int
    observed: int
    conditions: dict[str, Condition]

    def status(self, kind: str) -> str:
        return str(self.conditions.get(kind, {}).get("status", ""))

    @property
    def ready(self) -> bool:
        return self.status("Ready") == "True"

    @property
    def in_progress(self) -> bool:
        reason = self.conditions.get("Reconciling", {}).get("reason")
        return self.status("Reconciling") == "True" and reason == "Progressing"

    @property
    def abnormal(self) -> list[Condition]:
        return [self.conditions[kind] for kind in _ABNORMAL if kind in self.conditions]


def status_faults(obj: Mapping[str, Any]) -> list[str]:
    """Everything that is wrong with the status of an object of the API; nothing for a sound one."""
    status = obj.get("status") or {}
    conditions = status.get("conditions") or []
    seen = _Seen(
        generation=obj["metadata"].get("generation", 0),
        observed=status.get("observedGeneration", 0),
        conditions={condition["type"]: condition for condition in conditions},
    )
    rules = _ALWAYS if seen.in_progress else (*_ALWAYS, *_SETTLED)
    faults = [fault for rule in rules for fault in rule(seen)]
    if len(seen.conditions) != len(conditions):
        faults.append("two conditions have one type")
    return faults


def _ready_is_there(seen: _Seen) -> Iterator[str]:
    if "Ready" not in seen.conditions:
        yield "FAIL0002: there is no Ready condition"


def _stalled_means_not_ready(seen: _Seen) -> Iterator[str]:
    if seen.status("Stalled") == "True" and seen.status("Ready") != "False":
        yield "FAIL0004: Stalled=True, but Ready is not False"


def _one_abnormal_condition(seen: _Seen) -> Iterator[str]:
    if len(seen.abnormal) > 1:
        yield "FAIL0005: both Reconciling and Stalled are there"


def _nothing_from_the_future(seen: _Seen) -> Iterator[str]:
    if seen.observed > seen.generation:
        yield "FAIL0006: observedGeneration is ahead of the generation"


def _in_progress_is_unknown(seen: _Seen) -> Iterator[str]:
    if seen.in_progress and seen.status("Ready") != "Unknown":
        yield "Reconciling says Progressing, but Ready is not Unknown"


def _abnormal_conditions_hold(seen: _Seen) -> Iterator[str]:
    for condition in seen.abnormal:
        if condition["status"] != "True":
            yield f"{condition['type']} is there but does not hold; it must be absent then"
        ready = seen.conditions.get("Ready", {})
        if any(condition.get(key) != ready.get(key) for key in ("reason", "message")):
            yield f"{condition['type']} and Ready differ in reason or message"


def _conditions_are_whole(seen: _Seen) -> Iterator[str]:
    for kind, condition in seen.conditions.items():
        if not condition.get("reason") or not condition.get("lastTransitionTime"):
            yield f"{kind} has no reason or no time"
        if len(str(condition.get("message", "")).encode()) > _MAX_MESSAGE_BYTES:
            yield f"the message of {kind} is longer than {_MAX_MESSAGE_BYTES} bytes"
        if condition.get("observedGeneration") != seen.observed:
            yield f"{kind} tells of another generation than the status"


def _every_reconcile_counts(seen: _Seen) -> Iterator[str]:
    if seen.observed != seen.generation:
        yield "a finished reconcile did not raise observedGeneration"


def _no_abnormality_when_ready(seen: _Seen) -> Iterator[str]:
    if seen.ready and seen.abnormal:
        yield "FAIL0001: Ready=True beside Reconciling or Stalled"


def _reconciling_means_not_ready(seen: _Seen) -> Iterator[str]:
    if seen.status("Reconciling") == "True" and seen.status("Ready") != "False":
        yield "FAIL0003: Reconciling=True, but Ready is not False"


def _ready_is_about_this_generation(seen: _Seen) -> Iterator[str]:
    if not seen.ready:
        return
    if seen.observed < seen.generation:
        yield "FAIL0007: Ready=True, but this generation was not observed"
    for kind, condition in seen.conditions.items():
        if condition.get("observedGeneration", 0) < seen.generation:
            yield f"FAIL0008: Ready=True, but {kind} is of an older generation"
        if condition.get("observedGeneration", 0) != seen.observed:
            yield f"FAIL0009: Ready=True, but {kind} is of another generation than the status"


_Rule = Callable[[_Seen], Iterator[str]]

_ALWAYS: Final[tuple[_Rule, ...]] = (
    _ready_is_there,
    _stalled_means_not_ready,
    _one_abnormal_condition,
    _nothing_from_the_future,
    _in_progress_is_unknown,
    _abnormal_conditions_hold,
    _conditions_are_whole,
    _every_reconcile_counts,
)
_SETTLED: Final[tuple[_Rule, ...]] = (
    _no_abnormality_when_ready,
    _reconciling_means_not_ready,
    _ready_is_about_this_generation,
)
