"""Manifests that the end-to-end tests apply: pods that ask for something, profiles that say who schedules them."""

from typing import Any


def pod(name: str, scheduler: str, *, cpu: str = "100m", memory: str = "64Mi", **spec: Any) -> dict[str, Any]:
    """A pod that hollow nodes just run. `spec` overrides fields of its spec."""
    container = {
        "name": "main",
        "image": "example.com/app:1",
        "resources": {"requests": {"cpu": cpu, "memory": memory}},
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default", "labels": {"app": scheduler}},
        "spec": {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [container], **spec},
    }


def in_pool(pool: str) -> dict[str, Any]:
    """Spec fields of a pod that runs on the nodes of a pool, and there only."""
    toleration = {"key": "pool", "operator": "Equal", "value": pool, "effect": "NoSchedule"}
    return {"nodeSelector": {"pool": pool}, "tolerations": [toleration]}


def pods(prefix: str, count: int, scheduler: str, **options: Any) -> dict[str, Any]:
    """A list of equal pods, numbered from 0."""
    items = [pod(f"{prefix}-{number}", scheduler, **options) for number in range(count)]
    return {"apiVersion": "v1", "kind": "List", "items": items}


def labelled(manifest: dict[str, Any], **labels: str) -> dict[str, Any]:
    """The same object with other labels."""
    return {**manifest, "metadata": {**manifest["metadata"], "labels": labels}}


def deployment(name: str, replicas: int, scheduler: str, **spec: Any) -> dict[str, Any]:
    """A Deployment of such pods, labelled `app: NAME`. `spec` overrides fields of their spec."""
    template = pod(name, scheduler, **spec)["spec"]
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": {"app": name}}, "spec": template},
        },
    }


def profile(name: str, **spec: Any) -> dict[str, Any]:
    """A SchedulerProfile that serves the schedulerName of its own name."""
    return {
        "apiVersion": "pointsman.dev/v1alpha1",
        "kind": "SchedulerProfile",
        "metadata": {"name": name},
        "spec": {"schedulerName": name, **spec},
    }
