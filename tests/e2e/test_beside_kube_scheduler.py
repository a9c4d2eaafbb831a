"""Two schedulers on one cluster: each places the pods that name it, in its own pool, with hardly any room to spare.

25 nodes a pool, 300 pods a scheduler: 12 pods of 400m on a node of 5 cores leave 200m, less than half a pod more, so
the pool has 25 * 5000m / (300 * 400m) = 1.0417, room for its pods and 4.2 %.
"""

from collections.abc import Iterator

import pytest

from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import Fleet, hollow
from tests.e2e.witness import ENGINE_USER, STOCK_SCHEDULER_USER, bindings
from tests.e2e.workloads import in_pool, pods, profile

pytestmark = pytest.mark.timeout(300)

PODS = 300
NODES = 25


@pytest.fixture
def two_pools(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """50 nodes in two pools."""
    nodes = [*hollow(NODES, pool="ours", cpu="5"), *hollow(NODES, pool="theirs", cpu="5")]
    with make_fleet(nodes) as fleet:
        yield fleet


def test_each_scheduler_places_its_300_pods_and_no_node_is_overcommitted(two_pools: Fleet) -> None:
    two_pools.apply(profile("beside", nodes={"selector": {"matchLabels": {"pool": "ours"}}}))
    two_pools.wait_ready("beside")
    two_pools.apply(
        pods("ours", PODS, "beside", cpu="400m", **in_pool("ours")),
        pods("theirs", PODS, "default-scheduler", cpu="400m", **in_pool("theirs")),
    )
    two_pools.wait_bound(PODS, "app=beside", seconds=120)
    two_pools.wait_bound(PODS, "app=default-scheduler", seconds=120)

    placed = {bound.pod: bound for bound in bindings(two_pools.plane.audit()) if bound.namespace == "default"}
    assert len(placed) == 2 * PODS
    assert {bound.user for name, bound in placed.items() if name.startswith("ours-")} == {f"{ENGINE_USER}beside"}
    assert {bound.user for name, bound in placed.items() if name.startswith("theirs-")} == {STOCK_SCHEDULER_USER}
    assert all(bound.node.startswith(name.split("-")[0]) for name, bound in placed.items())
    two_pools.assert_no_node_is_overcommitted()
    two_pools.assert_nobody_was_refused()
