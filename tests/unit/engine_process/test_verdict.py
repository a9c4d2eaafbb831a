"""What became of a binding, judged from the pod as it is now."""

import pytest

from pointsman.engine.binding.verdict import Verdict, judge
from pointsman.kube.objects import Pod
from pointsman.testing.builders import pod

UID = pod("p").build().metadata.uid


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        pytest.param(pod("p").on("n1").build(), Verdict.BOUND, id="it is on our node"),
        pytest.param(pod("p").on("n1").terminating().build(), Verdict.BOUND, id="on our node, already being deleted"),
        pytest.param(pod("p").on("n2").build(), Verdict.ELSEWHERE, id="it is on another node"),
        pytest.param(None, Verdict.DROPPED, id="it is gone"),
        pytest.param(pod("p").terminating().build(), Verdict.DROPPED, id="it is being deleted"),
        pytest.param(pod("p").gate("g").build(), Verdict.DROPPED, id="it is gated"),
        pytest.param(pod("p").metadata(uid="new").build(), Verdict.DROPPED, id="a namesake took its place"),
        pytest.param(pod("p").metadata(uid="new").on("n1").build(), Verdict.DROPPED, id="a namesake, on our node"),
        pytest.param(pod("p").build(), Verdict.FAILED, id="it is still pending"),
    ],
)
def test_the_pod_itself_tells(found: Pod | None, expected: Verdict) -> None:
    assert judge(found, UID, "n1") is expected
