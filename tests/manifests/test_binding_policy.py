"""`bind` in the wrong hands: only ServiceAccounts of the fleet namespace can become schedulers, by whomever's hand."""

import uuid
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually

ENGINE = {"kind": "ServiceAccount", "name": "engine-a", "namespace": "pointsman-engines"}
OTHER_NAMESPACE = {"kind": "ServiceAccount", "name": "engine-a", "namespace": "default"}
USER = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "mallory"}
GROUP = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:serviceaccounts:pointsman-engines"}

SUBJECTS_REFUSED = "may name only ServiceAccounts of namespace pointsman-engines"
OPERATOR_REFUSED = "the operator may write only ClusterRoleBindings pointsman:engine"


def binding(role: str, *subjects: dict[str, str], name: str = "", kind: str = "ClusterRoleBinding") -> dict[str, Any]:
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name or f"pointsman:engine:{uuid.uuid4().hex[:8]}"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role},
        "subjects": list(subjects),
    }


@pytest.fixture(scope="module")
def guarded(installed: ControlPlane) -> ControlPlane:
    """The control plane once the policy is in force, which takes the API server a moment."""

    def refused() -> bool:
        trial = installed.kubectl(
            "create", "clusterrolebinding", "trial", "--clusterrole=pointsman-engine", "--user=mallory",
            "--dry-run=server", check=False,
        )  # fmt: skip
        return SUBJECTS_REFUSED in trial.stderr

    eventually(refused, what="the admission policy to be in force")
    return installed


@pytest.fixture(scope="module")
def operator(guarded: ControlPlane) -> Path:
    """A kubeconfig of the operator's ServiceAccount."""
    return guarded.user_kubeconfig(guarded.service_account_token("pointsman-system", "pointsman-operator"))


@pytest.mark.parametrize("role", ["pointsman-engine", "pointsman-engine-volumes", "pointsman-engine-preemption"])
def test_the_operator_makes_an_engine_a_scheduler_and_takes_it_back(
    guarded: ControlPlane, operator: Path, role: str
) -> None:
    wanted = binding(role, ENGINE)
    name = wanted["metadata"]["name"]

    guarded.apply(wanted, kubeconfig=operator)
    guarded.apply(wanted, kubeconfig=operator)
    guarded.kubectl("delete", "clusterrolebinding", name, kubeconfig=operator)


@pytest.mark.parametrize("kind", ["ClusterRoleBinding", "RoleBinding"])
@pytest.mark.parametrize(
    "subjects",
    [
        pytest.param([USER], id="a user"),
        pytest.param([GROUP], id="a group"),
        pytest.param([OTHER_NAMESPACE], id="a ServiceAccount of another namespace"),
        pytest.param([ENGINE, OTHER_NAMESPACE], id="an engine and somebody else"),
    ],
)
@pytest.mark.parametrize("by_operator", [True, False], ids=["by the operator", "by an administrator"])
def test_nobody_else_becomes_a_scheduler(
    guarded: ControlPlane, operator: Path, kind: str, subjects: list[dict[str, str]], by_operator: bool
) -> None:
    unwanted = binding("pointsman-engine", *subjects, kind=kind)
    if kind == "RoleBinding":
        unwanted["metadata"]["namespace"] = "pointsman-engines"

    done = guarded.apply(unwanted, check=False, kubeconfig=operator if by_operator else None)

    assert SUBJECTS_REFUSED in done.stderr


def test_a_subject_cannot_be_slipped_into_a_binding_that_is_there(guarded: ControlPlane, operator: Path) -> None:
    wanted = binding("pointsman-engine", ENGINE)
    guarded.apply(wanted, kubeconfig=operator)

    done = guarded.apply({**wanted, "subjects": [ENGINE, USER]}, check=False, kubeconfig=operator)

    assert SUBJECTS_REFUSED in done.stderr


def test_the_operator_cannot_bind_another_role_to_its_engines(guarded: ControlPlane, operator: Path) -> None:
    done = guarded.apply(binding("cluster-admin", ENGINE), check=False, kubeconfig=operator)

    assert "attempting to grant RBAC permissions not currently held" in done.stderr


def test_the_operator_cannot_take_a_name_outside_its_own(guarded: ControlPlane, operator: Path) -> None:
    done = guarded.apply(binding("pointsman-engine", ENGINE, name="looks-harmless"), check=False, kubeconfig=operator)

    assert OPERATOR_REFUSED in done.stderr


@pytest.mark.parametrize("name", ["cluster-admin", "system:kube-scheduler", "pointsman-operator"])
def test_the_operator_cannot_delete_a_foreign_binding(guarded: ControlPlane, operator: Path, name: str) -> None:
    done = guarded.kubectl("delete", "clusterrolebinding", name, check=False, kubeconfig=operator)

    assert OPERATOR_REFUSED in done.stderr


@pytest.mark.parametrize("name", ["cluster-admin", "system:kube-scheduler", "pointsman-operator"])
def test_the_operator_cannot_edit_a_foreign_binding(guarded: ControlPlane, operator: Path, name: str) -> None:
    emptied = '{"subjects": []}'

    done = guarded.kubectl(
        "patch", "clusterrolebinding", name, "--type=merge", "-p", emptied, check=False, kubeconfig=operator
    )

    assert done.returncode == 1
    assert guarded.get("clusterrolebinding", name)["subjects"]


def test_a_name_like_an_engines_does_not_open_a_foreign_binding(guarded: ControlPlane, operator: Path) -> None:
    foreign = binding("view", USER)
    guarded.apply(foreign)

    done = guarded.kubectl(
        "delete", "clusterrolebinding", foreign["metadata"]["name"], check=False, kubeconfig=operator
    )

    assert OPERATOR_REFUSED in done.stderr


def test_other_bindings_of_other_people_are_none_of_its_business(guarded: ControlPlane) -> None:
    other = binding("view", USER, name="readers")

    guarded.apply(other)
    guarded.kubectl("delete", "clusterrolebinding", "readers")
