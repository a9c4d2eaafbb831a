"""Disagreements that the oracle has found, each as the smallest cluster that shows it; what is expected is what
kube-scheduler 1.36.3 did."""

import random

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import Decision, schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod, term
from tests.oracle.profiles import Variant


def decide(candidate: PodBuilder, *cluster: NodeBuilder | PodBuilder) -> Decision:
    """What the stock profile makes of a pod."""
    columns = Cluster()
    for part in cluster:
        if isinstance(part, NodeBuilder):
            columns.upsert_node(part.build())
        else:
            columns.upsert_pod(part.info())
    policy = Variant("stock").policy()
    candidates = columns.pool(policy.candidates).candidates
    return schedule(policy, candidate.info(), columns, candidates, Nominator(), random.Random(0))


def test_what_refuses_the_nominated_node_is_named_among_the_plugins_that_left_nodes_out() -> None:
    candidate = (
        pod("p").container().require(term(fields=[("metadata.name", "In", "n1")])).status(nominated_node_name="n1")
    )
    decision = decide(candidate, node("n1").taint("gpu"), node("n2"), node("n3"))
    assert decision.message.startswith(
        "0/3 nodes are available: 1 node(s) had untolerated taint(s),"
        " 2 node(s) didn't satisfy plugin(s) [NodeAffinity TaintToleration]."
    )
