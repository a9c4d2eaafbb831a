"""A holder that was frozen must not bind on its old right when it thaws: the Lease fences, the audit log tells."""

import signal
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

from pointsman.api.names import LEASE_DEADLINE_SECONDS
from tests.controlplane.audit import AuditEvent
from tests.controlplane.wait import eventually
from tests.e2e.conftest import MakeFleet
from tests.e2e.fleet import FLEET, Fleet, hollow
from tests.e2e.pace import pass_time
from tests.e2e.witness import bindings
from tests.e2e.workloads import in_pool, pods, profile

pytestmark = pytest.mark.timeout(400)

NAME = "frozen"
FREEZES = 3
FROZEN_SECONDS = 20
PODS = 20


@pytest.fixture
def cluster(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """Ten nodes with plenty of room."""
    with make_fleet(hollow(10, pool="freeze", cpu="16")) as fleet:
        yield fleet


def test_a_frozen_holder_binds_nothing_after_its_right_has_ended(cluster: Fleet) -> None:
    cluster.apply(profile(NAME, replicas=2))
    cluster.wait_ready(NAME)
    eventually(lambda: cluster.profile(NAME)["status"].get("readyReplicas") == 2, what="two ready engines", within=60)
    for number in range(FREEZES):
        freeze_the_holder(cluster, number)
    cluster.wait_bound(2 * FREEZES * PODS, f"app={NAME}")

    log = cluster.plane.audit()
    assert late_bindings(log) == []
    assert len({bound.by_pod for bound in bindings(log) if bound.namespace == "default"}) == 2
    cluster.assert_no_node_is_overcommitted()
    cluster.assert_nobody_was_refused()


def freeze_the_holder(cluster: Fleet, number: int) -> None:
    """Stop the holder in the middle of work for 20 s, with pods arriving before and while it is frozen."""
    holder = eventually(lambda: holder_of(cluster), what="a holder")
    cluster.apply(pods(f"before-{number}", PODS, NAME, **in_pool("freeze")))
    assert cluster.agent.kill(FLEET, holder, signal.SIGSTOP)
    thaw_at = time.monotonic() + FROZEN_SECONDS
    cluster.apply(pods(f"while-{number}", PODS, NAME, **in_pool("freeze")))
    pass_time(thaw_at - time.monotonic())
    cluster.agent.kill(FLEET, holder, signal.SIGCONT)
    eventually(lambda: holder_of(cluster) not in ("", holder), what=f"another holder than {holder}", within=30)
    eventually(
        lambda: len(cluster.engines(NAME)) == cluster.profile(NAME)["status"].get("readyReplicas") == 2,
        what="two ready engines again",
        within=60,
    )


def holder_of(cluster: Fleet) -> str:
    """The pod that holds the Lease, empty when nobody does."""
    spec = cluster.plane.get("lease", f"engine-{NAME}", "-n", FLEET).get("spec", {})
    return str(spec.get("holderIdentity") or "")


def late_bindings(log: list[AuditEvent]) -> list[str]:
    """Bindings that arrived at the API server later than the binder's last successful Lease write plus the deadline."""
    last_write: dict[str, datetime] = {}
    late: list[str] = []
    for event in sorted(log, key=lambda event: event.request_received_timestamp):
        reference = event.object_ref
        if not event.pod.startswith(f"engine-{NAME}-"):
            continue
        if reference.resource == "leases" and event.verb in {"patch", "update"} and event.code == 200:
            last_write[event.pod] = event.request_received_timestamp
        if reference.subresource == "binding" and event.code == 201:
            limit = last_write[event.pod] + timedelta(seconds=LEASE_DEADLINE_SECONDS)
            if event.request_received_timestamp > limit:
                late.append(f"{event.pod} bound {reference.name} {event.request_received_timestamp - limit} too late")
    return late
