"""The control plane is what the other tests take it for: real, with RBAC, an audit log that names pods, and mortal."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.audit import AuditEvent
from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane, KubectlError
from tests.controlplane.plugin import StartControlPlane
from tests.controlplane.server import StartFailed, running
from tests.controlplane.wait import eventually


def pod(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [{"name": "main", "image": "none"}], **spec},
    }


def logged(plane: ControlPlane, is_it: Callable[[AuditEvent], bool]) -> AuditEvent:
    """The first call in the audit log that is the one, once it is there."""
    return eventually(lambda: [*filter(is_it, plane.audit())], what="the call in the audit log")[0]


def test_kubectl_and_server_have_the_version_that_go_mod_pins(control_plane: ControlPlane) -> None:
    assert control_plane.kubectl("version").stdout.count("v1.36.3") == 2


def test_an_unknown_field_is_refused_and_kubectl_says_which(control_plane: ControlPlane) -> None:
    with pytest.raises(KubectlError, match=r"spec\.nonsense"):
        control_plane.apply(pod("odd", nonsense=1))


def test_a_call_without_the_right_is_refused_and_logged(control_plane: ControlPlane, namespace: str) -> None:
    kubeconfig = control_plane.user_kubeconfig(control_plane.service_account_token(namespace, "default"), namespace)

    done = control_plane.kubectl("get", "secrets", kubeconfig=kubeconfig, check=False)

    user = f"system:serviceaccount:{namespace}:default"
    assert f'"{user}" cannot list resource "secrets"' in done.stderr
    event = logged(control_plane, lambda event: event.user.username == user and event.refused)
    assert (event.verb, event.object_ref.resource, event.object_ref.namespace) == ("list", "secrets", namespace)
    assert f"system:serviceaccounts:{namespace}" in event.user.groups


def test_a_token_that_is_bound_to_a_pod_names_the_pod_in_the_audit_log(
    control_plane: ControlPlane, namespace: str
) -> None:
    name = f"caller-{namespace}"  # the log is shared
    control_plane.kubectl("create", "-n", namespace, "-f", "-", input=json.dumps(pod(name)))
    token = control_plane.service_account_token(namespace, "default", pod=name)

    control_plane.kubectl("auth", "whoami", kubeconfig=control_plane.user_kubeconfig(token))

    event = logged(control_plane, lambda event: event.pod == name)
    assert event.user.username == f"system:serviceaccount:{namespace}:default"
    assert (event.object_ref.resource, event.code) == ("selfsubjectreviews", 201)


def test_service_account_admission_gives_a_pod_its_token(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.kubectl("create", "-n", namespace, "-f", "-", input=json.dumps(pod("plain")))

    volumes = control_plane.get("pod", "plain", "-n", namespace)["spec"]["volumes"]

    assert any("serviceAccountToken" in source for volume in volumes for source in volume["projected"]["sources"])


def test_a_hollow_node_gets_no_taint(control_plane: ControlPlane, namespace: str) -> None:
    control_plane.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": namespace}})

    assert control_plane.get("node", namespace)["spec"] == {}

    control_plane.kubectl("delete", "node", namespace)


def test_the_stock_scheduler_binds_a_pod_when_asked_for_and_all_processes_end(
    controlplane_binaries: Binaries, tmp_path: Path
) -> None:
    with running(tmp_path, controlplane_binaries, scheduler=True) as plane:
        plane.apply({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "node-1"}})
        status = {"status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}}
        plane.kubectl("patch", "node", "node-1", "--subresource=status", "-p", json.dumps(status))
        plane.kubectl("create", "-f", "-", input=json.dumps(pod("waiting")))
        plane.kubectl("wait", "--for=condition=PodScheduled", "pod/waiting", "--timeout=20s")
        binding = logged(plane, lambda event: event.object_ref.subresource == "binding")
        names = [process.name for process in plane.processes]
        pids = [process.pid for process in plane.processes]

    assert binding.user.username == "system:kube-scheduler"
    assert binding.request_object
    assert binding.object_ref.name == "waiting"
    assert binding.request_object["target"] == {"kind": "Node", "name": "node-1"}
    assert names == ["etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"]
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert not (tmp_path / "etcd").exists()


def test_two_control_planes_do_not_meet(control_plane: ControlPlane, start_control_plane: StartControlPlane) -> None:
    other = start_control_plane()

    assert other.url != control_plane.url
    assert other.kubectl("get", "nodes", "--token", control_plane.token, check=False).returncode == 1


def test_a_start_that_fails_tells_the_end_of_the_log(
    controlplane_binaries: Binaries, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = [str(controlplane_binaries.etcd), "--data-dir=/dev/null/nowhere"]
    monkeypatch.setattr("tests.controlplane.commands.etcd", lambda *_: broken)

    with pytest.raises(StartFailed) as caught, running(tmp_path, controlplane_binaries):
        pass

    assert "waited for kube-apiserver to be ready: etcd ended" in str(caught.value)
    assert "/dev/null/nowhere" in str(caught.value)
