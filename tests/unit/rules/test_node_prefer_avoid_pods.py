"""NodePreferAvoidPodsPriority: nodes that ask to be spared a controller's pods."""

import json
import logging

import pytest
from tests.unit.rules.view import HandView, scores

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import OwnerReference
from pointsman.policy.args import Args
from pointsman.policy.priorities.node_prefer_avoid_pods import ANNOTATION, NodePreferAvoidPodsPriority, avoided
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

RULE = NodePreferAvoidPodsPriority("avoid", Args())


def avoiding(name: str, *controllers: tuple[str, str]) -> NodeBuilder:
    entries = [{"podSignature": {"podController": {"kind": kind, "uid": uid}}} for kind, uid in controllers]
    return node(name).metadata(annotations={ANNOTATION: json.dumps({"preferAvoidPods": entries})})


def owned(kind: str, uid: str, *, controller: bool = True) -> PodBuilder:
    return pod("p").metadata(owner_references=(OwnerReference(kind=kind, uid=uid, controller=controller),))


NODES = [
    avoiding("one", ("ReplicaSet", "a")).build(),
    avoiding("two", ("ReplicaSet", "b"), ("ReplicationController", "a")).build(),
    node("plain").build(),
]


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        pytest.param(owned("ReplicaSet", "a"), [0, 100, 100], id="named on the first"),
        pytest.param(owned("ReplicationController", "a"), [100, 0, 100], id="another kind"),
        pytest.param(owned("ReplicaSet", "c"), [100, 100, 100], id="another object"),
        pytest.param(owned("StatefulSet", "a"), [100, 100, 100], id="a kind that is never avoided"),
        pytest.param(owned("ReplicaSet", "a", controller=False), [100, 100, 100], id="an owner, not the controller"),
        pytest.param(pod("p"), [100, 100, 100], id="nobody's pod"),
    ],
)
def test_only_pods_of_the_named_controller_are_avoided(pending: PodBuilder, expected: list[int]) -> None:
    assert scores(RULE, HandView(NODES), pending.info()) == expected


def test_the_engine_follows_the_annotation_of_a_node() -> None:
    cluster, pending = Cluster(), owned("ReplicaSet", "a").info()
    found = []
    for seen in (avoiding("n1", ("ReplicaSet", "a")), node("n1"), avoiding("n1", ("ReplicaSet", "b"))):
        cluster.upsert_node(seen.build())
        found += RULE.score(RULE.prepare(pending, cluster), cluster.node_rows()).tolist()
    assert found == [0, 100, 100]


def test_without_any_annotation_all_nodes_score_the_same() -> None:
    view = HandView([node("n1").build(), node("n2").build()])
    assert scores(RULE, view, owned("ReplicaSet", "a").info()) == [100, 100]


@pytest.mark.parametrize(
    "text", ["{", "[]", '"x"', '{"preferAvoidPods": 5}', '{"preferAvoidPods": [5]}', '{"preferAvoidPods": [[]]}']
)
def test_an_annotation_that_cannot_be_read_avoids_nobody_and_is_told_once(
    text: str, caplog: pytest.LogCaptureFixture
) -> None:
    avoided.cache_clear()
    view = HandView([node("n1").metadata(annotations={ANNOTATION: text}).build(), *NODES])
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert scores(RULE, view, owned("ReplicaSet", "a").info()) == [100, 0, 100, 100]
    told = f"node annotation {ANNOTATION}: {json.dumps(text)} cannot be read"
    assert len([record for record in caplog.records if record.getMessage().startswith(told)]) == 1
