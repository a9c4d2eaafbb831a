"""What a real API server refuses and takes of a SchedulerProfile, and in which words; it must agree with the models."""

from typing import Any

import pytest

from tests.controlplane.plane import ControlPlane
from tests.crd.conftest import Judge
from tests.crd.schema import fields, root
from tests.crd.specs import ACCEPTED, FULL, HOSTILE, MINIMAL, NULLS, REFUSED, Case, Path, changed, strings

PROFILE = {"apiVersion": "pointsman.dev/v1alpha1", "kind": "SchedulerProfile", "metadata": {"name": "a"}}


def messages() -> list[str]:
    """Messages of our rules in CEL, without immutability and without keys of maps, of which more is said offline."""
    rules = [rule for _, schema in fields(root()) for rule in schema.get("x-kubernetes-validations", ())]
    return sorted({rule["message"] for rule in rules if "oldSelf" not in rule["rule"] and ".all(" not in rule["rule"]})


def reasons(answer: dict[str, Any]) -> str:
    """All that the API server says about a refused object."""
    causes = answer.get("details", {}).get("causes", [])
    return "\n".join([answer["message"], *(f"{cause.get('field')}: {cause['message']}" for cause in causes)])


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_bad_field_is_refused_and_named(case: Case, judge: Judge) -> None:
    status, answer = judge.create(case.spec)
    assert status in {400, 422}, answer
    assert case.path in reasons(answer)


@pytest.mark.parametrize("message", messages())
def test_a_rule_of_our_own_is_told_in_the_words_of_the_offline_check(message: str, judge: Judge) -> None:
    cases = [case for case in REFUSED if message in case.offline]
    assert cases, "no case breaks this rule"
    for case in cases:
        _, answer = judge.create(case.spec)
        assert f"{case.path}: Invalid value" in reasons(answer)
        assert message in reasons(answer)


@pytest.mark.parametrize("case", NULLS, ids=str)
def test_server_side_apply_refuses_null(case: Case, profiles: ControlPlane) -> None:
    done = profiles.apply({**PROFILE, "spec": case.spec}, check=False)
    assert done.returncode != 0
    assert "null" in done.stderr


@pytest.mark.parametrize("spec", ACCEPTED.values(), ids=ACCEPTED)
def test_a_good_spec_is_taken(spec: dict[str, Any], judge: Judge) -> None:
    status, answer = judge.create(spec)
    assert status == 201, answer


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("path", [*strings()], ids=lambda path: ".".join(map(str, path)))
def test_a_hostile_text_is_refused_in_every_field(path: Path, text: str, judge: Judge) -> None:
    status, answer = judge.create(changed(path, text))
    assert status in {400, 422}, answer


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_in_args_comes_back_as_it_is(text: str, judge: Judge) -> None:
    args = {"key": text, text: [text]}
    status, answer = judge.create(changed(("predicates", 0, "args"), args))
    assert status == 201
    assert answer["spec"]["predicates"][0]["args"] == args


@pytest.mark.parametrize(
    "name",
    ["team.a.fast", "Fast", "a" * 40, "a_b", "a\n", "{{ a }}", "-a", "a-", "../a"],
)
def test_a_name_from_which_no_child_could_be_named_is_refused(name: str, judge: Judge) -> None:
    status, answer = judge.create(MINIMAL, name=name)
    assert status == 422, answer
    assert "metadata.name" in reasons(answer)


@pytest.mark.parametrize("name", ["a", "0", "a" * 39, "a-b-c"])
def test_other_names_are_taken(name: str, judge: Judge) -> None:
    status, _ = judge.create(MINIMAL, name=name)
    assert status == 201


@pytest.mark.parametrize("body", [{}, {"spec": None}, {"spec": []}, {"spec": "a"}], ids=str)
def test_a_profile_without_a_spec_is_refused(body: dict[str, Any], judge: Judge) -> None:
    status, answer = judge.post({**PROFILE, **body})
    assert status == 422
    assert "spec" in reasons(answer)


def test_one_name_twice_in_a_list_is_refused(judge: Judge) -> None:
    status, answer = judge.create({**MINIMAL, "predicates": [{"name": "NodeName"}, {"name": "NodeName"}]})
    assert status == 422
    assert 'spec.predicates[1]: Duplicate value: {"name":"NodeName"}' in reasons(answer)


def test_a_minimal_profile_has_the_documented_defaults(judge: Judge) -> None:
    _, answer = judge.create(MINIMAL)
    assert answer["spec"] == {
        "schedulerName": "binpack",
        "suspend": False,
        "base": "Default",
        "queue": {"podInitialBackoffSeconds": 1, "podMaxBackoffSeconds": 10},
        "preemption": {
            "state": "Enabled",
            "args": {"minCandidateNodesPercentage": 10, "minCandidateNodesAbsolute": 100},
        },
        "replicas": 1,
        "engine": {"logLevel": "Info"},
    }
    assert answer["status"] == {"observedGeneration": -1}


def test_a_full_profile_comes_back_as_it_was_written(judge: Judge) -> None:
    _, answer = judge.create(FULL)
    assert answer["spec"] == FULL


def test_the_scheduler_name_cannot_be_changed(profiles: ControlPlane) -> None:
    profile = {**PROFILE, "metadata": {"name": "immutable"}, "spec": {"schedulerName": "immutable"}}
    profiles.apply(profile)
    try:
        done = profiles.apply({**profile, "spec": {"schedulerName": "other"}}, check=False)
    finally:
        profiles.kubectl("delete", "sprof", "immutable")
    assert done.returncode != 0
    assert "schedulerName must not be changed; create another SchedulerProfile instead" in done.stderr
