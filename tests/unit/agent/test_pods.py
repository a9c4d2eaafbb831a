"""What becomes of a pod by the time at which the watch brings it."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.unit.agent.pods import make_pod

from pointsman.kube.reflector import EventType, WatchEvent
from pointsman.sandbox.agent.addresses import AddressPool
from pointsman.sandbox.agent.mapped import Services
from pointsman.sandbox.agent.pods import NodePods
from pointsman.sandbox.agent.writer import PodRef
from pointsman.testing.clock import VirtualClock


class Told:
    """Remembers of which pods a status was to be written."""

    def __init__(self) -> None:
        self.pods: list[str] = []

    def status(self, ref: PodRef, _: Callable[[], dict[str, Any]]) -> None:
        self.pods.append(ref.name)


@pytest.mark.parametrize(
    ("stopped", "told"),
    [
        pytest.param(False, ["web"], id="while the agent lives it is taken up"),
        pytest.param(True, [], id="while the agent ends it is left to the next one"),
    ],
)
async def test_a_new_pod(stopped: bool, told: list[str], tmp_path: Path) -> None:
    writer = Told()
    services = cast("Services", SimpleNamespace(writer=writer, images={}, clock=VirtualClock()))
    pods = NodePods({"node-1": "127.127.0.1"}, AddressPool(1, 10, 0), services, tmp_path)
    if stopped:
        await pods.stop(0.0)

    pods.on_events([WatchEvent(EventType.ADDED, make_pod(status={"phase": "Pending"}))])

    assert writer.pods == told
