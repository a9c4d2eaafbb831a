"""Guards: a pod that needs a rule which is not in this release is rejected, told which, and any other pod passes."""

import pytest
from tests.unit.engine.worlds import cluster

from pointsman.kube.objects import Volume
from pointsman.policy.document import GuardsEntry
from pointsman.policy.guards import guards_of
from pointsman.policy.needs import FEATURES
from pointsman.policy.registry import BUILT
from pointsman.policy.rule import SKIP, Happening, Predicate, Reject
from pointsman.policy.sides import Side
from pointsman.testing.builders import NodeBuilder, PodBuilder, asks, node, pod, pod_term

ALL = GuardsEntry(
    predicates=tuple(FEATURES[Side.PREDICATES]),
    priorities=tuple(FEATURES[Side.PRIORITIES]),
)


def asked(guards: GuardsEntry, wanting: PodBuilder, *world: NodeBuilder | PodBuilder) -> str:
    """Reason of the first guard that rejects the pod, empty when all let it pass."""
    view = cluster(node("n1"), *world)
    for guard in guards_of(guards):
        answer = guard.prepare(wanting.info(), view)
        if isinstance(answer, Reject):
            assert not answer.resolvable
            (reason,) = answer.reasons
            return reason
        assert answer is SKIP
    return ""


def need(what: str, rule: str) -> str:
    return f"pod uses {what}, which need rule {rule}: not in this release"


REJECTED: dict[str, tuple[PodBuilder, str]] = {
    "resource claims": (
        pod("p").spec(resource_claims=({"name": "gpu"},)),
        need("resource claims", "DynamicResources"),
    ),
}


@pytest.mark.parametrize(("wanting", "reason"), REJECTED.values(), ids=REJECTED)
def test_a_pod_that_needs_a_missing_rule_is_rejected_and_told_which(wanting: PodBuilder, reason: str) -> None:
    assert asked(ALL, wanting) == reason


@pytest.mark.parametrize(("wanting", "_"), REJECTED.values(), ids=REJECTED)
def test_without_guards_it_passes(wanting: PodBuilder, _: str) -> None:
    assert asked(GuardsEntry(), wanting) == ""


PASSING: dict[str, PodBuilder] = {
    "plain": pod("p"),
    "volumes": pod("p").claim("data").spec(volumes=(Volume(name="v", rbd={}),)),
    "spread constraints": pod("p").spread("zone", asks(app="web")),
    "required pod affinity": pod("p").near(pod_term("zone", asks(app="web"))),
}


@pytest.mark.parametrize("wanting", PASSING.values(), ids=PASSING)
def test_a_pod_that_needs_no_missing_rule_passes(wanting: PodBuilder) -> None:
    assert asked(ALL, wanting) == ""


def test_a_guard_bears_its_rules_name_and_is_woken_by_a_change_of_the_pod() -> None:
    guards: list[Predicate[None]] = list(guards_of(ALL))
    assert sorted(guard.name for guard in guards) == sorted(set(ALL.predicates))
    assert all(guard.wakes_on.on & Happening.OWN_UPDATE for guard in guards)


def test_no_rule_that_is_built_stands_guard() -> None:
    assert not {rule for rules in FEATURES.values() for rule in rules} & set(BUILT)
