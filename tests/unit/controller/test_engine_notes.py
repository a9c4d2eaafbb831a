"""Notes of the leader in `status.policy.notes`: what only an engine can tell of the policy in force."""

import pytest
from msgspec import UNSET
from tests.unit.controller.scene import Scene, scene

from pointsman.api.report import MAX_NOTE_LENGTH, MAX_NOTES, ProfileReport, Report, decode, encode

NOTE = "cannot list services (403 Forbidden), so there are none for PodTopologySpread: let ClusterRole …"
WELL = scene().well()
OWN = WELL.revision.notes


def notes(made: Scene) -> tuple[str, ...]:
    policy = made.decide().status.policy
    assert policy is not UNSET
    return policy.notes


def test_what_the_leader_notes_stands_before_what_the_compiler_noted() -> None:
    assert notes(WELL.reported(notes=(NOTE,))) == (NOTE, *OWN)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(WELL.reported(notes=(NOTE,), age=16), id="its author is silent"),
        pytest.param(WELL.reported(notes=(NOTE,), policy="0123456789"), id="it was about another policy"),
        pytest.param(WELL.around(report=None), id="there is no report"),
    ],
)
def test_a_note_that_may_be_wrong_by_now_is_not_told(made: Scene) -> None:
    assert notes(made) == OWN


def test_notes_cannot_fill_the_report() -> None:
    report = Report("pod", "2026-01-01T00:00:00Z", {"p": ProfileReport("0123456789", notes=("x" * 5000,) * 100)})
    read = decode(encode(report))
    assert read is not None
    assert read.profiles["p"].notes == ("x" * MAX_NOTE_LENGTH,) * MAX_NOTES
