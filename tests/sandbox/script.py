"""The commands that are compared, in the order in which they run: each builds on what those before it made."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

ROOT: Final = Path(__file__).parents[2]
DEFINITION: Final = ROOT / "deploy" / "kustomize" / "base" / "crd.yaml"
BINPACK: Final = ROOT / "examples" / "binpack.yaml"


@dataclass(frozen=True, slots=True)
class Step:
    """One kubectl command. A `quiet` one only prepares: it must succeed, and its output is not compared."""

    id: str
    arguments: tuple[str, ...]
    manifest: str = ""
    quiet: bool = False


def step(title: str, command: str, *more: str, manifest: Any = None, quiet: bool = False) -> Step:
    """A step; the words of `command` are split at spaces, `more` are taken as they are."""
    text = manifest if isinstance(manifest, str) else yaml.safe_dump_all(manifest) if manifest else ""
    return Step(title, (*command.split(), *more), text, quiet)


NODE: Final = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "n1",
        "labels": {"pool": "a", "node-role.kubernetes.io/worker": ""},
        "annotations": {"node.alpha.kubernetes.io/ttl": "0"},  # a real control plane sets it
    },
    "status": {
        "capacity": {"cpu": "4", "memory": "16Gi", "pods": "10"},
        "allocatable": {"cpu": "4", "memory": "16Gi", "pods": "10"},
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "KubeletReady",
                "message": "kubelet is posting ready status",
                "lastHeartbeatTime": "2026-01-01T00:00:00Z",
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "nodeInfo": {"kubeletVersion": "v1.36.3", "osImage": "Linux", "kernelVersion": "6.1", "architecture": "amd64"},
    },
}
CONTAINER: Final[dict[str, Any]] = {
    "name": "main",
    "image": "example.com/app:1",
    "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}},
    "ports": [{"containerPort": 8080, "name": "http"}],
}
POD: Final[dict[str, Any]] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "lone", "labels": {"app": "lone"}},
    "spec": {"containers": [CONTAINER], "terminationGracePeriodSeconds": 0},
}
UNFIT: Final = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "unfit", "labels": {"app": "unfit"}},
    "spec": {"containers": [CONTAINER], "nodeSelector": {"pool": "b"}},
}
FOREIGN: Final = {**POD, "metadata": {"name": "foreign"}, "spec": {**POD["spec"], "schedulerName": "nobody"}}
CONFIG: Final = {
    "apiVersion": "v1",
    "kind": "ConfigMap",
    "metadata": {"name": "settings", "labels": {"app": "lone"}},
    "data": {"colour": "red", "size": "1"},
}
DEPLOYMENT: Final = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web", "labels": {"app": "web"}},
    "spec": {
        "replicas": 2,
        "selector": {"matchLabels": {"app": "web"}},
        "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {"schedulerName": "nobody", "containers": [CONTAINER]},
        },
    },
}
BAD_PROFILE: Final = {
    "apiVersion": "pointsman.dev/v1alpha1",
    "kind": "SchedulerProfile",
    "metadata": {"name": "bad"},
    "spec": {"schedulerName": "default-scheduler", "replicas": -1, "base": "Most", "colour": "red"},
}
TIGHT: Final = {
    "apiVersion": "pointsman.dev/v1alpha1",
    "kind": "SchedulerProfile",
    "metadata": {"name": "tight"},
    "spec": {"schedulerName": "tight", "priorities": [{"name": "NodeResourcesFit", "weight": 3}]},
}


HEAVIER: Final = {
    **TIGHT,
    "spec": {"schedulerName": "tight", "replicas": 2, "priorities": [{"name": "NodeResourcesFit", "weight": 4}]},
}
AS_OTHER: Final = "apply --server-side --field-manager=other"
ESTABLISHED: Final = "wait --for=condition=Established crd/schedulerprofiles.pointsman.dev --timeout=20s"
REFUSED: Final = "wait --for=jsonpath={.status.conditions[0].reason}=Unschedulable pod/unfit -n room --timeout=20s"
FAILING_TEST: Final = '[{"op":"test","path":"/spec/suspend","value":false}]'
OWNERS: Final = "jsonpath={range .items[*]}{.metadata.ownerReferences}{end}"


def changed(obj: dict[str, Any], **data: Any) -> dict[str, Any]:
    """A ConfigMap with other data."""
    return {**obj, "data": {**obj["data"], **data}}


STEPS: Final[tuple[Step, ...]] = (
    step("version", "version"),
    step("apply a definition, server side", f"apply --server-side -f {DEFINITION}"),
    step(
        "wait for the definition", "wait --for=condition=Established crd/schedulerprofiles.pointsman.dev --timeout=20s"
    ),
    step("apply a definition again", f"apply --server-side -f {DEFINITION}"),
    step("get definitions", "get crd"),
    step("apply a profile, client side", f"apply -f {BINPACK}"),
    step("apply a profile again", f"apply -f {BINPACK}"),
    step("apply a profile, server side", "apply --server-side -f -", manifest=[TIGHT]),
    step("apply it as somebody else", f"{AS_OTHER} -f -", manifest=[HEAVIER]),
    step("apply it by force", f"{AS_OTHER} --force-conflicts -f -", manifest=[HEAVIER]),
    step("apply a profile with many faults", "apply --server-side -f -", manifest=[BAD_PROFILE]),
    step("apply a profile with many faults, checked less", "apply --validate=ignore -f -", manifest=[BAD_PROFILE]),
    step("change what cannot be changed", "patch sprof binpack --type=merge -p", '{"spec":{"schedulerName":"other"}}'),
    step("get profiles", "get sprof"),
    step("get profiles wide", "get sprof -o wide"),
    step("get a category", "get schedulers"),
    step("get a profile as yaml", "get sprof tight -o yaml"),
    step("get a profile's managers", "get sprof tight -o yaml --show-managed-fields"),
    step("get by jsonpath", "get sprof -o", "jsonpath={range .items[*]}{.metadata.name}={.spec.schedulerName};{end}"),
    step("get by custom columns", "get sprof -o", "custom-columns=N:.metadata.name,S:.spec.schedulerName"),
    step("get names", "get sprof,ns -o name"),
    step("get by selectable field", "get sprof --field-selector spec.schedulerName=tight"),
    step("explain a field of a profile", "explain sprof.spec"),
    step("explain a nested field", "explain sprof.spec.priorities"),
    step("explain recursively", "explain sprof.spec.engine --recursive"),
    step("describe a profile", "describe sprof binpack"),
    step("scale a profile", "scale sprof/tight --replicas=3"),
    step("scale it under a condition", "scale sprof/tight --replicas=4 --current-replicas=9"),
    step("get its scale", "get sprof tight -o", "jsonpath={.spec.replicas}"),
    step("patch a profile", "patch sprof tight --type=merge -p", '{"spec":{"suspend":true}}'),
    step("patch a profile for nothing", "patch sprof tight --type=merge -p", '{"spec":{"suspend":true}}'),
    step(
        "patch a profile by operations",
        "patch sprof tight --type=json -p",
        '[{"op":"test","path":"/spec/suspend","value":false}]',
    ),
    step("strategic patch of a profile", "patch sprof tight -p", '{"spec":{"suspend":false}}'),
    step("label", "label sprof tight team=ml"),
    step("label again", "label sprof tight team=ml"),
    step("label differently", "label sprof tight team=web"),
    step("label by force", "label sprof tight team=web --overwrite"),
    step("annotate", "annotate sprof tight note=hello"),
    step("get by label", "get sprof -l team=web --show-labels"),
    step("get by missing label", "get sprof -l team=nobody"),
    step("edit", "edit sprof tight"),
    step("see the edit", "get sprof tight -o", "jsonpath={.metadata.annotations.note}"),
    step("make a namespace", "create namespace room"),
    step("wait for its account", "wait --for=create sa/default -n room --timeout=20s", quiet=True),
    step("get namespaces", "get ns room"),
    step("apply a node", "apply -f -", manifest=[NODE], quiet=True),
    step("give the node its status", "replace --subresource=status -f -", manifest=[NODE], quiet=True),
    step("get nodes", "get nodes"),
    step("get nodes wide", "get nodes -o wide"),
    step("create a pod", "create -n room -f -", manifest=[POD]),
    step("create a pod again", "create -n room -f -", manifest=[POD]),
    step("wait for the scheduler", "wait --for=condition=PodScheduled pod/lone -n room --timeout=20s"),
    step("create a pod that fits nowhere", "create -n room -f -", manifest=[UNFIT]),
    step(
        "wait for a refusal",
        "wait --for=jsonpath={.status.conditions[0].reason}=Unschedulable pod/unfit -n room --timeout=20s",
    ),
    step("create a pod that nobody places", "create -n room -f -", manifest=[FOREIGN]),
    step("get pods", "get pods -n room"),
    step("get pods wide", "get pods -n room -o wide"),
    step("get a pod as yaml", "get pod lone -n room -o yaml"),
    step("get pods by node", "get pods -A --field-selector spec.nodeName=n1 -o name"),
    step("get by a field that nobody serves", "get pods -n room --field-selector spec.colour=red"),
    step("describe a pod", "describe pod lone -n room"),
    step("describe a pod that waits", "describe pod unfit -n room"),
    step("describe a node", "describe node n1"),
    step("events", "events -n room --for pod/lone"),
    step("get events", "get events -n room --field-selector involvedObject.name=unfit"),
    step("logs of a pod without a node", "logs foreign -n room"),
    step("logs of no pod", "logs nothing -n room"),
    step("cordon a node", "cordon n1"),
    step("uncordon a node", "uncordon n1"),
    step("taint a node", "taint node n1 a=b:NoSchedule"),
    step("untaint a node", "taint node n1 a=b:NoSchedule-"),
    step("apply a config map", "apply -n room -f -", manifest=[CONFIG]),
    step("apply a changed config map", "apply -n room -f -", manifest=[changed(CONFIG, size="2")]),
    step("diff", "diff -n room -f -", manifest=[changed(CONFIG, size="3")]),
    step("diff of nothing", "diff -n room -f -", manifest=[changed(CONFIG, size="2")]),
    step("diff, server side", "diff --server-side -n room -f -", manifest=[changed(CONFIG, size="2", colour="blue")]),
    step("the diff changed nothing", "get cm settings -n room -o", "jsonpath={.data}"),
    step("dry run", "apply -n room --dry-run=server -f -", manifest=[changed(CONFIG, size="4")]),
    step("replace", "replace -n room -f -", manifest=[changed(CONFIG, size="5")]),
    step("create a config map from literals", "create cm -n room literal --from-literal=a=b"),
    step("get config maps", "get cm -n room"),
    step("an unknown field", "apply -n room -f -", manifest=[{**CONFIG, "colour": "red"}]),
    step("an unknown field, warned of", "apply -n room --validate=warn -f -", manifest=[{**CONFIG, "colour": "red"}]),
    step("a bad name", "apply -n room -f -", manifest=[{**CONFIG, "metadata": {"name": "Bad_Name"}}]),
    step("a missing namespace", "apply -n nowhere -f -", manifest=[CONFIG]),
    step("get what is not there", "get cm nothing -n room"),
    step("get a kind that is not there", "get colours"),
    step("watch", "get cm settings -n room -w --request-timeout=1s"),
    step("apply a deployment", "apply -n room -f -", manifest=[DEPLOYMENT]),
    step("wait for its pods", "wait --for=jsonpath={.status.replicas}=2 deployment/web -n room --timeout=20s"),
    step("get a deployment", "get deploy -n room"),
    step("get a deployment wide", "get deploy -n room -o wide"),
    step("scale a deployment", "scale deployment web -n room --replicas=1"),
    step("wait for fewer pods", "wait --for=jsonpath={.status.replicas}=1 deployment/web -n room --timeout=20s"),
    step("set an image", "set image deployment/web main=example.com/app:2 -n room"),
    step("rollout history", "rollout history deployment/web -n room"),
    step("delete without cascade", "delete deployment web -n room --cascade=orphan"),
    step(
        "the orphans are there",
        "get rs -n room -l app=web -o",
        "jsonpath={range .items[*]}{.metadata.ownerReferences}{end}",
    ),
    step("delete the orphans in the foreground", "delete rs -l app=web -n room --cascade=foreground", quiet=True),
    step("no pod is left of them", "wait --for=delete pod -l app=web -n room --timeout=20s"),
    step("delete a pod", "delete pod lone -n room --grace-period=0 --force"),
    step("delete what is not there", "delete pod lone -n room"),
    step("delete what may not be there", "delete pod lone -n room --ignore-not-found"),
    step("may I", "auth can-i create pods"),
    step("may an account", "auth can-i list pods --as=nobody"),
    step("who am I", "auth whoami -o", "jsonpath={.status.userInfo.username}"),
    step("a token of no account", "create token nothing -n room"),
    step("delete a profile", "delete sprof binpack tight"),
    step("delete a namespace", "delete ns room --timeout=30s"),
    step("nothing is left of it", "get cm -n room"),
    step("delete a node", "delete node n1"),
    step("delete the definition", "delete crd schedulerprofiles.pointsman.dev"),
    step("the kind is gone", "get schedulerprofiles.v1alpha1.pointsman.dev"),
)
