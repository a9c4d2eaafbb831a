"""Clusters with Pointsman installed from the chart: one that the shorter tests share, and a maker of others."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

import pytest

from pointsman.sandbox.agent.agent import NodeShape
from tests.controlplane.build import Binaries
from tests.e2e.fleet import ZONE_LABEL, Fleet, hollow, installed
from tests.helm.helm import Helm
from tests.helm.install import install_chart

MakeFleet = Callable[[Sequence[NodeShape]], AbstractContextManager[Fleet]]


@pytest.fixture(scope="session")
def make_fleet(controlplane_binaries: Binaries, helm4: Helm, tmp_path_factory: pytest.TempPathFactory) -> MakeFleet:
    """Makes a cluster of a test's own, to load or to break."""

    def make(nodes: Sequence[NodeShape]) -> AbstractContextManager[Fleet]:
        folder = tmp_path_factory.mktemp("fleet")
        return installed(controlplane_binaries, folder, nodes, lambda plane: install_chart(plane, helm4))

    return make


@pytest.fixture(scope="session")
def fleet(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """Six nodes in the pool `shared`. Use a profile and a label of your own."""
    with make_fleet(hollow(6, pool="shared")) as made:
        yield made


@pytest.fixture(scope="session")
def zoned(make_fleet: MakeFleet) -> Iterator[Fleet]:
    """Two nodes in each of three zones, in the pool `zoned`, and two nodes of 2 cpus in the pool `tight`."""
    spread = [
        replace(node, labels={**node.labels, ZONE_LABEL: f"zone-{'abc'[number % 3]}"})
        for number, node in enumerate(hollow(6, pool="zoned"))
    ]
    with make_fleet([*spread, *hollow(2, pool="tight", cpu="2")]) as made:
        yield made
