"""Specs that a SchedulerProfile may and may not have, for the offline models and for a real API server alike.

A case is a whole spec, made by one change to one that has every field. `path` is what the API server names as the
place of the fault; `offline` is the whole of what `pointsman validate` says.
"""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

Path = tuple[str | int, ...]
REMOVED: Final = object()

MINIMAL: Final[dict[str, Any]] = {"schedulerName": "binpack"}

FULL: Final[dict[str, Any]] = {
    "schedulerName": "binpack",
    "suspend": False,
    "base": "Default",
    "predicates": [
        {"name": "own-fit", "rule": "NodeResourcesFit", "state": "Enabled", "args": {"ignoredResources": []}}
    ],
    "priorities": [{"name": "own", "rule": "ImageLocality", "state": "Enabled", "args": {}, "weight": 5}],
    "nodes": {
        "selector": {
            "matchLabels": {"pool": "gpu"},
            "matchExpressions": [{"key": "example.com/zone", "operator": "In", "values": ["a", "b"]}],
        }
    },
    "pods": {
        "namespaceSelector": {
            "matchLabels": {"team": "ml"},
            "matchExpressions": [{"key": "old", "operator": "NotIn", "values": ["yes"]}],
        }
    },
    "queue": {"podInitialBackoffSeconds": 2, "podMaxBackoffSeconds": 20},
    "preemption": {
        "state": "Enabled",
        "args": {"minCandidateNodesPercentage": 5, "minCandidateNodesAbsolute": 50},
    },
    "replicas": 2,
    "engine": {
        "image": "registry.example.com:5000/pointsman/pointsman:1.0@sha256:0123",
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi", "ephemeral-storage": "1Gi"},
            "limits": {"cpu": 2, "memory": "1.5Gi", "ephemeral-storage": "2e9"},
        },
        "logLevel": "Debug",
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "tolerations": [
            {"key": "dedicated", "operator": "Equal", "value": "system", "effect": "NoExecute", "tolerationSeconds": 60}
        ],
        "priorityClassName": "system-cluster-critical",
    },
}


def changed(path: Path, value: Any) -> dict[str, Any]:
    """FULL with another value at the path; REMOVED takes the field away."""
    spec = copy.deepcopy(FULL)
    here: Any = spec
    for part in path[:-1]:
        here = here[part]
    if value is REMOVED:
        del here[path[-1]]
    else:
        here[path[-1]] = value
    return spec


def strings(value: Any = FULL, path: Path = ()) -> Iterator[Path]:
    """Paths of all texts in a spec, in the order in which they stand."""
    if isinstance(value, str):
        yield path
    items = value.items() if isinstance(value, Mapping) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from strings(item, (*path, key))


@dataclass(frozen=True)
class Case:
    """One change that must be refused."""

    at: Path
    value: Any
    path: str  # as the API server names it; empty for faults that it names otherwise
    offline: str

    def __str__(self) -> str:
        field = ".".join(map(str, self.at))
        return f"no {field}" if self.value is REMOVED else f"{field}={self.value!r}"[:70]

    @property
    def spec(self) -> dict[str, Any]:
        return changed(self.at, self.value)


_LABEL = "is not a lower-case DNS label (a-z, 0-9 and -, beginning and ending with a letter or digit)"
_RULE = "is not a rule name (A-Z, a-z, 0-9 and -, beginning and ending with a letter or digit)"
_VALUE = "is not a label value (A-Z, a-z, 0-9, -, _ and ., beginning and ending with a letter or digit)"
_KEY = "is not a label key ([prefix/]name)"
_QUANTITY = "is not a quantity such as 100m, 2 or 1Gi, not negative"
_NAME = ("spec.schedulerName",)
_EXPRESSION: Path = ("nodes", "selector", "matchExpressions", 0)
_TOLERATION: Path = ("engine", "tolerations", 0)
_STAR = '"*" must have state Disabled and nothing else'
_EMPTY = "a selector must not be empty; leave it out to select everything"


def _in(field: str, value: Any, words: str, *, at: Path | None = None) -> Case:
    """A fault of one field of the spec, at the same path for both."""
    return Case(at or tuple(field.split(".")), value, f"spec.{field}", f"spec.{field}: {words}")


def _entry(field: str, value: Any, words: str, offline_path: str = "priorities[own]") -> Case:
    """A fault in the first priority: the API server counts, we name."""
    return Case(("priorities", 0, field), value, f"spec.priorities[0].{field}", f"spec.{offline_path}.{field}: {words}")


REFUSED: Final[tuple[Case, ...]] = (
    _in("schedulerName", REMOVED, "must be set"),
    _in("schedulerName", "", "must not be empty"),
    _in("schedulerName", "default-scheduler", "schedulerName must not be default-scheduler"),
    _in("schedulerName", "Fast_Scheduler", f'"Fast_Scheduler" {_LABEL}'),
    _in("schedulerName", "a.b", f'"a.b" {_LABEL}'),
    _in("schedulerName", "gpu\n", f'"gpu\\n" {_LABEL}'),
    _in("schedulerName", "-a", f'"-a" {_LABEL}'),
    _in("schedulerName", "a" * 64, f'"{"a" * 63}… must not be longer than 63 characters'),
    _in("schedulerName", 5, "5 is not a string"),
    _in("suspend", "true", '"true" is not true or false'),
    _in("base", "default", '"default" is not one of Default, None'),
    _in("predicates", {}, "{} is not a list"),
    _in(
        "predicates", [{"name": "a"}] * 1 + [{"name": f"a{n}"} for n in range(64)], "must not have more than 64 entries"
    ),
    _in("priorities", [{"name": f"a{n}"} for n in range(65)], "must not have more than 64 entries"),
    Case(("predicates", 0, "name"), REMOVED, "spec.predicates[0].name", "spec.predicates[0].name: must be set"),
    _entry("name", 5, "5 is not a string", "priorities[0]"),
    _entry("name", "", "must not be empty", 'priorities[""]'),
    _entry("name", "a b", f'"a b" {_RULE} or "*"', 'priorities["a b"]'),
    _entry("name", "x" * 64, f'"{"x" * 63}… must not be longer than 63 characters', f"priorities[{'x' * 64}]"),
    _entry("rule", "*", f'"*" {_RULE}'),
    _entry("state", "Off", '"Off" is not one of Enabled, Disabled'),
    _entry("args", [], "[] is not an object"),
    _entry("args", {f"k{n}": 1 for n in range(65)}, "must not have more than 64 entries"),
    _entry("weight", 0, "0 must be at least 1"),
    _entry("weight", -1, "-1 must be at least 1"),
    _entry("weight", 1_000_001, "1000001 must be at most 1000000"),
    _entry("weight", "5", '"5" is not an integer'),
    _entry("weight", 1.5, "1.5 is not an integer"),
    Case(("priorities", 0), {"name": "*"}, "spec.priorities[0]", f"spec.priorities[*]: {_STAR}"),
    Case(("predicates", 0), {"name": "*"}, "spec.predicates[0]", f"spec.predicates[*]: {_STAR}"),
    Case(
        ("predicates", 0),
        {"name": "*", "state": "Disabled", "args": {}},
        "spec.predicates[0]",
        f"spec.predicates[*]: {_STAR}",
    ),
    Case(
        ("priorities", 0),
        {"name": "*", "state": "Disabled", "weight": 2},
        "spec.priorities[0]",
        f"spec.priorities[*]: {_STAR}",
    ),
    _in("nodes.selector", {}, _EMPTY),
    _in("nodes.selector", {"matchLabels": {}, "matchExpressions": []}, _EMPTY),
    _in("pods.namespaceSelector", {"matchLabels": {}}, _EMPTY),
    _in("nodes.selector.matchLabels", {"a b": "c"}, f'"a b" {_KEY}'),
    _in("nodes.selector.matchLabels", {f"k{n}": "" for n in range(17)}, "must not have more than 16 entries"),
    Case(
        ("nodes", "selector", "matchLabels", "pool"),
        "a b",
        "spec.nodes.selector.matchLabels.pool",
        f'spec.nodes.selector.matchLabels.pool: "a b" {_VALUE}',
    ),
    Case(
        (*_EXPRESSION, "operator"),
        "Gt",
        "spec.nodes.selector.matchExpressions[0].operator",
        'spec.nodes.selector.matchExpressions[0].operator: "Gt" is not one of In, NotIn, Exists, DoesNotExist',
    ),
    Case(
        (*_EXPRESSION, "operator"),
        "Exists",
        "spec.nodes.selector.matchExpressions[0]",
        "spec.nodes.selector.matchExpressions[0]: values must not be set when operator is Exists or DoesNotExist",
    ),
    Case(
        (*_EXPRESSION, "values"),
        [],
        "spec.nodes.selector.matchExpressions[0]",
        "spec.nodes.selector.matchExpressions[0]: values must not be empty when operator is In or NotIn",
    ),
    Case(
        (*_EXPRESSION, "key"),
        "{{ x }}",
        "spec.nodes.selector.matchExpressions[0].key",
        f'spec.nodes.selector.matchExpressions[0].key: "{{{{ x }}}}" {_KEY}',
    ),
    _in("queue.podInitialBackoffSeconds", 0, "0 must be at least 1"),
    _in("queue.podMaxBackoffSeconds", 3601, "3601 must be at most 3600"),
    _in("queue.podMaxBackoffSeconds", "10s", '"10s" is not an integer'),
    _in(
        "queue",
        {"podInitialBackoffSeconds": 11},
        "podMaxBackoffSeconds must not be less than podInitialBackoffSeconds",
    ),
    _in("preemption.state", "On", '"On" is not one of Enabled, Disabled'),
    _in("preemption.args.minCandidateNodesPercentage", 101, "101 must be at most 100"),
    _in("preemption.args.minCandidateNodesPercentage", -1, "-1 must be at least 0"),
    _in("preemption.args.minCandidateNodesAbsolute", -1, "-1 must be at least 0"),
    _in("preemption.args.minCandidateNodesAbsolute", 1_000_001, "1000001 must be at most 1000000"),
    _in(
        "preemption.args",
        {"minCandidateNodesPercentage": 0, "minCandidateNodesAbsolute": 0},
        "minCandidateNodesPercentage and minCandidateNodesAbsolute must not both be 0",
    ),
    _in("replicas", -1, "-1 must be at least 0"),
    _in("replicas", 10, "10 must be at most 9"),
    _in("replicas", "1", '"1" is not an integer'),
    _in("engine.image", "a b", '"a b" is not an image reference'),
    _in("engine.image", "a\nhostNetwork: true", '"a\\nhostNetwork: true" is not an image reference'),
    _in("engine.resources.limits.cpu", "-1", f'"-1" {_QUANTITY}'),
    _in("engine.resources.limits.memory", "lots", f'"lots" {_QUANTITY}'),
    _in("engine.resources.requests.ephemeral-storage", "1 Gi", f'"1 Gi" {_QUANTITY}'),
    _in("engine.resources.requests.cpu", "1" * 33, f'"{"1" * 33}" must not be longer than 32 characters'),
    _in("engine.logLevel", "debug", '"debug" is not one of Debug, Info, Warning, Error'),
    _in("engine.nodeSelector", {"a/b/c": "d"}, f'"a/b/c" {_KEY}'),
    _in(
        "engine.priorityClassName",
        "High",
        '"High" is not a lower-case DNS name (labels of a-z, 0-9 and -, joined by dots)',
    ),
    Case(
        (*_TOLERATION, "effect"),
        "Never",
        "spec.engine.tolerations[0].effect",
        'spec.engine.tolerations[0].effect: "Never" is not one of NoSchedule, PreferNoSchedule, NoExecute',
    ),
    Case(
        (*_TOLERATION, "operator"),
        "Exists",
        "spec.engine.tolerations[0]",
        "spec.engine.tolerations[0]: value must not be set when operator is Exists",
    ),
    Case(
        (*_TOLERATION, "key"),
        REMOVED,
        "spec.engine.tolerations[0]",
        "spec.engine.tolerations[0]: operator must be Exists when key is not set",
    ),
    Case(
        (*_TOLERATION, "effect"),
        REMOVED,
        "spec.engine.tolerations[0]",
        "spec.engine.tolerations[0]: effect must be NoExecute when tolerationSeconds is set",
    ),
    # unknown fields: the API server drops them unless it is asked to be strict, and then names them
    _in("replicsa", 3, "unknown field, did you mean replicas?"),
    _in("queue.podMaxBackoff", 3, "unknown field, did you mean podMaxBackoffSeconds?"),
    _in(
        "engine.group",
        "a",
        "unknown field; known are image, resources, logLevel, nodeSelector, tolerations, priorityClassName",
    ),
    _in(
        "extenders",
        [],
        "unknown field; known are schedulerName, suspend, base, predicates, priorities, nodes, pods, queue, preemption,"
        " replicas, engine",
    ),
    Case(
        ("predicates", 0, "weight"),
        3,
        "spec.predicates[0].weight",
        "spec.predicates[own-fit].weight: unknown field; known are name, rule, state, args",
    ),
    Case(
        ("priorities", 0, "wieght"),
        3,
        "spec.priorities[0].wieght",
        "spec.priorities[own].wieght: unknown field, did you mean weight?",
    ),
)

# Server-side apply refuses null, other writes drop it: refusing is right for both.
NULLS: Final[tuple[Case, ...]] = (
    _entry("weight", None, "must not be null; leave it out"),
    _in("nodes.selector", None, "must not be null; leave it out"),
    _in("engine.image", None, "null is not a string"),
)

ACCEPTED: Final[dict[str, dict[str, Any]]] = {
    "nothing but a name": MINIMAL,
    "every field": FULL,
    "the longest names": changed(("schedulerName",), "a" * 63),
    "no base": changed(("base",), "None"),
    "all of the base disabled": changed(("predicates",), [{"name": "*", "state": "Disabled"}, {"name": "NodeName"}]),
    "a disabled entry with a weight": changed(
        ("priorities", 0), {"name": "ImageLocality", "state": "Disabled", "weight": 3}
    ),
    "the highest weight": changed(("priorities", 0, "weight"), 1_000_000),
    "whole numbers as quantities": changed(("engine", "resources", "requests"), {"cpu": 1, "memory": 1000000}),
    "no engines": changed(("replicas",), 0),
    "nodes and pods that say nothing": {**MINIMAL, "nodes": {}, "pods": {}, "engine": {}, "queue": {}},
    "empty texts and lists": changed(
        ("engine",), {"image": "", "tolerations": [], "nodeSelector": {}, "resources": {}}
    ),
    "a toleration of everything": changed(("engine", "tolerations"), [{"operator": "Exists"}]),
    "labels without a value": changed(("nodes", "selector", "matchLabels"), {"node-role.kubernetes.io/worker": ""}),
}

HOSTILE: Final[dict[str, str]] = {
    "newline": "a\nhostNetwork: true",
    "trailing newline": "a\n",
    "second document": "a\n---\nkind: ClusterRoleBinding",
    "template": "{{ 7 * 7 }}",
    "template statement": "{% for x in range(9) %}a{% endfor %}",
    "flow map": "a, hostNetwork: true, k: b",
    "braces": "{a: b}",
    "comment": "a #cut",
    "quotes": "a\" 'b",
    "backslash": "a\\n",
    "anchor": "&a",
    "tag": "!!python/object:os.system",
    "shell": "$(id);`id`",
    "carriage return": "a\rb",
    "tab": "a\tb",
    "null byte": "a\0b",
    "escape": "\x1b[31ma",
    "next line": "a\x85b",
    "line separator": "a\u2028b",
    "byte order mark": "\ufeffa",
    "right to left": "a\u202eb",
    "beyond the basic plane": "a\U0001f600",
    "path": "../../etc/passwd",
}
