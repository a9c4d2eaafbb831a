"""ResourceLimitsPriority: one point for nodes that could hold the pod's limits for cpu or memory."""

import logging
from collections.abc import Mapping

import pytest
from tests.unit.rules.view import HandView, scores

from pointsman.kube.objects import Container, Resources
from pointsman.policy.args import Args
from pointsman.policy.priorities.resource_limits import ResourceLimitsPriority
from pointsman.testing.builders import PodBuilder, node, pod

RULE = ResourceLimitsPriority("limits", Args())
VIEW = HandView([node("small").cpu("2").memory("1Gi").build(), node("large").cpu("8").memory("16Gi").build()])


def limited(*limits: Mapping[str, str], init: Mapping[str, str] | None = None) -> PodBuilder:
    containers = tuple(Container(resources=Resources(limits=dict(entry))) for entry in limits)
    start = () if init is None else (Container(resources=Resources(limits=dict(init))),)
    return pod("p").spec(containers=containers, init_containers=start)


@pytest.mark.parametrize(
    ("pending", "expected"),
    [
        pytest.param(limited({"cpu": "2"}), [1, 1], id="just fits"),
        pytest.param(limited({"cpu": "1500m"}, {"cpu": "501m"}), [0, 1], id="containers add up"),
        pytest.param(limited({"cpu": "100"}, {"memory": "1Gi"}), [1, 1], id="one of the two is enough"),
        pytest.param(limited({"cpu": "100", "memory": "1Ti"}), [0, 0], id="neither fits"),
        pytest.param(limited({"cpu": "1"}, init={"cpu": "3"}), [0, 1], id="an init container's peak"),
        pytest.param(limited({"cpu": "1"}, {"cpu": "1"}, init={"cpu": "2"}), [1, 1], id="a peak below the sum"),
        pytest.param(limited({"example.com/gpu": "1"}), None, id="other resources do not count"),
        pytest.param(limited({}), None, id="no limits"),
    ],
)
def test_a_node_that_covers_a_limit_gets_one_point(pending: PodBuilder, expected: list[int] | None) -> None:
    assert scores(RULE, VIEW, pending.info()) == expected


def test_a_limit_that_cannot_be_read_counts_as_none_and_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            assert scores(RULE, VIEW, limited({"cpu": "lots", "memory": "2Gi"}).info()) == [0, 1]
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["a container's limit of cpu"]
