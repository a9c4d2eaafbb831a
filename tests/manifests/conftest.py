"""A control plane of their own for the manifests, which are installed once in a cluster."""

from collections.abc import Iterator

import pytest

from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running
from tests.manifests.install import install


@pytest.fixture(scope="package")
def installed(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane with everything that an administrator installs."""
    with running(tmp_path_factory.mktemp("manifests"), controlplane_binaries) as plane:
        install(plane)
        yield plane
