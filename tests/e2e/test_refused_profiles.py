"""Profiles that the schema lets pass and the operator refuses: said on the object, and nothing is started."""

import pytest

from tests.controlplane.wait import eventually
from tests.e2e.fleet import Fleet
from tests.e2e.workloads import in_pool, pod, profile

pytestmark = pytest.mark.timeout(180)


def test_the_younger_of_two_profiles_with_one_scheduler_name_is_refused(fleet: Fleet) -> None:
    fleet.apply(profile("elder", schedulerName="shared-name"))
    fleet.wait_ready("elder")
    fleet.apply(profile("younger", schedulerName="shared-name"))
    eventually(lambda: fleet.condition("younger", "Stalled").get("reason") == "SchedulerNameTaken", what="a refusal")
    assert "elder" in fleet.condition("younger", "Ready")["message"]
    assert fleet.condition("elder", "Ready")["status"] == "True"
    assert fleet.children("younger") == []

    fleet.plane.kubectl("delete", "sprof", "elder")
    fleet.wait_ready("younger")


def test_an_image_outside_the_allow_list_is_refused(fleet: Fleet) -> None:
    fleet.apply(profile("imaged", engine={"image": "example.com/pointsman-evil:1"}))
    eventually(lambda: fleet.condition("imaged", "Stalled").get("reason") == "ImageNotAllowed", what="a refusal")
    assert "example.com/pointsman-evil:1" in fleet.condition("imaged", "Ready")["message"]
    assert fleet.children("imaged") == []


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        (
            {"predicates": [{"name": "PodFitsResource"}]},
            'spec.predicates[PodFitsResource]: unknown rule "PodFitsResource", did you mean PodFitsResources?',
        ),
        (
            {"predicates": [{"name": "NodeResourcesFit"}, {"name": "PodFitsResources"}]},
            "spec.predicates[PodFitsResources]",
        ),
        (
            {"priorities": [{"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAlocated"}}}]},
            'spec.priorities[NodeResourcesFit].args.scoringStrategy.type: "MostAlocated" is not one of LeastAllocated',
        ),
        ({"predicates": [{"name": "DynamicResources"}]}, "known, not in this release"),
    ],
    ids=["an unknown rule", "one rule under both names", "args of a wrong value", "a rule that is not built"],
)
def test_a_first_policy_that_does_not_compile_starts_nothing(
    fleet: Fleet, request: pytest.FixtureRequest, spec: dict[str, object], told: str
) -> None:
    name = "bad-" + request.node.callspec.id.replace(" ", "-")
    fleet.apply(profile(name, **spec))
    eventually(lambda: fleet.condition(name, "PolicyValid").get("status") == "False", what="PolicyValid=False")
    assert told in fleet.condition(name, "Ready")["message"]
    assert fleet.condition(name, "Stalled")["reason"] == "PolicyInvalid"
    assert fleet.children(name) == []


def test_a_pod_that_needs_a_rule_not_built_waits_and_says_so(fleet: Fleet) -> None:
    fleet.apply(profile("honest"))
    fleet.wait_ready("honest")
    asked = {"name": "gpu", "resourceClaimName": "one-gpu"}
    fleet.apply(pod("claiming", "honest", resourceClaims=[asked], **in_pool("shared")))

    def told() -> str:
        conditions = fleet.plane.get("pod", "claiming")["status"].get("conditions", [])
        return next((c.get("message", "") for c in conditions if c["type"] == "PodScheduled"), "")

    assert "DynamicResources" in eventually(told, what="a PodScheduled condition")
    eventually(lambda: fleet.profile("honest")["status"].get("stats", {}).get("pending", {}).get("total") == 1,
               what="the profile to count it", within=30)  # fmt: skip
    reasons = fleet.profile("honest")["status"]["stats"]["unschedulableReasons"]
    assert len(reasons) == 1
    assert "DynamicResources" in reasons[0]["reason"]
    assert reasons[0]["pods"] == 1
