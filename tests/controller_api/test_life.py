"""Children and status of a profile from creation to deletion; what is settled is never written again."""

import json
import uuid

import pytest

from pointsman.api.names import FLEET_NAMESPACE
from pointsman.kube.errors import ApiError, NotSent
from tests.controller_api.fleet import child, children, conditions, message, profile, status
from tests.controller_api.operator import Operator
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

# The garbage collector rests whenever a test that shares the control plane changes which kinds are served.
COLLECTED_SECONDS = 90.0


async def test_a_new_profile_gets_its_children_and_then_nothing_is_written(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    written = await operator.reconcile(name)
    assert [write.rpartition("/")[2].partition("-")[0].partition(":")[0] for write in written[:-1]] == [
        "engine",
        "engine",
        "engine",
        "engine",
        *["pointsman"] * 3,  # ClusterRoleBindings
        "engine",
        "engine",
    ]
    assert written[-1].endswith(f"/schedulerprofiles/{name}/status")
    await operator.settle(name)
    assert [await operator.reconcile(name) for _ in range(3)] == [[], [], []]
    assert conditions(plane, name)["Ready"] == ("Unknown", "Progressing")
    assert operator.events.posted[0][0] == "Progressing"


async def test_every_child_is_known_to_the_api_server_field_by_field(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name, replicas=2, engine={"priorityClassName": "high", "nodeSelector": {"a": "b"}}))
    await operator.reconcile(name)
    for made in children(plane, name).values():
        body = {**made, "metadata": {**made["metadata"], "name": f"x{uuid.uuid4().hex[:8]}"}}
        plane.kubectl("create", "--dry-run=server", "--validate=strict", "-f", "-", input=json.dumps(body))


@pytest.mark.parametrize("amount", ["1000m", "1", "0.5", "1e3", "1Gi", "0.5Gi"])
async def test_a_quantity_in_any_form_is_written_once(
    plane: ControlPlane, operator: Operator, name: str, amount: str
) -> None:
    resource = "memory" if amount.endswith("Gi") else "cpu"
    plane.apply(profile(name, engine={"resources": {"requests": {resource: amount}}}))
    await operator.settle(name)
    assert await operator.reconcile(name) == []


async def test_an_edit_makes_another_policy_and_keeps_the_one_that_is_mounted(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    before = set(children(plane, name))
    eventually(lambda: replica_sets(plane, name) == 1, what="the first ReplicaSet")
    plane.apply(profile(name, priorities=[{"name": "NodeResourcesFit", "weight": 7}]))
    await operator.settle(name)
    after = set(children(plane, name))
    assert before < after
    assert len(after - before) == 1
    mounted = child(plane, "deployment", f"engine-{name}")["spec"]["template"]["spec"]["volumes"][0]["configMap"][
        "name"
    ]
    assert f"configmap/{mounted}" in after - before
    assert await operator.reconcile(name) == []


async def test_replicas_come_with_a_budget_and_go_with_it(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    template = child(plane, "deployment", f"engine-{name}")["spec"]["template"]
    plane.kubectl("scale", f"sprof/{name}", "--replicas=2")
    await operator.settle(name)
    assert f"poddisruptionbudget/engine-{name}" in children(plane, name)
    deployment = child(plane, "deployment", f"engine-{name}")["spec"]
    assert (deployment["replicas"], deployment["template"]) == (2, template)
    plane.kubectl("scale", f"sprof/{name}", "--replicas=1")
    await operator.settle(name)
    assert f"poddisruptionbudget/engine-{name}" not in children(plane, name)


async def test_a_refused_edit_changes_nothing_and_its_children_are_healed(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    before = children(plane, name)
    plane.apply(profile(name, replicas=3, priorities=[{"name": "Nowhere"}]))
    await operator.settle(name)
    assert children(plane, name) == before
    assert conditions(plane, name)["PolicyValid"] == ("False", "PolicyInvalid")
    told = status(plane, name)
    assert message(plane, name).endswith(f"; policy {told['policy']['hash']} (generation 1) stays in force")
    plane.kubectl("delete", "deployment,rolebinding", f"engine-{name}", "-n", FLEET_NAMESPACE)
    plane.kubectl("patch", "role", f"engine-{name}", "-n", FLEET_NAMESPACE, "--type=merge", "-p", '{"rules":[]}')
    await operator.settle(name)
    assert children(plane, name) == before


async def test_a_foreign_object_is_left_alone_and_nothing_is_made_beside_it(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.kubectl("create", "serviceaccount", f"engine-{name}", "-n", FLEET_NAMESPACE)
    before = child(plane, "serviceaccount", f"engine-{name}")
    plane.apply(profile(name))
    await operator.settle(name)
    assert child(plane, "serviceaccount", f"engine-{name}") == before
    assert children(plane, name) == {}
    assert conditions(plane, name)["Stalled"] == ("True", "NameConflict")
    assert f"ServiceAccount engine-{name} exists" in message(plane, name)
    plane.kubectl("delete", "serviceaccount", f"engine-{name}", "-n", FLEET_NAMESPACE)
    await operator.settle(name)
    assert f"deployment/engine-{name}" in children(plane, name)
    assert "Stalled" not in conditions(plane, name)


async def test_the_younger_of_two_profiles_with_one_scheduler_name_gets_nothing_until_the_older_is_gone(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    younger = {**profile(f"{name}y"), "spec": {"schedulerName": name}}
    plane.apply(younger)
    bodies = plane.get("sprof")["items"]
    operator.mirrors.roster.fill(bodies)
    await operator.settle(f"{name}y")
    assert children(plane, f"{name}y") == {}
    assert conditions(plane, f"{name}y")["Ready"] == ("False", "SchedulerNameTaken")
    plane.kubectl("delete", "sprof", name)
    operator.mirrors.roster.fill(plane.get("sprof")["items"])
    await operator.settle(f"{name}y")
    assert f"deployment/engine-{name}y" in children(plane, f"{name}y")
    plane.kubectl("delete", "sprof", f"{name}y")


async def test_a_suspended_profile_is_not_touched(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    plane.apply(profile(name, suspend=True, replicas=2))
    plane.kubectl("delete", "role", f"engine-{name}", "-n", FLEET_NAMESPACE)
    await operator.settle(name)
    assert f"role/engine-{name}" not in children(plane, name)
    assert conditions(plane, name)["Ready"] == ("Unknown", "Suspended")
    plane.apply(profile(name, replicas=2))
    await operator.settle(name)
    assert f"role/engine-{name}" in children(plane, name)


@pytest.mark.timeout(240)
async def test_a_deleted_profile_takes_its_children_with_it_and_a_namesake_gets_new_ones(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    first = child(plane, "deployment", f"engine-{name}")["metadata"]["uid"]
    plane.kubectl("delete", "sprof", name)
    plane.apply(profile(name))
    await operator.reconcile(name)
    eventually(
        lambda: first not in uids(plane, name), what="the first Deployment to be collected", within=COLLECTED_SECONDS
    )
    await rebuilt(plane, operator, name)
    plane.kubectl("delete", "sprof", name)
    eventually(lambda: children(plane, name) == {}, what="the children to be collected", within=COLLECTED_SECONDS)
    assert await operator.reconcile(name) == []


async def test_who_does_not_lead_writes_nothing(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))
    operator.leading = False
    with pytest.raises(NotSent):
        await operator.reconcile(name)
    assert children(plane, name) == {}
    assert status_is_untouched(plane, name)


async def test_what_somebody_else_puts_into_the_status_does_not_make_us_write(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    plane.apply(profile(name))
    await operator.settle(name)
    condition = (
        '{"type":"Theirs","status":"True","reason":"X","message":"","lastTransitionTime":"2026-01-01T00:00:00Z"}'
    )
    patch = f'[{{"op":"add","path":"/status/conditions/-","value":{condition}}}]'
    plane.kubectl("patch", "sprof", name, "--subresource=status", "--type=json", "-p", patch)
    assert await operator.reconcile(name) == []


async def test_an_image_that_is_not_allowed_makes_no_child(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name, engine={"image": "evil.example/engine:1"}))
    await operator.settle(name)
    assert children(plane, name) == {}
    assert conditions(plane, name)["Stalled"] == ("True", "ImageNotAllowed")


async def rebuilt(plane: ControlPlane, operator: Operator, name: str) -> None:
    """Reconcile until the children of a namesake are there; the garbage collector may be in the way."""
    for _ in range(50):
        try:
            await operator.settle(name)
        except ApiError:
            continue
        if f"deployment/engine-{name}" in children(plane, name):
            return
    raise AssertionError(f"{name} was not rebuilt: {status(plane, name)}")


def uids(plane: ControlPlane, name: str) -> set[str]:
    listed = plane.get("deployment", "-n", FLEET_NAMESPACE, "-l", f"pointsman.dev/profile={name}")["items"]
    return {body["metadata"]["uid"] for body in listed}


def replica_sets(plane: ControlPlane, name: str) -> int:
    return len(plane.get("replicaset", "-n", FLEET_NAMESPACE, "-l", f"pointsman.dev/profile={name}")["items"])


def status_is_untouched(plane: ControlPlane, name: str) -> bool:
    return bool(plane.get("sprof", name)["status"] == {"observedGeneration": -1})
