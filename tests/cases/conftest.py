"""The real kube-scheduler, started once for all situations."""

from collections.abc import Iterator

import pytest

from tests.cases.situations import SITUATIONS
from tests.cases.stock import Stock, stock_scheduler
from tests.controlplane.build import Binaries


@pytest.fixture(scope="session")
def stock(controlplane_binaries: Binaries, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stock]:
    """The stock kube-scheduler 1.36.3."""
    with stock_scheduler(tmp_path_factory.mktemp("stock"), controlplane_binaries, SITUATIONS) as made:
        yield made
