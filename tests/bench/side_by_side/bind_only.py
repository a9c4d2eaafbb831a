"""The engine without its decisions: the same watches, queue, binder and events, and nodes in turn.

    python tests/bench/side_by_side/bind_only.py --policy DIR --expect PROFILE=HASH --lease NAMESPACE/NAME …

What it does in a second is the most that this client and this API server can do together.
"""

import itertools
import random

import numpy as np

from pointsman.cli.engine import command
from pointsman.engine.classes.classes import Classes, EngineView
from pointsman.engine.cycle.cycle import Decision
from pointsman.engine.cycle.nominator import Nominator
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray

_turn = itertools.count()


def next_node(
    classes: Classes,
    policy: Policy,
    pod: PodInfo,
    cluster: EngineView,
    candidates: BoolArray,
    nominator: Nominator,
    rng: random.Random,
) -> Decision:
    """The next node in turn, whatever the pod asks for."""
    rows = np.flatnonzero(candidates)
    row = int(rows[next(_turn) % len(rows)])
    return Decision(row, cluster.node_name(row), len(rows), len(rows))


if __name__ == "__main__":
    Classes.schedule = next_node  # type: ignore[method-assign, assignment]
    command()
