"""Decisions that start from what is known of a class of pods; the same as those of `cycle.schedule`, sooner.

Only a pod that fits somewhere is decided here. One that fits nowhere is to be told why, and may preempt; one with a
nomination, or beside others that have one, needs two passes: these go through the whole cycle. So does a pod for which
a rule names the only nodes.
"""

import random
from typing import Final, NamedTuple, Protocol

import numpy as np

from pointsman.engine.classes.asking import Unsteady, ask, passing
from pointsman.engine.classes.key import class_key
from pointsman.engine.classes.known import JournaledView, Known
from pointsman.engine.classes.rules import rules_of
from pointsman.engine.cluster.columns import Recent
from pointsman.engine.cycle.cycle import Decision, schedule
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.cycle.reserving import reserve
from pointsman.engine.cycle.scoring import best, draw, prepare_priorities, total
from pointsman.engine.preemption.view import PreemptionView
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.policy.view import BoolArray, Rows

MAX_CLASSES: Final = 512  # at 5,000 rows a class takes 130 kB


class EngineView(PreemptionView, JournaledView, Protocol):
    """Columns as the engine's cycle needs them."""


class _Refused(NamedTuple):
    """Pods of a class go through the whole cycle; that need not be found out again while the nodes stay as they are."""

    nodes: int  # as the journal counts their changes


class Classes:
    """The classes of one policy's pods; what was not asked for longest makes room."""

    def __init__(self, policy: Policy) -> None:
        self._rules = rules_of(policy)
        self._key = class_key(self._rules.fields)
        self._known: Recent[bytes, Known | _Refused] = Recent(MAX_CLASSES)

    def __len__(self) -> int:
        return len(self._known)

    def schedule(
        self,
        policy: Policy,
        pod: PodInfo,
        cluster: EngineView,
        candidates: BoolArray,
        nominator: Nominator,
        rng: random.Random,
    ) -> Decision:
        """Decide on one pod, as `cycle.schedule` does. Raises RuleError."""
        if cluster.node_count and not len(nominator) and not pod.nominated_node_name:
            decision = self._decide(pod, cluster, candidates, rng)
            if decision is not None:
                return decision
        return schedule(policy, pod, cluster, candidates, nominator, rng)

    def _decide(self, pod: PodInfo, cluster: EngineView, candidates: BoolArray, rng: random.Random) -> Decision | None:
        known = self._class_of(pod, cluster, candidates)
        if known is None:
            return None
        try:
            asked = [ask(predicate, pod, cluster) for predicate in self._rules.moving]
        except Unsteady:
            return None
        prepared = [one for one in asked if one is not None]
        rows = passing(prepared, np.flatnonzero(known.fits)) if prepared else None
        feasible = int(np.count_nonzero(known.fits)) if rows is None else len(rows)
        if not feasible:
            return None
        row = draw(self._best(pod, cluster, known, rows), rng)
        evaluated = int(np.count_nonzero(candidates))
        return Decision(row, cluster.node_name(row), feasible, evaluated, reserved=reserve(prepared, row))

    def _best(self, pod: PodInfo, cluster: EngineView, known: Known, rows: Rows | None) -> Rows:
        """The best of the rows; None stands for all that fit, which is quickest where nothing else is to be added."""
        moving = prepare_priorities(self._rules.moving_priorities, pod, cluster)
        if rows is None and not moving and not known.relative:
            return np.flatnonzero(known.totals == known.totals.max())
        rows = np.flatnonzero(known.fits) if rows is None else rows
        if len(rows) == 1:
            return rows
        scores = [
            *(one.scores(rows) for one in moving),
            *(one.prepared.reduced(one.raw[rows]) for one in known.relative),
        ]
        return best(rows, known.totals[rows] + total(scores, len(rows)))

    def _class_of(self, pod: PodInfo, cluster: EngineView, candidates: BoolArray) -> Known | None:
        """What is known of the pod's class; None while steady rules refuse such pods. Raises RuleError."""
        key = self._key(pod)
        known = self._known.get(key)
        try:
            if isinstance(known, Known) and known.update(pod, cluster):
                return known
            if isinstance(known, _Refused) and known.nodes == cluster.journal.nodes:
                return None
            fresh = Known(self._rules, pod, cluster, candidates)
        except Unsteady:
            self._known.put(key, _Refused(cluster.journal.nodes))
            return None
        self._known.put(key, fresh)
        return fresh
