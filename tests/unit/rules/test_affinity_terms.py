"""Pod affinity terms as they are read from a pod, and what becomes of those that cannot be read."""

import pytest

from pointsman.policy.affinity_terms import NO_TERMS, AffinityTerm
from pointsman.policy.pod_query import NOTHING, Selector
from pointsman.testing.builders import PodBuilder, asks, pod, pod_term

APP_WEB = Selector((("app", "In", ("web",)),))
WEB = pod_term("zone", asks(app="web"))
BAD = pod_term("zone", asks(("app", "Like", "web")))
OWN = frozenset({"default"})


def test_most_pods_have_no_terms() -> None:
    assert pod("p").info().affinity is NO_TERMS
    assert pod("p").require().info().affinity is NO_TERMS


@pytest.mark.parametrize(
    ("pending", "term"),
    [
        (pod("p").near(WEB), AffinityTerm("zone", OWN, NOTHING, APP_WEB)),
        (
            pod("p").near(pod_term("zone", asks(app="web"), namespaces=("a", "b"))),
            AffinityTerm("zone", frozenset({"a", "b"}), NOTHING, APP_WEB),
        ),
        (
            pod("p").near(pod_term("zone", None, namespace_selector=asks(app="web"))),
            AffinityTerm("zone", frozenset(), APP_WEB, NOTHING),
        ),
        (
            pod("p").near(pod_term("zone", asks(), namespace_selector=asks())),
            AffinityTerm("zone", frozenset(), Selector(), Selector()),
        ),
    ],
    ids=["its own namespace", "listed namespaces", "no selector", "empty selectors"],
)
def test_a_term_says_whom_it_means(pending: PodBuilder, term: AffinityTerm) -> None:
    assert pending.info().affinity.required == (term,)


def test_pods_of_one_workload_share_their_terms() -> None:
    first, second = (pod(name).near(WEB).prefer_far((3, WEB)).info() for name in ("a", "b"))
    assert first.affinity is second.affinity
    assert pod("a", "other").near(WEB).info().affinity.required != first.affinity.required


def test_a_list_with_a_bad_term_is_dropped_and_the_others_stand() -> None:
    """As kube-scheduler reads pods that run (framework/types.go PodInfo.Update, 1.36)."""
    terms = pod("p").near(WEB, BAD).far(WEB).prefer_near((5, WEB)).info().affinity
    assert terms.required == ()
    assert len(terms.required_anti) == len(terms.preferred) == 1


@pytest.mark.parametrize(
    ("pending", "error"),
    [
        pytest.param(
            pod("p").near(WEB, BAD),
            "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1].labelSelector"
            '.matchExpressions[0].operator: "Like" is not one of In, NotIn, Exists, DoesNotExist',
            id="selector",
        ),
        pytest.param(
            pod("p").far(pod_term("zone", None, namespace_selector=asks(("team", "In")))),
            "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].namespaceSelector"
            ".matchExpressions[0].values: must not be empty for In",
            id="namespace selector",
        ),
        pytest.param(
            pod("p").prefer_far((1, BAD)),
            "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm"
            '.labelSelector.matchExpressions[0].operator: "Like" is not one of In, NotIn, Exists, DoesNotExist',
            id="weighted term",
        ),
        pytest.param(
            pod("p").prefer_near((2**31, WEB)),
            "spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]"
            ".weight: 2147483648 is not a 32-bit number",
            id="weight",
        ),
    ],
)
def test_what_cannot_be_read_is_named_among_the_pods_errors(pending: PodBuilder, error: str) -> None:
    assert pending.info().errors == (error,)
