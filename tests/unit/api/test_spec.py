"""Offline checks of a spec: what the schema refuses is refused, with the field, the value and what is allowed."""

import json
import re
from collections.abc import Mapping

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.crd.specs import ACCEPTED, FULL, HOSTILE, MINIMAL, NULLS, REFUSED, Case, Path, changed, strings

from pointsman.api.spec import ProfileSpec, SpecError, parse_spec

HARMLESS = re.compile(r"[-A-Za-z0-9._:/@+*]*", re.ASCII)


def problems(spec: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """What is wrong with a spec; anything but a SpecError ends the test."""
    try:
        parse_spec(spec)
    except SpecError as error:
        return error.problems
    return ()


@pytest.mark.parametrize("case", [*REFUSED, *NULLS], ids=str)
def test_a_bad_field_is_refused_with_its_path_its_value_and_what_is_allowed(case: Case) -> None:
    with pytest.raises(SpecError) as caught:
        parse_spec(case.spec)
    assert [f"{path}: {message}" for path, message in caught.value.problems] == [case.offline]


@pytest.mark.parametrize("spec", ACCEPTED.values(), ids=ACCEPTED)
def test_a_good_spec_is_read(spec: dict[str, object]) -> None:
    assert isinstance(parse_spec(spec), ProfileSpec)


def test_all_problems_are_told_at_once() -> None:
    spec = {"base": "none", "replicas": 10, "priorities": [{"name": "a", "weight": 0}]}
    with pytest.raises(SpecError) as caught:
        parse_spec(spec)
    assert [path for path, _ in caught.value.problems] == [
        "spec.schedulerName",
        "spec.base",
        "spec.priorities[a].weight",
        "spec.replicas",
    ]


def test_a_minimal_spec_has_the_documented_defaults() -> None:
    spec = parse_spec(MINIMAL)
    assert (spec.base, spec.suspend, spec.replicas) == ("Default", False, 1)
    assert (spec.queue.pod_initial_backoff_seconds, spec.queue.pod_max_backoff_seconds) == (1, 10)
    assert (spec.engine.log_level, spec.engine.image) == ("Info", "")


@pytest.mark.parametrize("spec", [{"a": float("nan")}, {"a": {1, 2}}, {"a": object()}, {"schedulerName": "\ud800"}])
def test_what_is_not_json_is_a_problem_and_not_a_crash(spec: dict[str, object]) -> None:
    with pytest.raises(SpecError):
        parse_spec(spec)


def test_a_spec_that_is_nested_without_end_is_a_problem_and_not_a_crash() -> None:
    endless: dict[str, object] = {}
    endless["args"] = endless
    with pytest.raises(SpecError, match="cannot be written as JSON"):
        parse_spec({**MINIMAL, "priorities": [endless]})


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("path", [*strings()], ids=lambda path: ".".join(map(str, path)))
def test_a_hostile_text_is_refused_in_every_field_and_told_in_printable_words(path: Path, text: str) -> None:
    found = problems(changed(path, text))
    assert found
    assert all(part.isprintable() for problem in found for part in problem)


@given(st.sampled_from([*strings()]), st.text(max_size=20))
@example(("engine", "image"), "a:b@c/d+e")
def test_whatever_is_accepted_can_be_no_structure_anywhere(path: Path, text: str) -> None:
    assert problems(changed(path, text)) or HARMLESS.fullmatch(text)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*FULL, "name", "x"]), inner, max_size=4)
        ),
        max_leaves=12,
    )
)
def test_nothing_but_a_spec_error_is_ever_raised(value: object) -> None:
    spec = value if isinstance(value, dict) else {"schedulerName": "a", "predicates": value}
    found = problems(spec)
    json.dumps(found)
    assert [message for _, message in found if "Input" in message] == []  # pydantic's words, not ours
