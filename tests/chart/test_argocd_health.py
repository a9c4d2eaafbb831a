"""Argo CD's health check of a profile, run by Lua 5.1 as Argo CD runs it, over the states that a profile can be in."""

from typing import Any

import lupa.lua51
import pytest

from tests.helm.chart import ROOT

SCRIPT = (ROOT / "deploy" / "argocd" / "health.lua").read_text()


def condition(kind: str, status: str, reason: str = "Because", message: str = "so it is") -> dict[str, str]:
    return {"type": kind, "status": status, "reason": reason, "message": message}


def profile(status: Any = None, *, generation: int = 2, suspend: bool = False, deleted: bool = False) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": "binpack", "generation": generation}
    if deleted:
        metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    made: dict[str, Any] = {"metadata": metadata, "spec": {"schedulerName": "binpack", "suspend": suspend}}
    return made if status is None else made | {"status": status}


def seen(*conditions: dict[str, str], generation: int | None = 2) -> dict[str, Any]:
    observed = {} if generation is None else {"observedGeneration": generation}
    return {"conditions": list(conditions), **observed}


READY = condition("Ready", "True", "EngineReady", "1/1 engines ready")
FAILED = condition("Ready", "False", "PolicyInvalid", "spec.priorities[x]: unknown rule")

# The twelve states of kstatus: number, state, health, what its message must tell.
STATES = {
    "1 no status": (profile(), "Progressing", "waiting for the operator"),
    "2 the default of a new status": (
        profile({"observedGeneration": -1}), "Progressing", "waiting for the operator to see generation 2",
    ),
    "3 work goes on": (
        profile(seen(condition("Ready", "Unknown"), condition("Reconciling", "True", "Progressing", "rolling out"))),
        "Progressing", "Progressing: rolling out",
    ),
    "4 ready": (profile(seen(READY)), "Healthy", "1/1 engines ready"),
    "5 edited while the operator is away": (
        profile(seen(READY, generation=1)), "Progressing", "waiting for the operator to see generation 2",
    ),
    "6 ready of no known generation": (
        profile(seen(READY, generation=None)), "Progressing", "waiting for the operator",
    ),
    "7 a fault that passes": (
        profile(seen(FAILED, condition("Reconciling", "True", "EngineNotReady", "starting"))),
        "Progressing", "EngineNotReady: starting",
    ),
    "8 a fault that stays": (
        profile(seen(FAILED, condition("Stalled", "True", "PolicyInvalid", "unknown rule"))),
        "Degraded", "PolicyInvalid: unknown rule",
    ),
    "9 only not ready": (profile(seen(FAILED)), "Degraded", "PolicyInvalid: spec.priorities[x]: unknown rule"),
    "10 suspended": (profile(seen(READY), suspend=True), "Suspended", "suspended"),
    "11 being deleted": (profile(seen(READY), deleted=True), "Progressing", "being deleted"),
    "12 a fault of an older generation": (
        profile(seen(FAILED, condition("Stalled", "True"), generation=1)),
        "Progressing", "waiting for the operator to see generation 2",
    ),
}  # fmt: skip
MORE = {
    "suspended before the operator saw it": (profile(suspend=True), "Suspended", "suspended"),
    "suspended and being deleted": (profile(seen(READY), suspend=True, deleted=True), "Progressing", "being deleted"),
    "conditions without words": (
        profile(seen({"type": "Stalled", "status": "True"})), "Degraded", ": ",
    ),
    "no conditions yet": (profile({"observedGeneration": 2}), "Progressing", "waiting for the operator"),
}  # fmt: skip


@pytest.mark.parametrize(("state", "health", "told"), [*STATES.values(), *MORE.values()], ids=[*STATES, *MORE])
def test_health_follows_the_conditions(state: dict[str, Any], health: str, told: str) -> None:
    runtime = lupa.lua51.LuaRuntime()
    runtime.globals().obj = runtime.table_from(state, recursive=True)

    answer = runtime.execute(SCRIPT)

    assert set(answer) == {"status", "message"}
    assert answer.status == health
    assert told in answer.message
