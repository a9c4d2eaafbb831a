"""What is asked of both servers: each case is a few calls; all but the quiet ones are compared."""

from typing import Any

from tests.crd import specs
from tests.unit.sandbox_store.builtin_cases import builtin_cases
from tests.unit.sandbox_store.script import (
    DEPLOYMENTS,
    MAPS,
    PROFILES,
    WIDGETS,
    Case,
    Step,
    applied,
    config_map,
    container,
    delete,
    deployment,
    get,
    patched,
    post,
    profile,
    put,
    widget,
)
from tests.unit.sandbox_store.servers import JSON_PATCH, MERGE, STRATEGIC

# Faults of one custom object each, tried with a dry run in mode Strict.
WIDGET_FAULTS: dict[str, dict[str, Any]] = {
    "above the maximum": {"size": 10},
    "below the minimum": {"size": -1},
    "above a big maximum": {"size": 1, "big": 1000001},
    "no multiple": {"size": 1, "ratio": 0.7},
    "below a fractional minimum": {"size": 1, "ratio": 0.0},
    "a fraction for an integer": {"size": 1.5},
    "text for an integer": {"size": "1"},
    "a list for text": {"size": 1, "name": ["a"]},
    "text for a boolean": {"size": 1, "on": "yes"},
    "none of the enumeration": {"size": 1, "color": "blue"},
    "too short": {"size": 1, "name": "a"},
    "too long": {"size": 1, "name": "abcdef"},
    "no match": {"size": 1, "name": "A1"},
    "a line break after the match": {"size": 1, "name": "ab\n"},
    "required": {"name": "ab"},
    "a boolean for int or string": {"size": 1, "port": True},
    "too many items": {"size": 1, "tags": ["a", "b", "c", "d"]},
    "too few items": {"size": 1, "tags": []},
    "an item twice": {"size": 1, "tags": ["a", "b", "a", "a"]},
    "a key twice": {"size": 1, "parts": [{"name": "a"}, {"name": "b"}, {"name": "a"}]},
    "an item without its key": {"size": 1, "parts": [{"count": 1}]},
    "too many properties": {"size": 1, "labels": {"a": "1", "b": "2", "c": "3"}},
    "too long in a map": {"size": 1, "labels": {"a": "1234"}},
    "a rule": {"size": 7},
    "a rule with an expression for its message": {"size": 6, "color": "red"},
    "null where none may be": {"size": 1, "name": None},
    "null for what is required": {"size": None},
    "null for what has a default": {"size": 1, "color": None},
    "null where it may be": {"size": 1, "maybe": None},
    "an unknown field": {"size": 1, "colour": "red"},
    "an unknown field in an item": {"size": 1, "parts": [{"name": "a", "x": 1}]},
    "two unknown fields": {"size": 1, "zz": 1, "aa": 1},
    "two faults": {"size": 10, "name": "A1"},
    "none of two": {"size": 1, "either": {}},
    "both of two": {"size": 1, "either": {"a": 1, "b": 1}},
    "anything in a free object": {"size": 1, "free": {"a": [{"b": None}], "c": {}}},
    "all well": {"size": 1, "port": "http", "parts": [{"name": "a"}], "tags": ["a"], "ratio": 1.5, "once": "a"},
}


def _fault_cases() -> list[Case]:
    return [
        Case(f"widget: {name}", (post(WIDGETS, widget("w", **spec), dryRun="All", fieldValidation="Strict"),))
        for name, spec in WIDGET_FAULTS.items()
    ]


def _duplicate_cases() -> list[Case]:
    twice = (
        b'{"apiVersion": "v1", "kind": "ConfigMap",'
        b' "metadata": {"name": "d", "name": "d"}, "data": {"a": "1", "a": "2"}}'
    )
    thing = (
        b'{"apiVersion": "sandbox.test/v1", "kind": "Widget", "metadata": {"name": "d"},'
        b' "spec": {"size": 1, "size": 2, "parts": [{"name": "a", "count": 1, "count": 2, "x": 1}]}}'
    )
    return [
        Case("keys that stand twice", (post(MAPS, twice, dryRun="All", fieldValidation="Strict"),)),
        Case("keys that stand twice, as a warning", (post(MAPS, twice, dryRun="All"),)),
        Case(
            "keys of a custom object that stand twice", (post(WIDGETS, thing, dryRun="All", fieldValidation="Strict"),)
        ),
    ]


def _metadata_cases() -> list[Case]:
    def named(metadata: dict[str, Any]) -> Step:
        return post(MAPS, {**config_map("x"), "metadata": metadata}, dryRun="All")

    return [
        Case("a name with capitals", (named({"name": "Fast"}),)),
        Case("a name that is too long", (named({"name": "a" * 254}),)),
        Case("no name", (named({}),)),
        Case("a label with a bad key", (named({"name": "a", "labels": {"-a": "b"}}),)),
        Case("a label with a bad value", (named({"name": "a", "labels": {"a": "b c"}}),)),
        Case("an annotation with a bad key", (named({"name": "a", "annotations": {"a b": ""}}),)),
        Case("another namespace", (named({"name": "a", "namespace": "other"}),)),
        Case(
            "a version on creation",
            (post(MAPS, {**config_map("x"), "metadata": {"name": "a", "resourceVersion": "1"}}),),
        ),
        Case("no spec", (post(WIDGETS, {k: v for k, v in widget("w").items() if k != "spec"}, dryRun="All"),)),
        Case("a missing object", (get(f"{MAPS}/none"), get(f"{WIDGETS}/none"), get(f"{DEPLOYMENTS}/none"))),
        Case("a missing namespace", (post("/api/v1/namespaces/none-such/configmaps", config_map("a")),)),
        Case("a namespace", (post("/api/v1/namespaces", {"metadata": {"name": "x"}}, dryRun="All"),)),
        Case("a namespace with a dot", (post("/api/v1/namespaces", {"metadata": {"name": "x.y"}}, dryRun="All"),)),
    ]


def _write_cases() -> list[Case]:
    a, w = f"{MAPS}/write", f"{WIDGETS}/write"
    return [
        Case(
            "create, again, replace, patch, stale, delete",
            (
                post(MAPS, config_map("write", {"a": "1"})),
                post(MAPS, config_map("write", {"a": "1"})),
                put(a, config_map("write", {"a": "2"})),
                put(a, {**config_map("write"), "metadata": {"name": "write", "resourceVersion": "1"}}),
                put(a, {**config_map("write"), "metadata": {"name": "other"}}),
                put(a, {**config_map("write"), "metadata": {"name": "write", "uid": "1-2"}}),
                patched(a, {"data": {"b": "3", "a": None}}, MERGE),
                patched(a, [{"op": "test", "path": "/data/b", "value": "4"}], JSON_PATCH),
                patched(a, [{"op": "replace", "path": "/data/none/x", "value": "4"}], JSON_PATCH),
                patched(a, [{"op": "add", "path": "/data/c", "value": "4"}], JSON_PATCH),
                patched(a, {"metadata": {"resourceVersion": "1"}, "data": {"x": "y"}}, MERGE),
                patched(a, {"metadata": {"finalizers": ["test.test/hold"]}}, MERGE),
                patched(a, {"metadata": {"finalizers": None}}, MERGE),
                delete(a),
                get(a),
            ),
        ),
        Case(
            "an immutable map",
            (
                post(MAPS, config_map("fixed", {"a": "1"}, immutable=True), quiet=True),
                patched(f"{MAPS}/fixed", {"data": {"a": "2"}}, MERGE),
                patched(f"{MAPS}/fixed", {"immutable": False}, MERGE),
                delete(f"{MAPS}/fixed"),
            ),
        ),
        Case(
            "the life of a custom object",
            (
                post(WIDGETS, widget("write", size=1, fixed="a", parts=[{"name": "a"}])),
                put(w, widget("write", size=2)),
                patched(w, {"spec": {"fixed": "b"}}, MERGE),
                patched(w, {"spec": {"once": "b"}}, MERGE),
                patched(w, {"spec": {"once": "c"}}, MERGE),
                patched(w, {"spec": {"size": 2}, "status": {"phase": "x"}}, MERGE),
                patched(f"{w}/status", {"spec": {"size": 3}, "status": {"phase": "x"}}, MERGE),
                patched(f"{w}/status", {"metadata": {"labels": {"a": "b"}}}, MERGE),
                patched(w, {"metadata": {"labels": {"a": "b"}}}, MERGE),
                patched(w, {"spec": {"size": 10}}, MERGE),
                patched(w, {"spec": {"nonsense": 10}}, MERGE, fieldValidation="Strict"),
                patched(w, {"spec": {"size": 2}}, STRATEGIC),
                patched(w, [{"op": "remove", "path": "/spec"}], JSON_PATCH),
                delete(w),
            ),
        ),
    ]


def _strategic_cases() -> list[Case]:
    path = f"{DEPLOYMENTS}/smart"
    containers = [container(name=name, env=[{"name": "A", "value": "1"}]) for name in ("a", "b", "c")]
    template = {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}}

    def change(name: str, body: dict[str, Any]) -> Case:
        made = post(DEPLOYMENTS, deployment("smart", template=template), quiet=True)
        return Case(f"strategic: {name}", (made, patched(path, body, STRATEGIC, dryRun="All"), delete(path)))

    def inner(spec: dict[str, Any]) -> dict[str, Any]:
        return {"spec": {"template": {"spec": spec}}}

    order = {"$setElementOrder/containers": [{"name": "c"}, {"name": "new"}, {"name": "a"}]}
    return [
        change("merge a container by its name", inner({"containers": [{"name": "b", "image": "new"}]})),
        change("merge env by name", inner({"containers": [{"name": "b", "env": [{"name": "B", "value": "2"}]}]})),
        change("delete a container", inner({"containers": [{"name": "b", "$patch": "delete"}]})),
        change("replace the list", inner({"containers": [{"name": "z", "image": "z"}, {"$patch": "replace"}]})),
        change("a new container", inner({"containers": [{"name": "new", "image": "n"}]})),
        change("an order", inner({**order, "containers": [{"name": "new", "image": "n"}]})),
        change("retained keys", {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}),
        change("a map replaced", {"spec": {"strategy": {"$patch": "replace", "type": "Recreate"}}}),
        change("null", {"spec": {"template": {"spec": {"terminationGracePeriodSeconds": None}}}}),
        change("a container without its key", inner({"containers": [{"image": "new", "tty": True}]})),
        change("finalizers added", {"metadata": {"finalizers": ["test.test/a"]}}),
    ]


def _apply_cases() -> list[Case]:
    a, d, w = f"{MAPS}/applied", f"{DEPLOYMENTS}/applied", f"{WIDGETS}/applied"
    two = widget("applied", size=1, parts=[{"name": "a", "count": 2}, {"name": "b"}], tags=["x"])
    return [
        Case(
            "apply: create, repeat, take away, conflict, force",
            (
                applied(a, config_map("applied", {"a": "1", "b": "1"})),
                applied(a, config_map("applied", {"a": "1", "b": "1"})),
                applied(a, config_map("applied", {"a": "1"})),
                applied(a, config_map("applied", {"a": "2", "c": "1"}), "other"),
                applied(a, config_map("applied", {"a": "2", "c": "1"}), "other", force="true"),
                applied(a, config_map("applied")),
                applied(
                    a, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied", "managedFields": []}}
                ),
                applied(a, config_map("another")),
                delete(a),
            ),
        ),
        Case(
            "apply: over what was created, and patched",
            (
                post(DEPLOYMENTS, deployment("applied", replicas=3)),
                applied(d, deployment("applied", replicas=2)),
                applied(d, deployment("applied", replicas=2), force="true"),
                patched(d, {"spec": {"replicas": 5, "minReadySeconds": 1}}, MERGE),
                applied(d, deployment("applied", replicas=2, minReadySeconds=2)),
                applied(d, deployment("applied"), force="true"),
                applied(d, deployment("applied", nonsense=1)),
                applied(d, {**deployment("applied"), "apiVersion": "apps/v2"}),
                patched(d, {"spec": {"nonsense": 1}}, STRATEGIC, fieldValidation="Strict"),
                patched(d, {"spec": {"nonsense": 1}}, STRATEGIC),
                get(d),
                delete(d),
            ),
        ),
        Case(
            "apply: list maps and sets of a custom object",
            (
                applied(w, two),
                applied(w, widget("applied", size=1, parts=[{"name": "c"}, {"name": "a"}], tags=["y"]), "other"),
                applied(w, widget("applied", size=1, parts=[{"name": "b", "count": 5}])),
                applied(w, widget("applied", size=2), "third"),
                applied(f"{w}/status", {**widget("applied", size=3), "status": {"phase": "x"}}, "third"),
                applied(w, widget("applied", size=1, parts=[{"name": "d"}, {"name": "d"}])),
                applied(w, widget("applied", size=1, parts=[{"count": 1}])),
                applied(w, widget("applied", size=1, nonsense=1), fieldValidation="Strict"),
                applied(w, widget("applied", size=1, tags=["a", "a"])),
                applied(w, widget("applied", size=1, name=None)),
                applied(w, widget("applied", size=1, parts=None)),
                applied(w, widget("applied", size=1, color=None)),
                applied(w, widget("applied", size=None)),
                applied(w, widget("applied", size="1")),
                *(applied(w, widget("applied", size=1, **one)) for one in ({"name": 1}, {"on": "yes"}, {"parts": "a"})),
                applied(w, widget("applied", size=1, labels=3)),
                applied(w, widget("applied", size=10)),
                get(w),
                delete(w),
            ),
        ),
        Case(
            "apply: a client rewrites who manages what",
            (
                post(MAPS, config_map("applied", {"a": "1"}), quiet=True),
                patched(
                    a,
                    [{"op": "replace", "path": "/metadata/managedFields", "value": [_MANAGED]}],
                    JSON_PATCH,
                ),
                applied(a, config_map("applied", {"b": "1"})),
                patched(a, {"metadata": {"managedFields": [{}]}}, MERGE),
                delete(a),
            ),
        ),
    ]


_MANAGED = {
    "manager": "applier",
    "operation": "Apply",
    "apiVersion": "v1",
    "time": "2026-01-01T00:00:00Z",
    "fieldsType": "FieldsV1",
    "fieldsV1": {"f:data": {"f:a": {}}},
}


def _profile_cases() -> list[Case]:
    """The profiles by which the CRD itself is tested."""

    def tried(name: str, spec: Any) -> Case:
        return Case(f"profile: {name}", (post(PROFILES, profile(spec), dryRun="All", fieldValidation="Strict"),))

    refused = [tried(str(case), case.spec) for case in specs.REFUSED]
    return refused + [tried(f"accepted, {name}", spec) for name, spec in specs.ACCEPTED.items()]


CASES = [
    *_profile_cases(),
    *_fault_cases(),
    *_duplicate_cases(),
    *_metadata_cases(),
    *_write_cases(),
    *builtin_cases(),
    *_strategic_cases(),
    *_apply_cases(),
]
