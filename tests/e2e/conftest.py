"""The cluster that the shorter end-to-end tests share; the ones that load or break a cluster make their own."""

from collections.abc import Iterator

import pytest

from tests.controlplane.build import Binaries
from tests.e2e.fleet import Fleet, hollow, installed


@pytest.fixture(scope="session")
def fleet(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Six nodes in the pool `shared`, Pointsman installed. Use a profile and a label of your own."""
    with installed(controlplane_binaries, tmp_path_factory.mktemp("fleet"), hollow(6, pool="shared")) as made:
        yield made
