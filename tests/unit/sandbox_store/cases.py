"""What is asked of both servers: each case is a few calls; all but the quiet ones are compared."""

from dataclasses import dataclass, field
from typing import Any

from tests.crd import specs
from tests.unit.sandbox_store.servers import APPLY, JSON_PATCH, MERGE, STRATEGIC

NAMESPACED = "/NAMESPACE"
PODS = "/api/v1/namespaces/NAMESPACE/pods"
MAPS = "/api/v1/namespaces/NAMESPACE/configmaps"
DEPLOYMENTS = "/apis/apps/v1/namespaces/NAMESPACE/deployments"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
PROFILES = "/apis/pointsman.dev/v1alpha1/schedulerprofiles"
WIDGETS = "/apis/sandbox.test/v1/namespaces/NAMESPACE/widgets"


@dataclass(frozen=True, slots=True)
class Step:
    method: str
    path: str
    body: Any = None
    content_type: str = ""
    query: dict[str, str] = field(default_factory=dict)
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return self.name


def post(path: str, body: Any, *, quiet: bool = False, **query: str) -> Step:
    return Step("POST", path, body, query={"fieldManager": "test", **query}, quiet=quiet)


def put(path: str, body: Any, *, quiet: bool = False, **query: str) -> Step:
    return Step("PUT", path, body, query={"fieldManager": "test", **query}, quiet=quiet)


def patched(path: str, body: Any, kind: str, *, quiet: bool = False, **query: str) -> Step:
    return Step("PATCH", path, body, kind, query={"fieldManager": "test", **query}, quiet=quiet)


def applied(path: str, body: Any, manager: str = "applier", *, quiet: bool = False, **query: str) -> Step:
    return Step("PATCH", path, body, APPLY, query={"fieldManager": manager, **query}, quiet=quiet)


def get(path: str) -> Step:
    return Step("GET", path)


def delete(path: str, **query: str) -> Step:
    return Step("DELETE", path, query=query, quiet=True)


DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "widgets.sandbox.test"},
    "spec": {
        "group": "sandbox.test",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {
                            "spec": {
                                "type": "object",
                                "required": ["size"],
                                "x-kubernetes-validations": [
                                    {"rule": "self.size != 7", "message": "seven is taken"},
                                    {
                                        "rule": "!has(self.color) || self.size < 5 || self.color != 'red'",
                                        "messageExpression": "'no red' + ' of that size'",
                                        "fieldPath": ".color",
                                    },
                                ],
                                "properties": {
                                    "size": {"type": "integer", "minimum": 0, "maximum": 9},
                                    "big": {"type": "integer", "maximum": 1000000},
                                    "ratio": {"type": "number", "minimum": 0.5, "multipleOf": 0.5},
                                    "color": {"type": "string", "enum": ["red", "green"], "default": "green"},
                                    "name": {"type": "string", "minLength": 2, "maxLength": 5, "pattern": "^[a-z]+$"},
                                    "fixed": {
                                        "type": "string",
                                        "maxLength": 9,
                                        "x-kubernetes-validations": [
                                            {"rule": "self == oldSelf", "message": "fixed is immutable"}
                                        ],
                                    },
                                    "once": {
                                        "type": "string",
                                        "maxLength": 9,
                                        "x-kubernetes-validations": [
                                            {"rule": "!oldSelf.hasValue() || self == 'x'", "optionalOldSelf": True}
                                        ],
                                    },
                                    "port": {"x-kubernetes-int-or-string": True},
                                    "on": {"type": "boolean"},
                                    "maybe": {"type": "string", "nullable": True},
                                    "tags": {
                                        "type": "array",
                                        "maxItems": 3,
                                        "minItems": 1,
                                        "x-kubernetes-list-type": "set",
                                        "items": {"type": "string", "maxLength": 9},
                                    },
                                    "parts": {
                                        "type": "array",
                                        "x-kubernetes-list-type": "map",
                                        "x-kubernetes-list-map-keys": ["name"],
                                        "items": {
                                            "type": "object",
                                            "required": ["name"],
                                            "properties": {
                                                "name": {"type": "string"},
                                                "count": {"type": "integer", "default": 1},
                                            },
                                        },
                                    },
                                    "free": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
                                    "labels": {
                                        "type": "object",
                                        "maxProperties": 2,
                                        "additionalProperties": {"type": "string", "maxLength": 3},
                                    },
                                    "either": {
                                        "type": "object",
                                        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                                        "oneOf": [{"required": ["a"]}, {"required": ["b"]}],
                                    },
                                },
                            },
                            "status": {
                                "type": "object",
                                "default": {"observedGeneration": -1},
                                "properties": {
                                    "observedGeneration": {"type": "integer"},
                                    "phase": {"type": "string"},
                                },
                            },
                        },
                    }
                },
            }
        ],
    },
}


def widget(name: str, /, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "sandbox.test/v1", "kind": "Widget", "metadata": {"name": name}, "spec": spec}


def profile(spec: Any) -> dict[str, Any]:
    metadata = {"name": "judged"}
    return {"apiVersion": "pointsman.dev/v1alpha1", "kind": "SchedulerProfile", "metadata": metadata, "spec": spec}


def config_map(name: str, data: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, **more}
    return body if data is None else {**body, "data": data}


def pod(name: str, /, **spec: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "none"}
    body = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}}
    return {**body, "spec": {"containers": [container], **spec}}


def deployment(name: str, /, **spec: Any) -> dict[str, Any]:
    template = {
        "metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "main", "image": "none:1", "ports": [{"containerPort": 80}]}]},
    }
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}}
    return {**body, "spec": {"selector": {"matchLabels": {"app": "a"}}, "template": template, **spec}}


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


def _builtin_cases() -> list[Case]:
    def tried(name: str, path: str, body: dict[str, Any]) -> Case:
        return Case(name, (post(path, body, dryRun="All", fieldValidation="Strict"),))

    limits = {"containers": [{"name": "c", "image": "i:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}
    more = {"limits": {"cpu": "1"}, "requests": {"cpu": "2"}}
    return [
        tried("a pod", PODS, pod("p")),
        tried("a pod with limits", PODS, pod("p", **limits)),
        tried("a pod without a token", PODS, pod("p", automountServiceAccountToken=False)),
        tried("a pod with all sorts of things", PODS, pod("p", **_RICH)),
        tried("a pod without containers", PODS, {**pod("p"), "spec": {}}),
        tried("a pod without an image", PODS, pod("p", containers=[{"name": "c"}])),
        tried("a pod without a container's name", PODS, pod("p", containers=[{"image": "c"}])),
        tried("a pod that asks for more than its limit", PODS, pod("p", containers=[_container(resources=more)])),
        tried("an unknown field of a pod", PODS, pod("p", nonsense=1)),
        tried("an unknown field of a container", PODS, pod("p", containers=[_container(x=1, b=2)])),
        tried("a deployment", DEPLOYMENTS, deployment("d")),
        tried("a deployment that recreates", DEPLOYMENTS, deployment("d", strategy={"type": "Recreate"})),
        tried("a deployment with another selector", DEPLOYMENTS, deployment("d", selector={"matchLabels": {"b": "c"}})),
        tried("a deployment without a selector", DEPLOYMENTS, deployment("d", selector=None)),
        tried("a deployment with too few replicas", DEPLOYMENTS, deployment("d", replicas=-1)),
        tried("an unknown field of a deployment", DEPLOYMENTS, deployment("d", replica=1)),
        tried(
            "a node", "/api/v1/nodes", {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": "2", "pods": "9"}}}
        ),
        *(tried(f"a pod with the wrong type of {name}", PODS, body) for name, body in _WRONG_PODS.items()),
        *(
            tried(f"a deployment with the wrong type of {n}", DEPLOYMENTS, deployment("d", **s))
            for n, s in _WRONG.items()
        ),
        tried("a map with the wrong type of data", MAPS, {**config_map("m"), "data": {"a": 1}}),
        tried("a map whose data is a list", MAPS, {**config_map("m"), "data": ["a"]}),
        Case("quantities", tuple(_sized(quantity) for quantity in _QUANTITIES)),
        tried(
            "nulls of a pod", PODS, pod("p", nodeSelector=None, tolerations=None, containers=[_container(args=None)])
        ),
        tried(
            "a lease", "/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases", _named(spec={"holderIdentity": "a"})
        ),
        tried(
            "a bad lease",
            "/apis/coordination.k8s.io/v1/namespaces/NAMESPACE/leases",
            _named(spec={"leaseDurationSeconds": 0}),
        ),
        tried("a secret", "/api/v1/namespaces/NAMESPACE/secrets", _named(stringData={"a": "b"})),
        tried("a service account", "/api/v1/namespaces/NAMESPACE/serviceaccounts", _named()),
        tried(
            "a role",
            "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/roles",
            _named(rules=[{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}]),
        ),
        tried(
            "a role binding",
            "/apis/rbac.authorization.k8s.io/v1/namespaces/NAMESPACE/rolebindings",
            _named(
                roleRef={"kind": "Role", "name": "r"},
                subjects=[{"kind": "ServiceAccount", "name": "s", "namespace": "n"}],
            ),
        ),
        tried(
            "a disruption budget",
            "/apis/policy/v1/namespaces/NAMESPACE/poddisruptionbudgets",
            _named(spec={"minAvailable": 1, "selector": {"matchLabels": {"a": "b"}}}),
        ),
        tried("a priority class", "/apis/scheduling.k8s.io/v1/priorityclasses", _named(value=5)),
        Case(
            "changes of a pod",
            (
                post(PODS, pod("change", nodeSelector={"a": "b"}), quiet=True),
                patched(f"{PODS}/change", {"spec": {"containers": [{"name": "main", "image": "other"}]}}, STRATEGIC),
                patched(f"{PODS}/change", {"metadata": {"labels": {"a": "b"}}}, STRATEGIC),
                patched(f"{PODS}/change/status", {"status": {"phase": "Running"}}, STRATEGIC),
                delete(f"{PODS}/change", gracePeriodSeconds="0"),
            ),
        ),
    ]


_QUANTITIES: tuple[str | int | float, ...] = (
    *("0", "0Gi", "1", 1, 0.5, "1000m", "1500m", "0.1", "1000", "1000000k", "1024Ki", "1000Ki", "1.5Gi", "0.5Ki"),
    *("0.0005", "1e3", "12e6", "1E", "1500", "100e-3", "0.3Gi", ".5"),
)


def _sized(quantity: str | int | float) -> Step:
    return post("/api/v1/nodes", {"metadata": {"name": "n"}, "status": {"capacity": {"cpu": quantity}}}, dryRun="All")


_WRONG: dict[str, dict[str, Any]] = {
    "replicas": {"replicas": "a"},
    "paused": {"paused": "yes"},
    "selector": {"selector": "a"},
    "template": {"template": []},
    "a fraction of replicas": {"replicas": 1.5},
    "maxSurge": {"strategy": {"rollingUpdate": {"maxSurge": True}}},
}
_WRONG_PODS: dict[str, dict[str, Any]] = {
    "spec": {"metadata": {"name": "p"}, "spec": 1},
    "metadata": {"metadata": [], "spec": {}},
    "labels": {"metadata": {"name": "p", "labels": {"a": 1}}, "spec": {}},
    "containers": {"metadata": {"name": "p"}, "spec": {"containers": {"a": 1}}},
    "a container": {"metadata": {"name": "p"}, "spec": {"containers": ["a"]}},
    "an image": {"metadata": {"name": "p"}, "spec": {"containers": [{"image": 1}]}},
    "a quantity": {
        "metadata": {"name": "p"},
        "spec": {"containers": [{"name": "a", "image": "i", "resources": {"requests": {"cpu": "lots"}}}]},
    },
    "a quantity in another form": {
        "metadata": {"name": "p"},
        "spec": {
            "containers": [{"name": "a", "image": "i", "resources": {"requests": {"cpu": 1, "memory": "1000Ki"}}}]
        },
    },
}


def _named(**more: Any) -> dict[str, Any]:
    return {"metadata": {"name": "x"}, **more}


def _container(**more: Any) -> dict[str, Any]:
    return {"name": "c", "image": "i", **more}


_RICH: dict[str, Any] = {
    "containers": [
        {
            "name": "c",
            "image": "registry:5000/a/b:1.2",
            "ports": [{"containerPort": 80}],
            "env": [{"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
            "readinessProbe": {"httpGet": {"port": 80}},
            "livenessProbe": {"exec": {"command": ["a"]}, "periodSeconds": 3},
            "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        }
    ],
    "initContainers": [{"name": "i", "image": "a@sha256:" + "0" * 64}],
    "volumes": [
        {"name": "v"},
        {"name": "s", "secret": {"secretName": "s"}},
        {"name": "m", "configMap": {"name": "m"}},
        {"name": "h", "hostPath": {"path": "/h"}},
        {"name": "p", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
    ],
    "tolerations": [{"operator": "Exists"}],
    "hostNetwork": True,
}


def _strategic_cases() -> list[Case]:
    path = f"{DEPLOYMENTS}/smart"
    containers = [_container(name=name, env=[{"name": "A", "value": "1"}]) for name in ("a", "b", "c")]
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
    *_builtin_cases(),
    *_strategic_cases(),
    *_apply_cases(),
]
