"""What wakes a pod that InterPodAffinity rejected (scheduler-semantics.md 5.7, in doubt more than kube-scheduler)."""

import pytest
from tests.unit.rules.view import HandView

from pointsman.policy.args import Args
from pointsman.policy.predicates.inter_pod_affinity import InterPodAffinity
from pointsman.policy.rule import Change, Happening
from pointsman.testing.builders import PodBuilder, asks, node, pod, pod_term

RULE = InterPodAffinity("InterPodAffinity", Args())
VIEW = HandView([node("n1").label("zone", "a").build()])
ADDED, GONE, RELABELLED = Happening.POD_ADD, Happening.POD_DELETE, Happening.POD_LABELS

WEB = pod("web").label("app", "web").on("n1")
DB = pod("db").label("app", "db").on("n1")
NEAR = pod("p").near(pod_term("zone", asks(app="web")))
NEAR_BOTH = pod("p").near(pod_term("zone", asks(app="web")), pod_term("zone", asks(tier="1")))
FAR = pod("p").far(pod_term("zone", asks(app="web")))
FAR_FROM_SOME = pod("p").far(pod_term("zone", asks(app="web")), pod_term("zone", asks(tier="1")))
SHUNNED = pod("p").label("app", "web")
SHUNNING = pod("other").far(pod_term("zone", asks(app="web"))).on("n1")
BY_NAMESPACE = pod("p").near(pod_term("zone", asks(app="web"), namespace_selector=asks(team="red")))
FAR_BY_NAMESPACE = pod("p").far(pod_term("zone", asks(app="web"), namespace_selector=asks(team="red")))
FOREIGN = pod("web", "other").label("app", "web").on("n1")


def woken(pending: PodBuilder, change: Change) -> bool:
    assert RULE.wakes_on.hint is not None
    return bool(change.happening & RULE.wakes_on.on) and RULE.wakes_on.hint(pending.info(), change)


@pytest.mark.parametrize(
    ("pending", "happening", "other", "wakes"),
    [
        pytest.param(NEAR, ADDED, WEB, True, id="a pod that it asks for comes"),
        pytest.param(NEAR, ADDED, DB, False, id="another pod comes"),
        pytest.param(NEAR, ADDED, FOREIGN, False, id="a pod of another namespace comes"),
        pytest.param(NEAR_BOTH, ADDED, WEB, False, id="a pod comes that matches one of two terms"),
        pytest.param(NEAR_BOTH, ADDED, WEB.label("tier", "1"), True, id="a pod comes that matches both terms"),
        pytest.param(FAR, ADDED, WEB, False, id="a pod that it shuns comes"),
        pytest.param(SHUNNED, ADDED, SHUNNING, False, id="a pod that shuns it comes"),
        pytest.param(FAR, GONE, WEB, True, id="a pod that it shuns goes"),
        pytest.param(FAR, GONE, DB, False, id="another pod goes"),
        pytest.param(FAR_FROM_SOME, GONE, WEB, True, id="a pod goes that matched one of two shunned terms"),
        pytest.param(SHUNNED, GONE, SHUNNING, True, id="a pod that shuns it goes"),
        pytest.param(SHUNNED, GONE, WEB, False, id="a pod that shuns nobody goes"),
        pytest.param(NEAR, GONE, WEB, True, id="the last pod of its group goes, so that it may be the first"),
        pytest.param(NEAR, GONE, DB, False, id="a pod of another group goes"),
        # kubernetes issue 141953: kube-scheduler's hint knows no namespace selectors
        pytest.param(BY_NAMESPACE, ADDED, FOREIGN, True, id="by namespace selector, comes"),
        pytest.param(FAR_BY_NAMESPACE, GONE, FOREIGN, True, id="by namespace selector, goes"),
    ],
)
def test_pods_that_come_and_go_wake_whom_they_concern(
    pending: PodBuilder, happening: Happening, other: PodBuilder, wakes: bool
) -> None:
    assert woken(pending, Change(happening, VIEW, 1, other.info())) == wakes


@pytest.mark.parametrize(
    ("pending", "before", "after", "wakes"),
    [
        pytest.param(NEAR, DB, WEB, True, id="to what it asks for"),
        pytest.param(FAR, WEB, DB, True, id="from what it shuns"),
        pytest.param(NEAR, DB, DB.label("tier", "1"), False, id="without concern"),
        pytest.param(FAR, DB, DB.label("tier", "1"), False, id="without concern for what it shuns"),
    ],
)
def test_labels_of_a_pod_wake_whom_they_concern(
    pending: PodBuilder, before: PodBuilder, after: PodBuilder, wakes: bool
) -> None:
    assert woken(pending, Change(RELABELLED, VIEW, 1, after.info(), before.info())) == wakes


@pytest.mark.parametrize(
    ("pending", "labels", "wakes"),
    [
        pytest.param(NEAR, {"zone": "b"}, True, id="with the key"),
        pytest.param(NEAR, {}, False, id="without the key"),
        pytest.param(
            pod("p").near(pod_term("zone", asks()), pod_term("rack", asks())), {"rack": "1"}, True, id="with one key"
        ),
        pytest.param(FAR, {}, True, id="anti-affinity needs no key"),
        pytest.param(SHUNNED, {}, True, id="whom others shun needs no key"),
    ],
)
def test_a_new_node_wakes_a_pod_that_may_run_there(pending: PodBuilder, labels: dict[str, str], wakes: bool) -> None:
    view = HandView([node("new").metadata(labels=labels).build()])
    assert woken(pending, Change(Happening.NODE_ADD, view, 1)) == wakes


@pytest.mark.parametrize(
    "happening",
    [Happening.NODE_LABELS, Happening.NODE_DELETE, Happening.NAMESPACE, Happening.OWN_UPDATE, Happening.NODE_TAINTS],
)
def test_what_cannot_be_told_apart_wakes(happening: Happening) -> None:
    assert woken(NEAR, Change(happening, VIEW))


@pytest.mark.parametrize("happening", [Happening.NODE_ALLOCATABLE, Happening.POD_SCALE_DOWN, Happening.NODE_IMAGES])
def test_what_cannot_help_does_not_wake(happening: Happening) -> None:
    assert not woken(NEAR, Change(happening, VIEW, 1))
