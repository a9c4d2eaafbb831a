"""Small clusters on which a pod fits nowhere, and the built rules that say so."""

import random

from tests.unit.engine.worlds import decide
from tests.unit.engine_process.policies import RULES

from pointsman.engine.cluster.cluster import Cluster
from pointsman.engine.cycle.cycle import Decision
from pointsman.engine.cycle.filtering import search
from pointsman.engine.cycle.nominator import Nominator
from pointsman.engine.preemption.searching import Found, find_candidates
from pointsman.kube.objects import LabelSelector, Metadata
from pointsman.kube.policy_objects import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from pointsman.policy.build import load
from pointsman.policy.document import (
    PolicyDocument,
    PredicateEntry,
    PreemptionEntry,
    canonical_json,
)
from pointsman.policy.pod import PodInfo
from pointsman.policy.policy import Policy
from pointsman.testing.builders import PodBuilder, pod

ON = PreemptionEntry()


def policy(preemption: PreemptionEntry | None = ON, *, claims: bool = False) -> Policy:
    """The built rules without scores; `claims` guards DynamicResources as the default base does."""
    document = PolicyDocument(
        profile="p",
        scheduler_name="ours",
        predicates=tuple(PredicateEntry(name=rule, rule=rule) for rule in RULES),
        guards=("DynamicResources",) if claims else (),
        preemption=preemption,
    )
    return load(canonical_json(document))


def running(name: str, priority: int, cpu: str = "1", on: str = "n1", started: str = "") -> PodBuilder:
    return pod(name).container(cpu=cpu).priority(priority).on(on).status(phase="Running", start_time=started)


def vip(cpu: str = "1", priority: int = 100) -> PodBuilder:
    return pod("vip").container(cpu=cpu).priority(priority)


def attempt(
    on: Cluster,
    preemptor: PodBuilder,
    rules: Policy | None = None,
    nominator: Nominator | None = None,
    seed: int = 0,
) -> Decision:
    return decide(on, preemptor.info(), rules or policy(), nominator=nominator, seed=seed)


def victims(decision: Decision) -> list[str]:
    assert decision.preemption is not None, decision.message
    return [victim.name for victim in decision.preemption.victims]


def budget(
    name: str, allowed: int, disrupted: tuple[str, ...] = (), namespace: str = "default", **labels: str
) -> PodDisruptionBudget:
    return PodDisruptionBudget(
        metadata=Metadata(name=name, namespace=namespace),
        spec=PodDisruptionBudgetSpec(selector=LabelSelector(match_labels=labels)),
        status=PodDisruptionBudgetStatus(disruptions_allowed=allowed, disrupted_pods=dict.fromkeys(disrupted, "")),
    )


def candidates_on(on: Cluster, preemptor: PodInfo, settings: PreemptionEntry = ON, seed: int = 0) -> Found:
    """What a search for room finds, before the choice."""
    candidates, nominator = on.pool(None).candidates, Nominator()
    found = search(policy(), preemptor, on, candidates, nominator)
    resolvable = found.resolvable(candidates)
    return find_candidates(settings, preemptor, on, nominator, found, resolvable, random.Random(seed))
