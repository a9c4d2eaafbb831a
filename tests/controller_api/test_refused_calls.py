"""What the API server refuses is told on the profile, and mended when the reason is gone."""

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pointsman.controller.apply.apply import Refused
from pointsman.kube.clock import SystemClock
from pointsman.kube.connection import connect
from pointsman.kube.errors import Forbidden
from tests.controller_api.fleet import children, conditions, message, profile
from tests.controller_api.operator import Operator, RecordingClient
from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

READ_PROFILES = {"apiGroups": ["pointsman.dev"], "resources": ["schedulerprofiles"], "verbs": ["get", "list"]}
WRITE_STATUS = {"apiGroups": ["pointsman.dev"], "resources": ["schedulerprofiles/status"], "verbs": ["get", "patch"]}
READ_ALL = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list"]}
WRITE_SOME = {
    "apiGroups": ["", "coordination.k8s.io"],
    "resources": ["serviceaccounts", "leases", "configmaps"],
    "verbs": ["create", "patch"],
}


def kubeconfig_with(plane: ControlPlane, name: str, rules: list[dict[str, Any]]) -> str:
    """Credentials of an account that may do just that."""
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": name}}
    plane.apply({**role, "rules": rules})
    plane.kubectl("create", "serviceaccount", name, "-n", "default")
    plane.kubectl("create", "clusterrolebinding", name, f"--clusterrole={name}", f"--serviceaccount=default:{name}")
    return str(plane.user_kubeconfig(plane.service_account_token("default", name)))


async def as_account(kubeconfig: str, work: Callable[[Operator], Awaitable[None]]) -> None:
    async with RecordingClient(await connect(kubeconfig), user_agent="pointsman-test") as client:
        await work(Operator(client, SystemClock(), random.Random(1)))


async def test_a_write_that_is_forbidden_names_verb_and_resource(plane: ControlPlane, name: str) -> None:
    plane.apply(profile(name))

    async def work(operator: Operator) -> None:
        with pytest.raises(Refused):
            await operator.reconcile(name)
        assert operator.events.posted[0][0] == "Forbidden"

    await as_account(kubeconfig_with(plane, name, [READ_ALL, WRITE_STATUS, WRITE_SOME]), work)
    assert conditions(plane, name)["Ready"] == ("False", "Forbidden")
    assert conditions(plane, name)["Reconciling"] == ("True", "Forbidden")
    assert message(plane, name).startswith(f"cannot create roles engine-{name}: ")
    assert 'cannot patch resource "roles"' in message(plane, name)
    assert set(children(plane, name)) == {f"serviceaccount/engine-{name}", f"lease/engine-{name}"}


async def test_a_read_that_is_forbidden_names_verb_and_resource(plane: ControlPlane, name: str) -> None:
    plane.apply(profile(name))

    async def work(operator: Operator) -> None:
        with pytest.raises(Forbidden):
            await operator.reconcile(name)

    await as_account(kubeconfig_with(plane, name, [READ_PROFILES, WRITE_STATUS]), work)
    assert conditions(plane, name)["Ready"] == ("False", "Forbidden")
    assert "cannot list resource" in message(plane, name)


async def test_a_status_that_is_forbidden_too_leaves_the_profile_as_it_is(plane: ControlPlane, name: str) -> None:
    plane.apply(profile(name))

    async def work(operator: Operator) -> None:
        with pytest.raises(Forbidden):
            await operator.reconcile(name)
        assert operator.events.posted == []

    await as_account(kubeconfig_with(plane, name, [READ_PROFILES]), work)
    assert plane.get("sprof", name)["status"] == {"observedGeneration": -1}


async def test_the_condition_goes_when_the_right_is_there(plane: ControlPlane, operator: Operator, name: str) -> None:
    plane.apply(profile(name))

    async def work(weak: Operator) -> None:
        with pytest.raises(Forbidden):
            await weak.reconcile(name)

    await as_account(kubeconfig_with(plane, name, [READ_PROFILES, WRITE_STATUS]), work)
    await operator.settle(name)
    assert conditions(plane, name)["Ready"] == ("Unknown", "Progressing")
    assert f"deployment/engine-{name}" in children(plane, name)


def admission_policy(name: str) -> list[dict[str, Any]]:
    """A cluster policy that refuses the Deployment of one profile for its content."""
    kind = {"apiVersion": "admissionregistration.k8s.io/v1", "metadata": {"name": name}}
    rule = {"apiGroups": ["apps"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["deployments"]}
    validation = {"expression": f"object.metadata.name != 'engine-{name}'", "message": "engines need a cost centre"}
    policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]}
    return [
        {**kind, "kind": "ValidatingAdmissionPolicy", "spec": policy},
        {
            **kind,
            "kind": "ValidatingAdmissionPolicyBinding",
            "spec": {"policyName": name, "validationActions": ["Deny"]},
        },
    ]


async def test_a_child_that_is_refused_for_what_it_says_stalls_the_profile(
    plane: ControlPlane, operator: Operator, name: str
) -> None:
    for manifest in admission_policy(name):
        plane.apply(manifest)
    probe = ("create", "deployment", f"engine-{name}", "--image=x", "--dry-run=server", "-n", "pointsman-engines")
    eventually(lambda: plane.kubectl(*probe, check=False).returncode != 0, what="the policy to be enforced")
    plane.apply(profile(name))
    with pytest.raises(Refused):
        await operator.reconcile(name)
    assert conditions(plane, name)["Stalled"] == ("True", "ChildRefused")
    assert message(plane, name).endswith("engines need a cost centre")
    plane.kubectl("delete", "validatingadmissionpolicybinding", name)
    eventually(lambda: plane.kubectl(*probe, check=False).returncode == 0, what="the policy to be gone")
    await operator.settle(name)
    assert "Stalled" not in conditions(plane, name)
