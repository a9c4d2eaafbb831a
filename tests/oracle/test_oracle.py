"""A small comparison with the real kube-scheduler, always the same: `make oracle` makes the large ones."""

from pathlib import Path

import pytest

from tests.controlplane.build import Binaries
from tests.oracle.run import Order, oracle

SEED = 1
DECISIONS = 160


@pytest.mark.timeout(180)
async def test_every_decision_is_kube_schedulers(controlplane_binaries: Binaries, tmp_path: Path) -> None:
    differences: list[str] = []
    report = await oracle(tmp_path, controlplane_binaries, Order(SEED, DECISIONS), differences.append)
    assert differences == []
    assert report.agrees
    assert report.decisions == DECISIONS
