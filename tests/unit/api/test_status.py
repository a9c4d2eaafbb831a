"""The status: conditions keep their time while nothing flips, and what is written is what can be read."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.api.report import Attempts, Pending, UnschedulableReason
from pointsman.api.status import (
    MAX_MESSAGE_BYTES,
    Condition,
    EngineStatus,
    PolicyStatus,
    PriorityStatus,
    ProfileStatus,
    Stats,
    cut,
    decode_status,
    encode_status,
    find_condition,
    set_condition,
)

THEN = datetime(2026, 1, 1, 12, 0, 0, 999_999, tzinfo=UTC)
LATER = THEN + timedelta(minutes=5)
READY = Condition(type="Ready", status="True", reason="EngineReady", message="1/1 engines ready", observed_generation=1)


def test_a_new_condition_has_the_time_in_whole_seconds() -> None:
    (condition,) = set_condition((), READY, THEN)
    assert condition.last_transition_time == "2026-01-01T12:00:00Z"


def test_the_time_stays_while_only_reason_message_and_generation_change() -> None:
    before = set_condition((), READY, THEN)
    again = Condition(type="Ready", status="True", reason="Suspended", message="suspended", observed_generation=2)
    (condition,) = set_condition(before, again, LATER)
    assert condition.last_transition_time == "2026-01-01T12:00:00Z"
    assert (condition.reason, condition.message, condition.observed_generation) == ("Suspended", "suspended", 2)


def test_the_time_moves_when_the_status_flips() -> None:
    before = set_condition((), READY, THEN)
    (condition,) = set_condition(before, Condition(type="Ready", status="False", reason="NoLeader"), LATER)
    assert condition.last_transition_time == "2026-01-01T12:05:00Z"


def test_a_condition_keeps_its_place_and_others_are_left_alone() -> None:
    before = set_condition(set_condition((), READY, THEN), Condition(type="Stalled", status="True", reason="X"), THEN)
    after = set_condition(before, Condition(type="Ready", status="False", reason="NoLeader"), LATER)
    assert [condition.type for condition in after] == ["Ready", "Stalled"]
    assert find_condition(after, "Stalled") == find_condition(before, "Stalled")


def test_a_long_message_is_cut_to_what_the_schema_takes() -> None:
    (condition,) = set_condition((), Condition(type="Ready", status="False", reason="X", message="ä" * 2000), THEN)
    assert len(condition.message.encode()) <= MAX_MESSAGE_BYTES
    assert condition.message.endswith("ä…")


@given(st.text(max_size=60), st.integers(3, 40))
def test_a_cut_text_is_within_the_limit_and_a_short_one_is_itself(text: str, limit: int) -> None:
    found = cut(text, limit)
    assert len(found.encode()) <= limit
    if len(text.encode(errors="replace")) <= limit:
        assert found == text


def test_a_status_survives_the_way_to_the_api_server_and_back() -> None:
    status = ProfileStatus(
        observed_generation=3,
        conditions=set_condition((), READY, THEN),
        replicas=0,
        ready_replicas=0,
        replicas_summary="0/0",
        selector="pointsman.dev/profile=a",
        image="pointsman:1",
        policy=PolicyStatus(
            hash="0123456789", predicates=("NodeName",), priorities=(PriorityStatus(name="a", weight=2),)
        ),
        engines=(EngineStatus(pod="engine-a-1", policy_hash="0123456789", ready=True, leader=True),),
        stats=Stats(
            updated_at="2026-01-01T12:00:00Z",
            pending=Pending(total=1, active=1),
            attempts=Attempts(scheduled=5),
            unschedulable_reasons=(UnschedulableReason(reason="Too many pods", pods=1),),
        ),
    )
    assert decode_status(encode_status(status)) == status


def test_zero_is_written_and_the_unknown_is_not() -> None:
    encoded = encode_status(ProfileStatus(stats=Stats(updated_at="2026-01-01T12:00:00Z"), replicas=0))
    assert encoded["replicas"] == 0
    assert encoded["stats"]["pending"]["total"] == 0
    assert "p99Milliseconds" not in encoded["stats"]
    assert "policy" not in encoded


@pytest.mark.parametrize("found", [None, {}, {"observedGeneration": "x"}, {"conditions": [{"type": 5}]}])
def test_a_status_that_cannot_be_read_is_an_empty_one(found: dict[str, object] | None) -> None:
    assert decode_status(found) == ProfileStatus(observed_generation=-1)
