"""The demo's own part on a real API server: what works on the sandbox works there, and nobody is refused anything."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from pointsman.kube.clock import SystemClock
from pointsman.sandbox.demo.demo import Demo, Options
from pointsman.sandbox.demo.standing import Standing
from pointsman.sandbox.demo.summary import Summary
from tests.controlplane.build import Binaries
from tests.controlplane.server import running
from tests.e2e.witness import refusals

pytestmark = pytest.mark.timeout(240)


class Said:
    """A display that keeps what is said."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def say(self, text: str) -> None:
        self.texts.append(text)

    def show(self, standings: Sequence[Standing], seconds: float) -> None:
        """Not looked at."""


def test_three_profiles_become_ready_and_place_their_pods(controlplane_binaries: Binaries, tmp_path: Path) -> None:
    said = Said()

    async def play(kubeconfig: Path) -> Summary:
        options = Options(nodes=30, seconds=6)
        return await Demo(kubeconfig, tmp_path / "demo", options, said, SystemClock(), asyncio.Event()).run()

    (tmp_path / "control-plane").mkdir()
    with running(tmp_path / "control-plane", controlplane_binaries, scheduler=True) as plane:
        done = asyncio.run(play(plane.kubeconfig))
        profiles = [profile.name for profile in done.profiles]
        assert refusals(plane.audit(), profiles) == []

    assert done.all_ready
    assert {profile.loaded_hash for profile in done.profiles} == {profile.policy_hash for profile in done.profiles}
    assert done.bound >= 18 * 1.5 + 6 * 3 + 6 * 3  # the bursts for 30 nodes: 18 general, 6 with GPUs, 6 of the team
    assert [text for text in said.texts if "not served" in text] == []
