"""Rows of the other built-in kinds: kubernetes 1.36, pkg/printers/internalversion/printers.go."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from pointsman.sandbox.store.kinds import Column, Object
from pointsman.sandbox.tables.column import AGE, CREATED, NAME, Layout, age, at, name, number, text
from pointsman.sandbox.tables.duration import since
from pointsman.sandbox.tables.pods import PODS

_NONE: Final = "<none>"
_UNKNOWN: Final = "<unknown>"
_ROLE_LABEL: Final = "node-role.kubernetes.io/"
_OLD_ROLE_LABEL: Final = "kubernetes.io/role"


def _node(node: Object, now: datetime) -> list[Any]:
    info = at(node, "status", "nodeInfo", default={})
    ready = next((one for one in at(node, "status", "conditions", default=()) if one["type"] == "Ready"), None)
    status = "Unknown" if ready is None else "Ready" if ready["status"] == "True" else "NotReady"
    if at(node, "spec", "unschedulable"):
        status += ",SchedulingDisabled"
    kernel = info.get("kernelVersion") or _UNKNOWN
    return [
        name(node),
        status,
        ",".join(_node_roles(node)) or _NONE,
        age(node, now),
        info.get("kubeletVersion", ""),
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        info.get("osImage") or _UNKNOWN,
        f"{kernel} ({info['architecture']})" if info.get("architecture") else kernel,
        info.get("containerRuntimeVersion") or _UNKNOWN,
    ]


def _node_roles(node: Object) -> list[str]:
    labels = node["metadata"].get("labels") or {}
    found = {key.removeprefix(_ROLE_LABEL) for key in labels if key.startswith(_ROLE_LABEL)}
    found |= {value for key, value in labels.items() if key == _OLD_ROLE_LABEL}
    return sorted(role for role in found if role)


def _address(node: Object, kind: str) -> str:
    addresses = at(node, "status", "addresses", default=())
    return next((one["address"] for one in addresses if one["type"] == kind), _NONE)


def _namespace(namespace: Object, now: datetime) -> list[Any]:
    return [name(namespace), at(namespace, "status", "phase", default=""), age(namespace, now)]


def _event(event: Object, now: datetime) -> list[Any]:
    about = event.get("involvedObject") or {}
    first = since(event.get("firstTimestamp") or event.get("eventTime"), now)
    last = since(event["lastTimestamp"], now) if event.get("lastTimestamp") else first
    count = event.get("count") or 1
    if series := event.get("series"):
        last, count = since(series.get("lastObservedTime"), now), series.get("count", 0)
    kind = str(about.get("kind", "")).lower()
    return [
        last,
        event.get("type", ""),
        event.get("reason", ""),
        f"{kind}/{about['name']}" if about.get("name") else kind,
        about.get("fieldPath", ""),
        _event_source(event),
        str(event.get("message", "")).strip(),
        first,
        count,
        name(event),
    ]


def _event_source(event: Object) -> str:
    source = event.get("source") or {}
    component = source.get("component") or event.get("reportingComponent", "")
    host = source.get("host") or event.get("reportingInstance", "")
    return ", ".join(filter(None, (component, host)))


def _config_map(config: Object, now: datetime) -> list[Any]:
    return [name(config), len(config.get("data") or ()) + len(config.get("binaryData") or ()), age(config, now)]


def _secret(secret: Object, now: datetime) -> list[Any]:
    return [name(secret), secret.get("type", "Opaque"), len(secret.get("data") or ()), age(secret, now)]


def _service_account(account: Object, now: datetime) -> list[Any]:
    return [name(account), age(account, now)]


def _deployment(deployment: Object, now: datetime) -> list[Any]:
    spec, status = deployment["spec"], deployment.get("status") or {}
    ready = f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 1)}"
    counts = [status.get("updatedReplicas", 0), status.get("availableReplicas", 0)]
    return [name(deployment), ready, *counts, age(deployment, now), *_template(spec)]


def _replica_set(replica_set: Object, now: datetime) -> list[Any]:
    spec, status = replica_set["spec"], replica_set.get("status") or {}
    counts = [spec.get("replicas", 1), status.get("replicas", 0), status.get("readyReplicas", 0)]
    return [name(replica_set), *counts, age(replica_set, now), *_template(spec)]


def _template(spec: Object) -> list[str]:
    """Containers, images and selector of what makes pods."""
    containers = at(spec, "template", "spec", "containers", default=())
    names, images = ([str(one.get(key, "")) for one in containers] for key in ("name", "image"))
    return [",".join(names), ",".join(images), format_selector(spec.get("selector") or {})]


def format_selector(selector: Mapping[str, Any]) -> str:
    """A LabelSelector in the form of a URL: apimachinery 1.36, pkg/labels/selector.go. Requirements are sorted."""
    parts = {key: f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items()}
    for requirement in selector.get("matchExpressions") or ():
        key, values = requirement["key"], ",".join(sorted(requirement.get("values") or ()))
        operator = requirement["operator"]
        written = {"In": f"{key} in ({values})", "NotIn": f"{key} notin ({values})", "Exists": key}
        parts[key] = written.get(operator, f"!{key}")
    return ",".join(parts[key] for key in sorted(parts)) or _NONE


def _lease(lease: Object, now: datetime) -> list[Any]:
    return [name(lease), at(lease, "spec", "holderIdentity", default=""), age(lease, now)]


def _budget(budget: Object, now: datetime) -> list[Any]:
    bounds = [str(at(budget, "spec", key, default="N/A")) for key in ("minAvailable", "maxUnavailable")]
    return [name(budget), *bounds, at(budget, "status", "disruptionsAllowed", default=0), age(budget, now)]


def _priority_class(priority: Object, now: datetime) -> list[Any]:
    policy = priority.get("preemptionPolicy", "PreemptLowerPriority")
    return [name(priority), priority.get("value", 0), bool(priority.get("globalDefault")), age(priority, now), policy]


def _created(obj: Object, _: datetime) -> list[Any]:
    return [name(obj), obj["metadata"].get("creationTimestamp")]


def _role_binding(binding: Object, now: datetime) -> list[Any]:
    reference = f"{binding['roleRef']['kind']}/{binding['roleRef']['name']}"
    subjects = binding.get("subjects") or ()
    return [name(binding), reference, age(binding, now), *(_subjects(subjects, kind) for kind in _SUBJECT_KINDS)]


def _subjects(subjects: Iterable[Object], kind: str) -> str:
    found = (subject for subject in subjects if subject["kind"] == kind)
    if kind == "ServiceAccount":
        return ", ".join(f"{subject.get('namespace', '')}/{subject['name']}" for subject in found)
    return ", ".join(subject["name"] for subject in found)


_SUBJECT_KINDS: Final = ("User", "Group", "ServiceAccount")
_WIDE_TEMPLATE: Final[tuple[Column, ...]] = (
    text("Containers", "Names of the template's containers.", wide=True),
    text("Images", "Images of the template's containers.", wide=True),
    text("Selector", "Which pods are counted.", wide=True),
)
_CREATED: Final = Layout((NAME, CREATED), _created)
_BINDING: Final = Layout(
    (
        NAME,
        text("Role", "The role that is given."),
        AGE,
        *(text(f"{kind}s", f"Subjects of the kind {kind}.", wide=True) for kind in _SUBJECT_KINDS),
    ),
    _role_binding,
)
_EVENT: Final = Layout(
    (
        text("Last Seen", "When it was seen last."),
        text("Type", "Normal or Warning."),
        text("Reason", "Why, in one word."),
        text("Object", "What it is about."),
        text("Subobject", "The part of the object that it is about.", wide=True),
        text("Source", "Who says so.", wide=True),
        text("Message", "What happened."),
        text("First Seen", "When it was seen first.", wide=True),
        text("Count", "How often it was seen.", wide=True),
        Column("Name", "string", format="name", description="The event's name.", priority=1),
    ),
    _event,
)
LAYOUTS: Final[Mapping[tuple[str, str], Layout]] = {
    ("", "pods"): PODS,
    ("", "nodes"): Layout(
        (
            NAME,
            text("Status", "Whether the node is ready, and cordoned."),
            text("Roles", "The node's roles, from its labels."),
            AGE,
            text("Version", "Version of the kubelet."),
            text("Internal-IP", "Address inside the cluster.", wide=True),
            text("External-IP", "Address outside the cluster.", wide=True),
            text("OS-Image", "Operating system.", wide=True),
            text("Kernel-Version", "Kernel and architecture.", wide=True),
            text("Container-Runtime", "What runs the containers.", wide=True),
        ),
        _node,
    ),
    ("", "namespaces"): Layout((NAME, text("Status", "Active or Terminating."), AGE), _namespace),
    ("", "events"): _EVENT,
    ("events.k8s.io", "events"): _EVENT,
    ("", "configmaps"): Layout((NAME, text("Data", "Number of keys."), AGE), _config_map),
    ("", "secrets"): Layout(
        (NAME, text("Type", "What the keys are for."), text("Data", "Number of keys."), AGE), _secret
    ),
    ("", "serviceaccounts"): Layout((NAME, AGE), _service_account),
    ("apps", "deployments"): Layout(
        (
            NAME,
            text("Ready", "Ready pods of wanted ones."),
            text("Up-to-date", "Pods of the present template."),
            text("Available", "Pods that have been ready long enough."),
            AGE,
            *_WIDE_TEMPLATE,
        ),
        _deployment,
    ),
    ("apps", "replicasets"): Layout(
        (
            NAME,
            number("Desired", "Wanted pods."),
            number("Current", "Pods that exist."),
            number("Ready", "Ready pods."),
            AGE,
            *_WIDE_TEMPLATE,
        ),
        _replica_set,
    ),
    ("coordination.k8s.io", "leases"): Layout((NAME, text("Holder", "Who holds the lease."), AGE), _lease),
    ("policy", "poddisruptionbudgets"): Layout(
        (
            NAME,
            text("Min Available", "Pods that must stay."),
            text("Max Unavailable", "Pods that may go."),
            number("Allowed Disruptions", "Pods that may go now."),
            AGE,
        ),
        _budget,
    ),
    ("scheduling.k8s.io", "priorityclasses"): Layout(
        (
            NAME,
            number("Value", "The priority."),
            Column("Global-Default", "boolean", description="Whether pods without a class get this one."),
            AGE,
            text("PreemptionPolicy", "Whether pods of this class preempt others."),
        ),
        _priority_class,
    ),
    ("rbac.authorization.k8s.io", "roles"): _CREATED,
    ("rbac.authorization.k8s.io", "clusterroles"): _CREATED,
    ("rbac.authorization.k8s.io", "rolebindings"): _BINDING,
    ("rbac.authorization.k8s.io", "clusterrolebindings"): _BINDING,
    ("apiextensions.k8s.io", "customresourcedefinitions"): _CREATED,
}
