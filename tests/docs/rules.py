"""The reference page of the rules, made from catalogue and registry: `make rendered` writes, a test compares it.

What a rule decides is said here in a sentence; its names, args, kinds and wake-ups are read from the code.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel

from pointsman.api.catalogue import ENTRIES, CatalogueEntry, Standing
from pointsman.policy.registry import BUILT, Rule
from pointsman.policy.rule import Happening
from tests.docs.pages import DOCS

PAGE: Final[Path] = DOCS / "reference" / "rules.md"

OPENING: Final = """\
# Rules

Every name that `spec.predicates` and `spec.priorities` may hold. Both vocabularies work everywhere: an older name means
the rule of today. This page is made by `make rendered` from the code that decides.

A predicate says whether a pod may run on a node, a priority scores the nodes that are left, 0 to 100 times its weight.
*In the base* are the rules that `base: Default` has, in this order: those of kube-scheduler 1.36, with its weights.
*Args* are given with their defaults, in the field names of KubeSchedulerConfiguration v1; those in **bold** have none.
*Looks at* names the kinds that an engine watches for the rule, beside nodes, pods and namespaces, and the ClusterRole
that lets it; where the API server does not serve one, or not to the engine, `status.policy.notes` says so and the rule
decides as if there were none.
*Tries again* is what brings a pod that the rule rejected back into the queue, beside a change of the pod itself.
"""

SAYS: Final[dict[str, str]] = {
    "NodeUnschedulable": "rejects nodes that are cordoned (`spec.unschedulable`), unless the pod tolerates that",
    "NodeName": "rejects all nodes but the one that the pod names in `spec.nodeName`",
    "TaintToleration": "rejects nodes with a taint NoSchedule or NoExecute that the pod does not tolerate; scores "
    "nodes with fewer taints PreferNoSchedule that it does not tolerate higher",
    "NodeAffinity": "rejects nodes that do not match the pod's `nodeSelector` and required node affinity, or "
    "`addedAffinity` of the args; scores nodes by the weights of the preferred terms that they match",
    "NodePorts": "rejects nodes on which a host port that the pod asks for is taken",
    "NodeResourcesFit": "rejects nodes whose free cpu, memory, storage, extended resources or number of pods do not "
    "suffice for the pod's requests; scores nodes by how full they would be",
    "VolumeRestrictions": "rejects nodes where a disk that must not be shared is in use, and pods whose "
    "ReadWriteOncePod claim another pod uses",
    "NodeVolumeLimits": "rejects nodes whose CSI driver can attach no more volumes",
    "VolumeBinding": "rejects nodes from which a bound volume cannot be reached, or where an unbound claim finds no "
    "volume and may not be provisioned; binds claims, or has them provisioned, before the pod is bound",
    "VolumeZone": "rejects nodes in another zone or region than the pod's volumes",
    "PodTopologySpread": "rejects nodes on which a hard spread constraint would be exceeded; scores nodes whose "
    "domains have fewer matching pods higher. Pods without constraints get soft ones (hostname, zone) if they belong "
    "to a Service or a controller",
    "InterPodAffinity": "rejects nodes whose domain lacks the pods that a required affinity asks for, or has pods that "
    "an anti-affinity, the pod's own or theirs, keeps apart; scores domains by the preferred terms of both sides",
    "NodeResourcesBalancedAllocation": "scores nodes higher the less the shares of cpu, memory and other resources "
    "differ on them with the pod",
    "ImageLocality": "scores nodes higher that have the pod's images already, by their size",
    "NodeDeclaredFeatures": "rejects nodes that do not declare a feature that the pod needs",
    "MaxEBSVolumeCount": "rejects nodes with as many AWS EBS volumes as their allocatable "
    "`attachable-volumes-aws-ebs` tells, else 25 (instance types on Nitro) or 39; says nothing where a CSI driver "
    "serves them",
    "MaxGCEPDVolumeCount": "the same for GCE persistent disks: `attachable-volumes-gce-pd`, else 16",
    "MaxAzureDiskVolumeCount": "the same for Azure disks: `attachable-volumes-azure-disk`, else 16",
    "MaxCinderVolumeCount": "the same for Cinder volumes: `attachable-volumes-cinder`, else 256",
    "CheckNodeLabelPresence": "rejects nodes that lack one of the labels, or with `presence: false` have one",
    "ServiceAffinity": "rejects nodes whose labels differ from those where pods of the same Service run",
    "LeastRequestedPriority": "scores nodes by the share of cpu and memory that stays free; refused beside the base's "
    "NodeResourcesFit",
    "MostRequestedPriority": "scores nodes by the share of cpu and memory that is used; refused beside the base's "
    "NodeResourcesFit",
    "RequestedToCapacityRatioPriority": "scores nodes by a curve over the share that is used; refused beside the "
    "base's NodeResourcesFit",
    "SelectorSpreadPriority": "scores nodes and zones higher the fewer pods of the same Service or controller they run",
    "ServiceSpreadingPriority": "scores nodes and zones higher the fewer pods of the same Service they run",
    "ServiceAntiAffinity": "scores values of a label higher the fewer pods of the same Service run under them",
    "LabelPreference": "scores nodes 100 that have the label, or with `presence: false` lack it, and others 0",
    "NodePreferAvoidPodsPriority": "scores nodes 0 that ask to be spared pods of the pod's controller "
    "(annotation `scheduler.alpha.kubernetes.io/preferAvoidPods`), else 100",
    "EqualPriority": "scores all nodes alike",
    "ResourceLimitsPriority": "scores nodes 1 that could hold the pod's limits of cpu or memory, else 0",
}

HAPPENS: Final[dict[Happening, str]] = {
    Happening.NODE_ADD: "a node is added",
    Happening.NODE_ALLOCATABLE: "a node's allocatable changes",
    Happening.NODE_LABELS: "a node's labels change",
    Happening.NODE_TAINTS: "a node's taints or its cordon change",
    Happening.NODE_DELETE: "a node is removed",
    Happening.NODE_IMAGES: "a node's images change",
    Happening.NODE_FEATURES: "a node's declared features change",
    Happening.POD_DELETE: "a pod leaves its node",
    Happening.POD_ADD: "a pod is placed",
    Happening.POD_LABELS: "a placed pod's labels change",
    Happening.POD_SCALE_DOWN: "a placed pod asks for less",
    Happening.NAMESPACE: "a namespace's labels change",
    Happening.PERSISTENT_VOLUME_CLAIM: "a claim appears or changes",
    Happening.PERSISTENT_VOLUME: "a volume appears or changes",
    Happening.STORAGE_CLASS: "a StorageClass appears or changes",
    Happening.CSI_NODE: "a CSINode appears or changes",
    Happening.CSI_DRIVER: "a CSIDriver changes",
    Happening.CSI_STORAGE_CAPACITY: "a CSIStorageCapacity appears or changes",
    Happening.VOLUME_ATTACHMENT_DELETE: "a volume is detached",
    Happening.SERVICE: "a Service or controller changes",
}
NEEDED: Final[dict[str, dict[str, Any]]] = {
    "CheckNodeLabelPresence": {"labels": ["any"], "presence": True},
    "ServiceAffinity": {"labels": ["any"]},
}
"""Args of predicates that cannot be made without any."""
OWN: Final = Happening.OWN_TOLERATIONS | Happening.OWN_GATES_ELIMINATED | Happening.OWN_UPDATE


def page() -> str:
    """The whole page."""
    built = [entry for entry in ENTRIES if entry.standing is Standing.BUILT]
    base = [entry for entry in built if entry.order is not None]
    rest = [entry for entry in built if entry.order is None and entry.name in BUILT]
    parts = [OPENING, "\n## In the base\n", *map(_section, sorted(base, key=lambda entry: entry.order or 0))]
    parts += ["\n## Of older Policy files\n\nGone from kube-scheduler, with the behaviour that it last had.\n"]
    parts += map(_section, rest)
    parts += ["\n## Groups\n\n| name | stands for |\n|---|---|\n"]
    parts += [f"| `{entry.name}` | {_code(entry.parts)} |\n" for entry in built if entry.parts]
    parts += ["\n## Names that cannot be listed\n\n| name | why |\n|---|---|\n", *_unlisted()]
    return "".join(parts)


def _section(entry: CatalogueEntry) -> str:
    rule = BUILT[entry.name]
    facts = {"also": _code(entry.aliases), **_halves(entry, rule), "args": _args(rule), "looks at": _kinds(rule)}
    rows = "".join(f"| {name} | {fact} |\n" for name, fact in facts.items() if fact)
    return f"\n### {entry.name}\n\nIt {SAYS[entry.name]}.\n\n| | |\n|---|---|\n{rows}"


def _halves(entry: CatalogueEntry, rule: Rule) -> dict[str, str]:
    halves = {"predicate": "yes" if entry.predicate else "", "priority": "yes" if entry.priority else ""}
    if entry.always_on:
        halves["predicate"] = "yes, also with `base: None` unless disabled by name"
    if entry.weight is not None:
        halves["priority"] = f"yes, in the base with weight {entry.weight}"
    if rule.predicate is not None:
        args = rule.args.model_validate(NEEDED.get(entry.name, {}))
        halves["tries again"] = _happenings(rule.predicate(entry.name, args).wakes_on.on)
    return halves


def _happenings(on: Happening) -> str:
    words = [HAPPENS[happening] for happening in on & ~OWN]
    return f"when {_listed(words)}" if words else ""


def _args(rule: Rule) -> str:
    shown = []
    for field in rule.args.model_fields.values():
        if field.is_required():
            shown.append(f"**`{field.alias}`**")
        else:
            default = json.dumps(_plain(field.get_default(call_default_factory=True)))
            shown.append(f"`{field.alias}: {default}`")
    return ", ".join(shown)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", by_alias=True, exclude_none=True)
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def _kinds(rule: Rule) -> str:
    roles: dict[str, list[str]] = {}
    for kind in sorted(rule.needs, key=lambda kind: kind.resource.plural):
        roles.setdefault(kind.cluster_role, []).append(kind.resource.plural)
    return "; ".join(f"{', '.join(plurals)} (ClusterRole `{role}`)" for role, plurals in roles.items())


def _unlisted() -> Iterator[str]:
    for entry in ENTRIES:
        if entry.standing is Standing.KNOWN:
            yield f"| {_code((entry.name, *entry.aliases))} | known, not in this release |\n"
        elif entry.standing in (Standing.FIXED, Standing.OBSOLETE):
            yield f"| {_code((entry.name, *entry.aliases))} | {entry.hint} |\n"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
