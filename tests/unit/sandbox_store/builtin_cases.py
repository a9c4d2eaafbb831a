"""Cases on the kinds that a server has from the beginning: defaults, checks, quantities, wrong types."""

from typing import Any

from tests.unit.sandbox_store.script import (
    DEPLOYMENTS,
    MAPS,
    PODS,
    Case,
    Step,
    config_map,
    container,
    delete,
    deployment,
    patched,
    pod,
    post,
)
from tests.unit.sandbox_store.servers import STRATEGIC


def builtin_cases() -> list[Case]:
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
        tried("a pod that asks for more than its limit", PODS, pod("p", containers=[container(resources=more)])),
        tried("an unknown field of a pod", PODS, pod("p", nonsense=1)),
        tried("an unknown field of a container", PODS, pod("p", containers=[container(x=1, b=2)])),
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
        tried("nulls of a pod", PODS, pod("p", nodeSelector=None, tolerations=None, containers=[container(args=None)])),
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
