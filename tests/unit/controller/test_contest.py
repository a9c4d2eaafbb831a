"""Healing is quick, and stops being so when it does not help."""

import pytest

from pointsman.controller.plan.contest import CORRECTIONS, Patience
from pointsman.controller.render.children import Identity
from pointsman.kube.errors import Conflict
from pointsman.kube.resources import DEPLOYMENTS
from pointsman.testing.clock import VirtualClock

ONE, OTHER = Identity(DEPLOYMENTS, "engine-one"), Identity(DEPLOYMENTS, "engine-other")


def test_a_child_that_is_changed_again_and_again_is_left_for_a_while() -> None:
    clock = VirtualClock()
    patience = Patience(clock)
    for _ in range(CORRECTIONS):
        patience.spend(ONE)
        clock.jump(1)
    with pytest.raises(Conflict, match="Deployment engine-one was put right 30 times in 30 s: who changes it"):
        patience.spend(ONE)
    patience.spend(OTHER)
    clock.jump(300)
    patience.spend(ONE)


def test_drift_now_and_then_is_always_healed() -> None:
    clock = VirtualClock()
    patience = Patience(clock)
    for _ in range(10 * CORRECTIONS):
        patience.spend(ONE)
        clock.jump(11)
