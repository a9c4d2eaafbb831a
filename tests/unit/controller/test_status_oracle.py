"""The oracle itself: what it lets pass and what it does not."""

from typing import Any

import pytest

from pointsman.testing.status_oracle import status_faults

TIME = "2026-01-01T00:00:00Z"


def condition(
    kind: str, status: str, reason: str = "EngineReady", *, generation: int = 2, **more: Any
) -> dict[str, Any]:
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": "words",
        "observedGeneration": generation,
        "lastTransitionTime": TIME,
        **more,
    }


def profile(*conditions: dict[str, Any], generation: int = 2, observed: int = 2) -> dict[str, Any]:
    return {
        "metadata": {"generation": generation},
        "status": {"observedGeneration": observed, "conditions": list(conditions)},
    }


SOUND = {
    "ready": profile(condition("Ready", "True")),
    "in progress": profile(
        condition("Ready", "Unknown", "Progressing"), condition("Reconciling", "True", "Progressing")
    ),
    "failing, tried again": profile(
        condition("Ready", "False", "NoLeader"), condition("Reconciling", "True", "NoLeader")
    ),
    "failed for good": profile(
        condition("Ready", "False", "NameConflict"), condition("Stalled", "True", "NameConflict")
    ),
    "suspended while it failed": profile(condition("Ready", "False", "Suspended")),
}
FAULTY = {
    "FAIL0001": profile(condition("Ready", "True", "NoLeader"), condition("Reconciling", "True", "NoLeader")),
    "FAIL0002": profile(condition("Available", "True")),
    "FAIL0003": profile(condition("Ready", "Unknown", "NoLeader"), condition("Reconciling", "True", "NoLeader")),
    "FAIL0004": profile(condition("Ready", "True", "NameConflict"), condition("Stalled", "True", "NameConflict")),
    "FAIL0005": profile(
        condition("Ready", "False", "X"), condition("Reconciling", "True", "X"), condition("Stalled", "True", "X")
    ),
    "FAIL0006": profile(condition("Ready", "True", generation=3), observed=3),
    "FAIL0007": profile(condition("Ready", "True", generation=1), observed=1),
    "FAIL0008": profile(condition("Ready", "True"), condition("Available", "True", generation=1)),
    "FAIL0009": profile(condition("Ready", "True", generation=2), observed=1),
    "Progressing": profile(condition("Ready", "False", "Progressing"), condition("Reconciling", "True", "Progressing")),
    "absent": profile(condition("Ready", "True"), condition("Stalled", "False")),
    "differ": profile(condition("Ready", "False", "X"), condition("Stalled", "True", "Y")),
    "no reason": profile(condition("Ready", "True", "")),
    "no time": profile(condition("Ready", "True", lastTransitionTime="")),
    "longer": profile(condition("Ready", "True", message="x" * 1025)),
    "raise": profile(condition("Ready", "False", "X", generation=1), observed=1),
    "two conditions": profile(condition("Ready", "True"), condition("Ready", "True")),
}


@pytest.mark.parametrize("obj", SOUND.values(), ids=SOUND.keys())
def test_a_sound_status_has_no_faults(obj: dict[str, Any]) -> None:
    assert status_faults(obj) == []


@pytest.mark.parametrize(("word", "obj"), FAULTY.items(), ids=FAULTY.keys())
def test_a_faulty_status_is_told_by_its_fault(word: str, obj: dict[str, Any]) -> None:
    assert any(word in fault for fault in status_faults(obj))


def test_an_object_without_a_status_is_not_sound() -> None:
    assert status_faults({"metadata": {"generation": 1}}) != []
