"""Pytest's view of Helm: a fixture per major version. A test that uses one gets the marker `helm` by itself."""

import os
from pathlib import Path

import pytest

from tests.controlplane.need import Need
from tests.helm.build import HelmBinaries, provide
from tests.helm.helm import Helm

NEED = Need("helm", "helm_binaries", lambda say: provide(os.environ, say))


def pytest_configure(config: pytest.Config) -> None:
    """Have the programs provided to the tests that need them."""
    config.pluginmanager.register(NEED)


@pytest.fixture(scope="session")
def helm_binaries() -> HelmBinaries:
    """Both programs."""
    return NEED.provided


@pytest.fixture(scope="session")
def helm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where Helm keeps what it remembers."""
    return tmp_path_factory.mktemp("helm")


@pytest.fixture(scope="session")
def helm3(helm_binaries: HelmBinaries, helm_folder: Path) -> Helm:
    """Helm 3."""
    return Helm(3, helm_binaries.helm3, helm_folder)


@pytest.fixture(scope="session")
def helm4(helm_binaries: HelmBinaries, helm_folder: Path) -> Helm:
    """Helm 4."""
    return Helm(4, helm_binaries.helm4, helm_folder)


@pytest.fixture(scope="session", params=[3, 4], ids=["helm 3", "helm 4"])
def helm(request: pytest.FixtureRequest, helm3: Helm, helm4: Helm) -> Helm:
    """Helm of each major version: the test runs with both."""
    return helm3 if request.param == 3 else helm4
