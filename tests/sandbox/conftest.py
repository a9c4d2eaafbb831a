"""Sandboxes for the tests here. All need kubectl, which comes with the real control plane."""

from collections.abc import Iterator

import pytest

from tests.controlplane.build import Binaries
from tests.e2e.fleet import Fleet, hollow, installed_on
from tests.sandbox.plane import install, sandbox_plane


@pytest.fixture(scope="session")
def fleet(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Like the end-to-end tests' shared fleet: six nodes in the pool `shared`, Pointsman installed."""
    folder = tmp_path_factory.mktemp("sandbox")
    with (
        sandbox_plane(folder / "control-plane", controlplane_binaries.kubectl) as plane,
        installed_on(plane, folder, hollow(6, pool="shared"), install) as made,
    ):
        yield made
