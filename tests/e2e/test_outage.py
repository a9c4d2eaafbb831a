"""The API server is gone for a minute: nobody ends, nobody forgets, and work goes on when it is back.

A kube-apiserver that has just started refuses everybody until it knows its roles, so refusals are no fault here; that
engine and operator take them in their stride is part of what is tested.
"""

from collections.abc import Iterator

import pytest

from tests.controlplane.process import start
from tests.controlplane.wait import eventually
from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import FLEET, SYSTEM, Fleet, hollow
from tests.e2e.pace import pass_time
from tests.e2e.workloads import in_pool, pods, profile

pytestmark = pytest.mark.timeout(300)

NAME = "outage"
OUTAGE_SECONDS = 60


@pytest.fixture
def cluster(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """Five nodes."""
    with make_fleet(hollow(5, pool="outage")) as fleet:
        yield fleet


def test_engine_and_operator_live_through_a_minute_without_an_api_server(cluster: Fleet) -> None:
    cluster.apply(profile(NAME))
    cluster.wait_ready(NAME)
    cluster.apply(pods("before", 5, NAME, **in_pool("outage")))
    cluster.wait_bound(5, f"app={NAME}")
    eventually(lambda: scheduled(cluster) == 5, what="the profile to count five pods", within=30)
    engine = (FLEET, cluster.engines(NAME)[0]["metadata"]["name"])
    operator = (SYSTEM, cluster.pods("app.kubernetes.io/component=operator", SYSTEM)[0]["metadata"]["name"])
    lives = [cluster.agent.process_of(*pod) for pod in (engine, operator)]

    server = next(process for process in cluster.plane.processes if process.name == "kube-apiserver")
    server.kill()
    pass_time(OUTAGE_SECONDS)
    again = start(server.command, server.log.with_suffix(".again.log"))
    try:
        eventually(lambda: cluster.plane.kubectl("get", "--raw", "/readyz", check=False).returncode == 0,
                   what="the API server to be back", within=60)  # fmt: skip
        cluster.apply(pods("after", 5, NAME, **in_pool("outage")))
        cluster.wait_bound(10, f"app={NAME}", seconds=30)
        assert [cluster.agent.process_of(*pod) for pod in (engine, operator)] == lives
        cluster.apply(profile(NAME, priorities=[{"name": "ImageLocality", "state": "Disabled"}]))
        eventually(lambda: cluster.profile(NAME)["status"]["observedGeneration"] == 2,
                   what="the operator to see the edit", within=30)  # fmt: skip
        cluster.wait_ready(NAME, seconds=120)  # kube-controller-manager takes its time to come back
        eventually(lambda: scheduled(cluster) == 10, what="the counter to go on from five to ten", within=40)
        assert cluster.agent.process_of(*operator) == lives[1]
        cluster.assert_no_node_is_overcommitted()
    finally:
        again.kill()


def scheduled(cluster: Fleet) -> int:
    """Pods placed, by the profile's status."""
    attempts: dict[str, int] = cluster.profile(NAME)["status"].get("stats", {}).get("attempts", {})
    return attempts.get("scheduled", 0)
