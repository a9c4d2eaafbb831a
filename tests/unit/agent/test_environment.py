"""The command line and environment of a process, and what is said when something for it is missing."""

from typing import Any

import pytest
from tests.unit.agent.pods import facts, make_container, make_pod

from pointsman.sandbox.agent.environment import CommandLine, command_line, variables_of
from pointsman.sandbox.agent.podspec import Container
from pointsman.sandbox.agent.sources import ConfigError, Contents, config_map, secret

IMAGES = {"app:1": ("/opt/app/bin/python", "-m", "app")}
CONTENTS: Contents = {
    config_map("settings"): {"level": b"Info", "bad": b"\xff", "zero": b"a\0b"},
    secret("login"): {"password": b"s3cret"},
    config_map("gone"): None,
}
POD = make_pod(
    metadata={"labels": {"app": "web", "tier": 'a"b'}, "annotations": {"note": "x"}},
    spec={"serviceAccountName": "robot"},
)


def variables(*env: dict[str, Any], **fields: Any) -> dict[str, str]:
    return variables_of(facts(POD), make_container(env=list(env), **fields), CONTENTS)


def command(container: Container) -> CommandLine:
    return command_line(facts(POD), container, IMAGES, CONTENTS)


def field(path: str) -> dict[str, Any]:
    return {"name": "X", "valueFrom": {"fieldRef": {"fieldPath": path}}}


def key(kind: str, name: str, key: str, optional: bool = False) -> dict[str, Any]:
    return {"name": "X", "valueFrom": {f"{kind}KeyRef": {"name": name, "key": key, "optional": optional}}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("metadata.name", "web"),
        ("metadata.namespace", "ns"),
        ("metadata.uid", "u1"),
        ("metadata.labels['app']", "web"),
        ("metadata.labels['none']", ""),
        ("metadata.annotations['note']", "x"),
        ("metadata.labels", 'app="web"\ntier="a\\"b"'),
        ("spec.nodeName", "node-1"),
        ("spec.serviceAccountName", "robot"),
        ("status.podIP", "127.64.0.9"),
        ("status.hostIP", "127.127.0.1"),
    ],
)
def test_fields_of_the_pod(path: str, value: str) -> None:
    assert variables(field(path)) == {"X": value}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param(key("configMap", "settings", "level"), {"X": "Info"}, id="a key of a ConfigMap"),
        pytest.param(key("secret", "login", "password"), {"X": "s3cret"}, id="a key of a Secret"),
        pytest.param(key("configMap", "settings", "none", optional=True), {}, id="a missing key that may be missing"),
        pytest.param(key("configMap", "gone", "level", optional=True), {}, id="a missing object that may be missing"),
        pytest.param({"name": "X"}, {"X": ""}, id="no value"),
    ],
)
def test_values_from_elsewhere(source: dict[str, Any], expected: dict[str, str]) -> None:
    assert variables(source) == expected


@pytest.mark.parametrize(
    ("source", "message"),
    [
        pytest.param(key("configMap", "gone", "level"), 'configmap "gone" not found', id="no such object"),
        pytest.param(
            key("configMap", "settings", "none"), 'couldn\'t find key none in ConfigMap "settings"', id="no such key"
        ),
        pytest.param(key("configMap", "settings", "bad"), "env X: the value is not text", id="bytes"),
        pytest.param(key("configMap", "settings", "zero"), "env X: the value holds a zero byte", id="a zero byte"),
        pytest.param(field("status.phase"), 'field "status.phase" is not served by the node agent', id="an odd field"),
        pytest.param(
            {"name": "X", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
            "env X: this kind of valueFrom is not served by the node agent",
            id="an odd source",
        ),
    ],
)
def test_what_is_missing_is_named(source: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        variables(source)

    assert str(caught.value) == message


def test_later_variables_see_earlier_ones_and_win_over_whole_objects() -> None:
    found = variables(
        {"name": "A", "value": "$(login_password)-$(B)"},
        {"name": "B", "value": "$(A)"},
        {"name": "level", "value": "Debug"},
        envFrom=[
            {"prefix": "login_", "secretRef": {"name": "login"}},
            {"configMapRef": {"name": "gone", "optional": True}},
        ],
    )

    assert found == {"login_password": "s3cret", "A": "s3cret-$(B)", "B": "s3cret-$(B)", "level": "Debug"}


def test_the_image_stands_for_the_entrypoint_and_arguments_follow() -> None:
    assert command(make_container(args=["serve", "$(N)"], env=[{"name": "N", "value": "3"}])).argv == (
        *("/opt/app/bin/python", "-m", "app"),
        *("serve", "3"),
    )


def test_a_command_takes_the_entrypoints_place() -> None:
    assert command(make_container(command=["app", "--fast"], args=["x"])).argv == ("app", "--fast", "x")


def test_paths_are_rewritten_in_command_arguments_and_values_but_not_in_the_image() -> None:
    mounts = [{"name": "files", "mountPath": "/opt/app"}]
    environment = [{"name": "FILE", "value": "/opt/app/x"}, {"name": "LIST", "value": "a:/opt/app"}]

    found = command(make_container(args=["/opt/app", "$(FILE)"], env=environment, volumeMounts=mounts))

    root = "/scratch/pods/ns_web_u1"
    assert found.argv[0] == "/opt/app/bin/python"
    assert found.argv[-2:] == (f"{root}/opt/app", f"{root}/opt/app/x")
    assert (found.environment["FILE"], found.environment["LIST"]) == (f"{root}/opt/app/x", "a:/opt/app")


def test_nothing_of_the_agents_environment_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_ONLY", "secret")

    assert command(make_container()).environment == {
        "PATH": "/opt/app/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/scratch/pods/ns_web_u1/.agent/home",
        "HOSTNAME": "web",
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "TERMINATION_MESSAGE_PATH": "/scratch/pods/ns_web_u1/.agent/termination/main",
    }


@pytest.mark.parametrize(
    ("env", "expected"),
    [
        pytest.param([], "/scratch/pods/ns_web_u1/.agent/kubeconfig", id="given by the agent"),
        pytest.param([{"name": "KUBECONFIG", "value": "/own"}], "/own", id="the pod's own wins"),
    ],
)
def test_a_pod_with_a_service_account_gets_a_kubeconfig(env: list[dict[str, str]], expected: str) -> None:
    mounts = [{"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]

    assert command(make_container(env=env, volumeMounts=mounts)).environment["KUBECONFIG"] == expected


@pytest.mark.parametrize(
    ("working_dir", "expected"),
    [
        pytest.param("", "/scratch/pods/ns_web_u1", id="the pod's folder by default"),
        pytest.param("/data", "/scratch/pods/ns_web_u1/data", id="a mount"),
        pytest.param("/srv", "/srv", id="a folder of this machine"),
    ],
)
def test_the_working_directory(working_dir: str, expected: str) -> None:
    mounts = [{"name": "files", "mountPath": "/data"}]

    assert command(make_container(workingDir=working_dir, volumeMounts=mounts)).directory == expected
