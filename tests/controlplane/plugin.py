"""Pytest's view of the control plane: fixtures for tests that want one, shared or of their own."""

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.controlplane.build import Binaries, provide
from tests.controlplane.need import Need
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running

StartControlPlane = Callable[..., ControlPlane]

NEED = Need("controlplane", "controlplane_binaries", lambda say: provide(os.environ, say))


def pytest_configure(config: pytest.Config) -> None:
    """Have the programs provided to the tests that need them."""
    config.pluginmanager.register(NEED)


@pytest.fixture(scope="session")
def controlplane_binaries() -> Binaries:
    """The programs, for whoever starts a control plane by `server.running`."""
    return NEED.provided


@pytest.fixture(scope="session")
def control_plane(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The one control plane that tests share, without a scheduler. Work in a namespace of your own."""
    with running(tmp_path_factory.mktemp("controlplane"), controlplane_binaries) as plane:
        yield plane


@pytest.fixture
def start_control_plane(controlplane_binaries: Binaries, tmp_path: Path) -> Iterator[StartControlPlane]:
    """Starts a control plane for this test alone; `scheduler=True` adds the stock kube-scheduler."""
    with ExitStack() as stack:

        def start(*, scheduler: bool = False) -> ControlPlane:
            folder = tmp_path / f"controlplane-{uuid.uuid4().hex[:8]}"
            folder.mkdir()
            return stack.enter_context(running(folder, controlplane_binaries, scheduler=scheduler))

        yield start


@pytest.fixture
def namespace(control_plane: ControlPlane) -> Iterator[str]:
    """A namespace of this test's own on the shared control plane."""
    name = f"test-{uuid.uuid4().hex[:8]}"
    control_plane.kubectl("create", "namespace", name)
    control_plane.kubectl("wait", "--for=create", "serviceaccount/default", "--namespace", name, "--timeout=30s")
    yield name
    control_plane.kubectl("delete", "namespace", name, "--wait=false")
