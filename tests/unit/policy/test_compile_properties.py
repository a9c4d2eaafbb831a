"""Compiling any spec: a policy or a list of problems, never anything else; and what is hostile comes out as data."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crd.specs import HOSTILE
from tests.unit.policy.specs import compiled, content

from pointsman.api import catalogue
from pointsman.api.catalogue import ENTRIES
from pointsman.api.spec import SpecError, parse_spec
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.errors import PolicyError

NAMES = [name for entry in ENTRIES for name in catalogue.names(entry)]
SCORERS = [entry for entry in ENTRIES if entry.base_priority and entry.standing is catalogue.Standing.BUILT]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 200) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
fit_args = st.fixed_dictionaries(
    {},
    optional={
        "ignoredResources": st.lists(st.sampled_from(["example.com/a", "gpu", "", 5, "a\nb"]), max_size=2),
        "scoringStrategy": st.fixed_dictionaries(
            {"type": st.sampled_from(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "X", 1])},
            optional={
                "resources": st.lists(
                    st.fixed_dictionaries(
                        {"name": st.sampled_from(["cpu", "memory", ""]), "weight": st.integers(-1, 102)}
                    ),
                    max_size=3,
                ),
                "requestedToCapacityRatio": json_values,
            },
        ),
        "kind": st.sampled_from(["NodeResourcesFitArgs", "Other"]),
    },
)
entry_names = st.sampled_from([*NAMES, "*", "own", "other", "x" * 63])
entries = st.fixed_dictionaries(
    {"name": entry_names},
    optional={
        "rule": st.sampled_from([*NAMES, "Nonsense"]),
        "state": st.sampled_from(["Enabled", "Disabled"]),
        "args": fit_args | st.dictionaries(st.text(max_size=8), json_values, max_size=3),
    },
)
weighted = st.builds(
    lambda entry, weight: entry if weight is None else {**entry, "weight": weight},
    entries,
    st.none() | st.integers(1, 9),
)
specs = st.fixed_dictionaries(
    {"schedulerName": st.just("test")},
    optional={
        "base": st.sampled_from(["Default", "None"]),
        "predicates": st.lists(entries, max_size=5),
        "priorities": st.lists(weighted, max_size=5),
    },
)


@given(specs)
def test_a_spec_compiles_or_its_problems_are_told(spec: dict[str, Any]) -> None:
    try:
        result = compile_spec("test", parse_spec(spec))
    except SpecError:
        return
    except PolicyError as error:
        for problem in error.problems:
            assert problem.path.startswith("spec.")
            assert str(problem).isprintable()
        return
    content = canonical_json(result.document)
    assert load(content).document == result.document


@given(st.permutations(SCORERS), st.data())
def test_neither_spelling_nor_order_of_the_bases_rules_changes_the_bytes(rules: list[Any], data: st.DataObject) -> None:
    weights = {rule.name: 1 + index for index, rule in enumerate(SCORERS)}
    spelt = [
        {"name": data.draw(st.sampled_from(catalogue.names(rule))), "weight": weights[rule.name]} for rule in rules
    ]
    plain = [{"name": rule.name, "weight": weights[rule.name]} for rule in SCORERS]
    assert content(priorities=spelt) == content(priorities=plain)


@given(st.permutations(range(4)))
def test_the_order_of_instances_that_score_changes_nothing(order: list[int]) -> None:
    own = [{"name": f"own-{number}", "rule": "ImageLocality", "weight": number + 1} for number in range(4)]
    assert content(priorities=[own[number] for number in order]) == content(priorities=own)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_in_args_stays_one_text_of_the_document(text: str) -> None:
    strategy = {"type": "MostAllocated", "resources": [{"name": text, "weight": 1}]}
    document = json.loads(content(priorities=[{"name": "NodeResourcesFit", "args": {"scoringStrategy": strategy}}]))
    plain = json.loads(
        content(
            priorities=[
                {
                    "name": "NodeResourcesFit",
                    "args": {"scoringStrategy": {"type": "MostAllocated", "resources": [{"name": "x", "weight": 1}]}},
                }
            ]
        )
    )
    found = [
        entry["args"]["scoringStrategy"]["resources"][0]
        for entry in document["priorities"]
        if entry["rule"] == "NodeResourcesFit"
    ]
    assert [resource["name"] for resource in found] == [text]
    assert json.dumps(document).replace(json.dumps(text), '"x"') == json.dumps(plain)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_field_of_args_is_named_without_doing_harm(text: str) -> None:
    spec = parse_spec({"schedulerName": "test", "priorities": [{"name": "ImageLocality", "args": {text: 1}}]})
    with pytest.raises(PolicyError) as caught:
        compile_spec("test", spec)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_value_that_a_rule_refuses_is_told_without_doing_harm(text: str) -> None:
    args = {"ignoredResources": [text, text * 1000]}
    spec = parse_spec({"schedulerName": "test", "priorities": [{"name": "NodeResourcesFit", "args": args}]})
    with pytest.raises(PolicyError) as caught:
        compile_spec("test", spec)
    assert str(caught.value).isprintable()
    assert all(len(problem.message) < 400 for problem in caught.value.problems)


def test_the_same_spec_compiles_to_equal_documents() -> None:
    assert compiled().document == compiled().document
