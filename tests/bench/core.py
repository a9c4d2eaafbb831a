"""The decision alone, in process, without an API server: how many a second, how it grows, and what each rule costs.

    python -m tests.bench.core [--nodes 100 --nodes 1000 …] [--decisions 2000] [--output core.json]

A decision here is what the engine does with a pod: prepare, filter, score, select, and charge it to its node. Pods are
equal, or of 200 interleaved kinds, or all different; each is run on clusters of several sizes with a profile of
`base: Default`. The cost table is of one predicate or priority at a time, on the largest size up to 5,000 nodes.
"""

import gc
import json
import random
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import click
import msgspec
import numpy as np

from pointsman.api.spec import ProfileSpec
from pointsman.engine.classes.classes import Classes
from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.preparing import Refused, prepare
from pointsman.kube.objects import Node, Pod
from pointsman.policy.accounting import pod_info
from pointsman.policy.build import load
from pointsman.policy.compile import compile_spec
from pointsman.policy.document import canonical_json
from pointsman.policy.policy import Policy
from pointsman.policy.rule import Skip
from tests.bench.side_by_side.workloads import Manifest, node, pod

Maker = Callable[[int], Manifest]
KINDS: Final = 200
COST_NODES: Final = 5000
COST_ROUNDS: Final = 200
LOAD_NODES: Final = 5000
LOAD_PODS: Final = 50_000
_MICRO: Final = 1e6


def equal(number: int) -> Manifest:
    """Pods that differ in nothing but their names."""
    return pod(f"equal-{number}", labels={"app": "equal"})


def kinds(number: int) -> Manifest:
    """Pods of 200 kinds in turn: own labels, own request, a spread constraint and a preferred term each."""
    kind = number % KINDS
    return _rich(f"kind-{number}", f"kind-{kind}", 100 + kind)


def different(number: int) -> Manifest:
    """Pods of which no two are alike."""
    return _rich(f"different-{number}", f"own-{number}", 100 + number % 400)


def _rich(name: str, app: str, cpu: int) -> Manifest:
    labels = {"app": app}
    selector = {"matchLabels": labels}
    term = {"topologyKey": "topology.kubernetes.io/zone", "labelSelector": selector}
    preferred = [{"weight": 10, "podAffinityTerm": term}]
    spread = {"maxSkew": 5, "whenUnsatisfiable": "DoNotSchedule", **term}
    return pod(
        name,
        cpu=f"{cpu}m",
        labels=labels,
        topologySpreadConstraints=[spread],
        affinity={"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}},
    )


def default_policy() -> Policy:
    """The rules of a profile that changes none."""
    return load(canonical_json(compile_spec("bench", ProfileSpec.model_validate({"schedulerName": "bench"})).document))


def cluster_of(nodes: int) -> Cluster:
    """An empty cluster."""
    cluster = Cluster()
    for number in range(nodes):
        cluster.upsert_node(_node(number))
    return cluster


def decisions_per_second(policy: Policy, make: Maker, nodes: int, count: int) -> float:
    """Decide on so many pods, one after another, each charged to its node."""
    cluster = cluster_of(nodes)
    candidates, nominator, rng, classes = cluster.pool(None).candidates, Nominator(), random.Random(1), Classes(policy)
    pods = [pod_info(_pod(make(number))) for number in range(count)]
    begin = time.perf_counter()
    for info in pods:
        decision = classes.schedule(policy, info, cluster, candidates, nominator, rng)
        if decision.row is not None:
            cluster.assume(info, decision.node)
    return count / (time.perf_counter() - begin)


def costs(policy: Policy, nodes: int) -> dict[str, float]:
    """Microseconds of each rule for a pod that gives it something to do, by rule and half."""
    cluster = cluster_of(nodes)
    rows = np.arange(nodes, dtype=np.intp)
    placed = [pod_info(_pod(kinds(number))) for number in range(2 * nodes)]
    for number, info in enumerate(placed):
        cluster.assume(info, cluster.node_name(number % nodes))
    wanted = [pod_info(_pod(kinds(3 * nodes + number))) for number in range(COST_ROUNDS)]
    preparation = prepare(policy, wanted[0], cluster)
    if isinstance(preparation, Refused):
        raise click.ClickException(f"the pod of the cost table fits nowhere: {preparation.reasons}")
    found = {}
    for predicate in policy.predicates:
        begin = time.perf_counter()
        for info in wanted:
            state = predicate.prepare(info, cluster)
            if not isinstance(state, Skip):
                predicate.feasible(state, rows)
        found[f"{predicate.name} (predicate)"] = (time.perf_counter() - begin) / COST_ROUNDS * _MICRO
    for priority in (weighted.priority for weighted in policy.priorities):
        begin = time.perf_counter()
        for info in wanted:
            state = priority.prepare(info, cluster)
            if not isinstance(state, Skip):
                priority.normalize(state, priority.score(state, rows))
        found[f"{priority.name} (priority)"] = (time.perf_counter() - begin) / COST_ROUNDS * _MICRO
    return {name: round(value, 1) for name, value in found.items()}


def start_up() -> dict[str, float]:
    """Seconds and bytes that a large cluster takes to be decoded and loaded."""
    nodes = [msgspec.json.encode(node(number)) for number in range(LOAD_NODES)]
    pods = [msgspec.json.encode(_bound(number)) for number in range(LOAD_PODS)]
    before, begin = _peak_bytes(), time.perf_counter()
    cluster = Cluster()
    for content in nodes:
        cluster.upsert_node(msgspec.json.decode(content, type=Node))
    with_nodes, between = _peak_bytes(), time.perf_counter()
    for content in pods:
        cluster.upsert_pod(pod_info(msgspec.json.decode(content, type=Pod)))
    return {
        "nodes": LOAD_NODES,
        "pods": LOAD_PODS,
        "nodeSeconds": round(between - begin, 2),
        "podSeconds": round(time.perf_counter() - between, 2),
        "bytesPerNode": round((with_nodes - before) / LOAD_NODES),
        "bytesPerPod": round((_peak_bytes() - with_nodes) / LOAD_PODS),
    }


def growth(policy: Policy, sizes: Sequence[int], count: int) -> Iterator[tuple[str, dict[str, float]]]:
    """Decisions a second by kind of pods and size of the cluster."""
    for name, make in (("equal", equal), ("kinds", kinds), ("different", different)):
        yield name, {str(size): round(decisions_per_second(policy, make, size, count), 1) for size in sizes}


@click.command()
@click.option("--nodes", "sizes", multiple=True, type=int, default=(100, 1000, 5000, 20000), show_default=True)
@click.option("--decisions", default=2000, show_default=True, help="Pods for each figure.")
@click.option("--output", type=click.Path(path_type=Path), help="Where to write the same as JSON.")
def main(sizes: tuple[int, ...], decisions: int, output: Path | None) -> None:
    """Print one JSON object."""
    loaded = start_up()
    gc.freeze()
    policy = default_policy()
    size = max((size for size in sizes if size <= COST_NODES), default=min(sizes))
    found: dict[str, Any] = {"startUp": loaded, "decisionsPerSecond": dict(growth(policy, sizes, decisions))}
    found["microsecondsPerDecision"] = {"nodes": size, **costs(policy, size)}
    text = json.dumps(found, indent=2)
    click.echo(text)
    if output is not None:
        output.write_text(text)


def _node(number: int) -> Node:
    return msgspec.convert(node(number), Node)


def _pod(manifest: Manifest) -> Pod:
    return msgspec.convert({**manifest, "metadata": {**manifest["metadata"], "uid": manifest["metadata"]["name"]}}, Pod)


def _bound(number: int) -> Manifest:
    manifest = pod(f"bound-{number}", labels={"app": f"app-{number % KINDS}"})
    metadata = {**manifest["metadata"], "uid": str(number)}
    return {**manifest, "metadata": metadata, "spec": {**manifest["spec"], "nodeName": f"node-{number % 5000:05}"}}


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main()
