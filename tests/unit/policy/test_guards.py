"""Guards: a pod that needs a rule which is not in this release is rejected, told which, and any other pod passes."""

from typing import Any

import pytest
from tests.unit.engine.worlds import cluster

from pointsman.kube.objects import (
    Affinity,
    Container,
    ContainerRestartRule,
    LabelSelector,
    Namespace,
    PodAffinity,
    PodAffinityTerm,
    Requirement,
    TopologySpreadConstraint,
    Volume,
    WeightedPodAffinityTerm,
)
from pointsman.policy.document import GuardsEntry
from pointsman.policy.guards import guards_of
from pointsman.policy.needs import FEATURES
from pointsman.policy.rule import SKIP, Happening, Predicate, Reject
from pointsman.policy.sides import Side
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

ALL = GuardsEntry(
    predicates=tuple(FEATURES[Side.PREDICATES]),
    priorities=tuple(FEATURES[Side.PRIORITIES]),
)
TERM = PodAffinityTerm(topology_key="kubernetes.io/hostname", label_selector=LabelSelector(match_labels={"app": "web"}))


def affinity(**fields: Any) -> PodBuilder:
    return pod("p").spec(affinity=Affinity(**fields))


def volume(**fields: Any) -> PodBuilder:
    return pod("p").spec(volumes=(Volume(name="scratch"), Volume(name="v", **fields)))


def spread(when: str) -> PodBuilder:
    constraint = TopologySpreadConstraint(topology_key="zone", when_unsatisfiable=when)
    return pod("p").spec(topology_spread_constraints=(constraint,))


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


CLAIM = {"persistent_volume_claim": {"claimName": "data"}}
WEIGHTED = WeightedPodAffinityTerm(weight=1, pod_affinity_term=TERM)
REJECTED: dict[str, tuple[PodBuilder, str]] = {
    "claim": (volume(**CLAIM), need("persistent volume claims", "VolumeRestrictions")),
    "ephemeral": (volume(ephemeral={}), need("generic ephemeral volumes", "VolumeRestrictions")),
    "GCE": (volume(gce_persistent_disk={}), need("GCE persistent disks", "VolumeRestrictions")),
    "EBS": (volume(aws_elastic_block_store={}), need("AWS EBS volumes", "VolumeRestrictions")),
    "RBD": (volume(rbd={}), need("RBD volumes", "VolumeRestrictions")),
    "iSCSI": (volume(iscsi={}), need("iSCSI volumes", "VolumeRestrictions")),
    "Azure": (volume(azure_disk={}), need("Azure disks", "NodeVolumeLimits")),
    "Cinder": (volume(cinder={}), need("Cinder volumes", "NodeVolumeLimits")),
    "resource claims": (
        pod("p").spec(resource_claims=({"name": "gpu"},)),
        need("resource claims", "DynamicResources"),
    ),
    "hard spread": (spread("DoNotSchedule"), need("topology spread constraints", "PodTopologySpread")),
    "soft spread": (spread("ScheduleAnyway"), need("soft topology spread constraints", "PodTopologySpread")),
    "required affinity": (
        affinity(pod_affinity=PodAffinity(required_during_scheduling_ignored_during_execution=(TERM,))),
        need("required pod affinity terms", "InterPodAffinity"),
    ),
    "required anti-affinity": (
        affinity(pod_anti_affinity=PodAffinity(required_during_scheduling_ignored_during_execution=(TERM,))),
        need("required pod affinity terms", "InterPodAffinity"),
    ),
    "preferred affinity": (
        affinity(pod_affinity=PodAffinity(preferred_during_scheduling_ignored_during_execution=(WEIGHTED,))),
        need("preferred pod affinity terms", "InterPodAffinity"),
    ),
    "preferred anti-affinity": (
        affinity(pod_anti_affinity=PodAffinity(preferred_during_scheduling_ignored_during_execution=(WEIGHTED,))),
        need("preferred pod affinity terms", "InterPodAffinity"),
    ),
    "restart rules": (
        pod("p").spec(
            containers=(Container(restart_policy_rules=(ContainerRestartRule(action="RestartAllContainers"),)),)
        ),
        need("restart rules for all containers", "NodeDeclaredFeatures"),
    ),
    "user namespaces": (
        pod("p").spec(host_network=True, host_users=False),
        need("user namespaces with the host's network", "NodeDeclaredFeatures"),
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
    "other volumes": volume(),
    "node affinity": affinity(),
    "empty affinity": affinity(pod_affinity=PodAffinity(), pod_anti_affinity=PodAffinity()),
    "host network": pod("p").spec(host_network=True),
    "user namespaces": pod("p").spec(host_users=False),
    "other restart rules": pod("p").spec(
        containers=(Container(restart_policy_rules=(ContainerRestartRule(action="Restart"),)),)
    ),
}


@pytest.mark.parametrize("wanting", PASSING.values(), ids=PASSING)
def test_a_pod_that_needs_no_missing_rule_passes(wanting: PodBuilder) -> None:
    assert asked(ALL, wanting) == ""


@pytest.mark.parametrize(
    ("guards", "wanting", "rejected"),
    [
        pytest.param(
            GuardsEntry(predicates=("PodTopologySpread",)), spread("ScheduleAnyway"), False, id="soft, hard half"
        ),
        pytest.param(
            GuardsEntry(priorities=("PodTopologySpread",)), spread("ScheduleAnyway"), True, id="soft, soft half"
        ),
        pytest.param(
            GuardsEntry(predicates=("PodTopologySpread",)), spread("DoNotSchedule"), True, id="hard, hard half"
        ),
        pytest.param(
            GuardsEntry(priorities=("PodTopologySpread",)), spread("DoNotSchedule"), False, id="hard, soft half"
        ),
    ],
)
def test_each_half_of_a_rule_guards_its_own(guards: GuardsEntry, wanting: PodBuilder, rejected: bool) -> None:
    assert bool(asked(guards, wanting)) == rejected


@pytest.mark.parametrize("rule", ["VolumeRestrictions", "NodeVolumeLimits", "VolumeZone"])
def test_where_binding_is_disabled_the_next_rule_that_a_claim_needs_is_named(rule: str) -> None:
    assert asked(GuardsEntry(predicates=(rule,)), volume(**CLAIM)) == need("persistent volume claims", rule)


def test_a_guard_bears_its_rules_name_and_is_woken_by_a_change_of_the_pod() -> None:
    guards: list[Predicate[None]] = list(guards_of(ALL))
    assert sorted(guard.name for guard in guards) == sorted(set(ALL.predicates))
    assert all(guard.wakes_on.on & Happening.OWN_UPDATE for guard in guards)
    assert {guard.name for guard in guards if guard.wakes_on.on & Happening.POD_DELETE} == {"InterPodAffinity"}


# Running pods with required anti-affinity (scheduler-semantics.md 2.13.1 and 2.13.3)


def keeper(namespace: str = "default", **term: Any) -> PodBuilder:
    """A running pod on n1 that keeps others away."""
    fields = {
        "topology_key": "kubernetes.io/hostname",
        "label_selector": LabelSelector(match_labels={"app": "web"}),
        **term,
    }
    anti = PodAffinity(required_during_scheduling_ignored_during_execution=(PodAffinityTerm(**fields),))
    return pod("keeper", namespace).spec(affinity=Affinity(pod_anti_affinity=anti)).on("n1")


WEB = pod("p").label("app", "web")
IN = Requirement(key="app", operator="In", values=("web", "api"))
KEPT_AWAY: dict[str, tuple[PodBuilder, bool]] = {
    "its labels match": (keeper(), True),
    "by expression": (keeper(label_selector=LabelSelector(match_expressions=(IN,))), True),
    "by an expression that nobody understands": (
        keeper(label_selector=LabelSelector(match_expressions=(Requirement(key="app", operator="Like"),))),
        False,
    ),
    "by label, but not by expression": (
        keeper(
            label_selector=LabelSelector(
                match_labels={"app": "web"}, match_expressions=(Requirement(key="tier", operator="Exists"),)
            )
        ),
        False,
    ),
    "an empty selector matches all": (keeper(label_selector=LabelSelector()), True),
    "no selector matches none": (keeper(label_selector=None), False),
    "other labels": (keeper(label_selector=LabelSelector(match_labels={"app": "db"})), False),
    "half of the labels": (keeper(label_selector=LabelSelector(match_labels={"app": "web", "tier": "1"})), False),
    "from another namespace": (keeper("other"), False),
    "from another namespace that names this one": (keeper("other", namespaces=("default",)), True),
    "that names another": (keeper("default", namespaces=("other",)), False),
    "by the namespace's labels": (keeper("other", namespace_selector=LabelSelector(match_labels={"team": "a"})), True),
    "not by the namespace's labels": (
        keeper("other", namespace_selector=LabelSelector(match_labels={"team": "b"})),
        False,
    ),
    "all namespaces": (keeper("other", namespace_selector=LabelSelector()), True),
    "a key that its node lacks": (keeper(topology_key="zone"), False),
    "terminating": (keeper().terminating(), True),
}


@pytest.mark.parametrize(("running", "rejected"), KEPT_AWAY.values(), ids=KEPT_AWAY)
def test_a_pod_that_a_running_pod_keeps_away_is_not_guessed_at(running: PodBuilder, rejected: bool) -> None:
    view = cluster(node("n1"), node("n2"), running)
    view.set_namespace(Namespace(metadata=pod("default").metadata(labels={"team": "a"}).build().metadata))
    (guard,) = guards_of(GuardsEntry(predicates=("InterPodAffinity",)))
    answer = guard.prepare(WEB.info(), view)
    why = "a running pod's anti-affinity keeps pods like this one away"
    expected = Reject((f"{why}, which needs rule InterPodAffinity: not in this release",))
    assert answer == (expected if rejected else SKIP)


def test_the_soft_half_does_not_ask_about_running_pods() -> None:
    assert asked(GuardsEntry(priorities=("InterPodAffinity",)), WEB, keeper()) == ""
