"""Guards: a pod that needs a rule which is not in this release is rejected, told which, and any other pod passes."""

import pytest
from tests.unit.engine.worlds import cluster

from pointsman.kube.objects import Volume
from pointsman.policy.guards import NEEDS, Guard
from pointsman.policy.registry import BUILT
from pointsman.policy.rule import SKIP, Happening, Reject
from pointsman.testing.builders import PodBuilder, asks, node, pod, pod_term


def test_a_pod_with_resource_claims_is_rejected_and_told_why() -> None:
    wanting = pod("p").spec(resource_claims=({"name": "gpu"},))
    why = "pod uses resource claims, which need rule DynamicResources: not in this release"
    assert Guard("DynamicResources").prepare(wanting.info(), cluster(node("n1"))) == Reject((why,))


PASSING: dict[str, PodBuilder] = {
    "plain": pod("p"),
    "volumes": pod("p").claim("data").spec(volumes=(Volume(name="v", rbd={}),)),
    "spread constraints": pod("p").spread("zone", asks(app="web")),
    "required pod affinity": pod("p").near(pod_term("zone", asks(app="web"))),
}


@pytest.mark.parametrize("wanting", PASSING.values(), ids=PASSING)
@pytest.mark.parametrize("rule", NEEDS)
def test_a_pod_that_needs_no_missing_rule_passes(rule: str, wanting: PodBuilder) -> None:
    assert Guard(rule).prepare(wanting.info(), cluster(node("n1"))) is SKIP


@pytest.mark.parametrize("rule", NEEDS)
def test_a_guard_bears_its_rules_name_and_is_woken_by_a_change_of_the_pod(rule: str) -> None:
    assert Guard(rule).name == rule
    assert Guard(rule).wakes_on.on == Happening.OWN_UPDATE


def test_no_rule_that_is_built_stands_guard() -> None:
    assert not set(NEEDS) & set(BUILT)
