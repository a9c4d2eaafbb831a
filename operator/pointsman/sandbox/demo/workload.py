"""The pods that the demo makes: for each profile a burst that fits, some that never will, and then a steady trickle.

Pure: what to make, not when. Sizes follow the number of nodes, so that a small demo is not simply full.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pointsman.sandbox.agent.shape import NodeTaint
from pointsman.sandbox.demo.cluster import GENERAL, GPU, GPUS, TEAMS, Pool, sizes

IMAGE: Final = "registry.example/app:1"  # not on this machine's image map: the node agent just calls it Running
EVERY_SECONDS: Final = 5.0
TRICKLE_MAX: Final = 60  # pods of the trickle that a profile keeps, so that a demo left alone does not fill up


@dataclass(frozen=True, slots=True)
class Hopeless:
    """Pods that cannot be placed, so that there is a reason to see."""

    name: str
    count: int
    requests: Mapping[str, str]
    namespace: str = ""  # another than the workload's


@dataclass(frozen=True, slots=True)
class Workload:
    """The pods of one scheduler. `per_node` pods for each node of the pool are the burst."""

    scheduler: str
    namespace: str
    pool: Pool
    per_node: float
    requests: Mapping[str, str]
    hopeless: Hopeless

    def burst(self, nodes: int) -> Iterator[dict[str, Any]]:
        """The pods to begin with in a cluster of `nodes`, the hopeless ones first."""
        waiting = self.hopeless
        for number in range(waiting.count):
            yield self._pod(f"{waiting.name}-{number}", waiting.requests, waiting.namespace or self.namespace)
        for number in range(int(sizes(nodes)[self.pool.name] * self.per_node)):
            yield self._pod(f"burst-{number}", self.requests, self.namespace)

    def trickle(self, number: int) -> dict[str, Any]:
        """One pod more."""
        return self._pod(f"steady-{number}", self.requests, self.namespace)

    def _pod(self, name: str, requests: Mapping[str, str], namespace: str) -> dict[str, Any]:
        resources = {"requests": dict(requests), "limits": {key: val for key, val in requests.items() if "/" in key}}
        spec = {
            "schedulerName": self.scheduler,
            "terminationGracePeriodSeconds": 0,
            "tolerations": list(_tolerations(self.pool.taint)),
            "containers": [{"name": "app", "image": IMAGE, "resources": resources}],
        }
        metadata = {"name": f"{self.scheduler}-{name}", "namespace": namespace, "labels": {"app": self.scheduler}}
        return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _tolerations(taint: NodeTaint | None) -> Iterator[dict[str, str]]:
    if taint is not None:
        yield {"key": taint.key, "operator": "Equal", "value": taint.value, "effect": taint.effect}


WORKLOADS: Final[Sequence[Workload]] = (
    Workload(
        "binpack",
        "shop",
        GENERAL,
        1.5,
        {"cpu": "500m", "memory": "1Gi"},
        Hopeless("whale", 2, {"cpu": "96", "memory": "8Gi"}),
    ),
    Workload(
        "gpu",
        "research",
        GPUS,
        3,
        {"cpu": "2", "memory": "16Gi", GPU: "1"},
        Hopeless("sixteen-gpus", 3, {"cpu": "2", "memory": "16Gi", GPU: "16"}),
    ),
    Workload(
        "team-payments",
        "payments",
        TEAMS,
        3,
        {"cpu": "250m", "memory": "512Mi"},
        Hopeless("stranger", 1, {"cpu": "250m", "memory": "512Mi"}, namespace="shop"),
    ),
)
