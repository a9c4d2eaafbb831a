"""Patches as their specifications have them; what kubectl's kinds of patch do is compared with a real API server."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.sandbox.patching import PatchError, json_patch, merge_patch
from pointsman.sandbox.patching.fields import fields_in, fields_of, tree_of
from pointsman.sandbox.patching.merging import GONE, merge, remove
from pointsman.sandbox.schema.schema import UNTYPED, parse

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


# The examples of RFC 7386, appendix A.
@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_json_merge_patch(target: Any, patch: Any, result: Any) -> None:
    before = deepcopy(target)
    assert merge_patch(target, patch) == result
    assert target == before


# From RFC 6902, appendix A.
@pytest.mark.parametrize(
    ("target", "operation", "result"),
    [
        ({"foo": "bar"}, {"op": "add", "path": "/baz", "value": "qux"}, {"foo": "bar", "baz": "qux"}),
        ({"foo": ["bar", "baz"]}, {"op": "add", "path": "/foo/1", "value": "qux"}, {"foo": ["bar", "qux", "baz"]}),
        ({"foo": ["bar"]}, {"op": "add", "path": "/foo/-", "value": ["abc"]}, {"foo": ["bar", ["abc"]]}),
        ({"baz": "qux", "foo": "bar"}, {"op": "remove", "path": "/baz"}, {"foo": "bar"}),
        ({"foo": ["bar", "qux", "baz"]}, {"op": "remove", "path": "/foo/1"}, {"foo": ["bar", "baz"]}),
        ({"baz": "qux"}, {"op": "replace", "path": "/baz", "value": "boo"}, {"baz": "boo"}),
        ({"a": {"b": 1}, "c": {}}, {"op": "move", "from": "/a/b", "path": "/c/d"}, {"a": {}, "c": {"d": 1}}),
        ({"foo": [1, 2, 3]}, {"op": "move", "from": "/foo/0", "path": "/foo/2"}, {"foo": [2, 3, 1]}),
        ({"a": {"b": 1}}, {"op": "copy", "from": "/a", "path": "/c"}, {"a": {"b": 1}, "c": {"b": 1}}),
        ({"a/b": 1, "m~n": 2}, {"op": "test", "path": "/a~1b", "value": 1}, {"a/b": 1, "m~n": 2}),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": 10}, {"/": 9, "~1": 10}),
        ({"a": 1}, {"op": "replace", "path": "", "value": {"b": 2}}, {"b": 2}),
    ],
)
def test_json_patch(target: Any, operation: Any, result: Any) -> None:
    before = deepcopy(target)
    assert json_patch(target, [operation]) == result
    assert target == before


@pytest.mark.parametrize(
    "operation",
    [
        {"op": "test", "path": "/a", "value": 2},
        {"op": "test", "path": "/a", "value": True},
        {"op": "test", "path": "/none", "value": 1},
        {"op": "remove", "path": "/none"},
        {"op": "remove", "path": "/l/5"},
        {"op": "replace", "path": "/none", "value": 1},
        {"op": "add", "path": "/none/x", "value": 1},
        {"op": "add", "path": "/l/9", "value": 1},
        {"op": "add", "path": "/l/x", "value": 1},
        {"op": "move", "from": "/none", "path": "/b"},
        {"op": "conjure", "path": "/b"},
        {"op": "add", "value": 1},
    ],
    ids=str,
)
def test_an_operation_that_does_not_fit_is_unprocessable(operation: Any) -> None:
    with pytest.raises(PatchError) as refused:
        json_patch({"a": 1, "l": [1]}, [operation])
    assert refused.value.code == 422


def test_a_json_patch_is_a_list() -> None:
    with pytest.raises(PatchError) as refused:
        json_patch({}, {"op": "add"})
    assert refused.value.code == 400


@given(JSON)
def test_ownership_survives_being_written_down(value: Any) -> None:
    fields = fields_of({"root": value}, UNTYPED)
    assert fields_in(tree_of(fields)) == fields


@given(JSON, JSON)
def test_merging_the_same_twice_is_merging_it_once(live: Any, applied: Any) -> None:
    once = merge({"root": live}, {"root": applied}, UNTYPED)
    assert merge(once, {"root": applied}, UNTYPED) == once


@given(st.dictionaries(st.text(max_size=3), JSON, max_size=4))
def test_taking_out_all_that_is_owned_leaves_nothing_that_is(value: dict[str, Any]) -> None:
    left = remove(value, UNTYPED, fields_of(value, UNTYPED))
    assert left is GONE or fields_of(left, UNTYPED) == frozenset()


# Orders of a merged list: items keep the order in which they are applied, others stay where they stand.
@pytest.mark.parametrize(
    ("live", "applied", "merged"),
    [
        ("abc", "", "abc"),
        ("", "abc", "abc"),
        ("abc", "b", "abc"),
        ("abc", "d", "abcd"),
        ("abc", "cb", "acb"),
        ("abc", "db", "adbc"),
        ("abcd", "dbx", "acdbx"),
    ],
)
def test_the_order_of_merged_items(live: str, applied: str, merged: str) -> None:
    schema = parse({"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}})
    assert merge(list(live), list(applied), schema) == list(merged)
