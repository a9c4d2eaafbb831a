"""What a process of a pod finds: its ConfigMaps as files, its environment, its credentials."""

import ast
import json
from typing import Any

from tests.agent.conftest import IMAGE, Agents, is_ready, main_status, until
from tests.agent.programs import FOREVER, LISTEN, POD_IP, WHO_AM_I
from tests.controlplane.plane import ControlPlane

SHOW = """
import os, pathlib, sys
print(sorted(path.name for path in pathlib.Path(sys.argv[1]).iterdir()))
print(pathlib.Path(os.environ['FILE']).read_text())
print(os.environ['GREETING'], sys.argv[2])
print(list(os.environ))
"""


def config_map(agents: Agents, name: str, data: dict[str, str], **fields: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": agents.namespace}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data, **fields}


async def test_a_pod_reads_its_config_map_by_the_paths_that_it_was_told(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(config_map(agents, "settings", {"greeting": "hello", "policy.json": "{}"}, immutable=True))
    environment = [
        {"name": "FILE", "value": "/etc/settings/policy.json"},
        {"name": "GREETING", "valueFrom": {"configMapKeyRef": {"name": "settings", "key": "greeting"}}},
        {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
    ]
    pod = agents.pod(
        "reader",
        *("-c", SHOW, "/etc/settings", "$(GREETING)-$(NAME)"),
        env=environment,
        volumeMounts=[{"name": "settings", "mountPath": "/etc/settings"}],
        spec={
            "volumes": [{"name": "settings", "configMap": {"name": "settings"}}],
            "restartPolicy": "Never",
            "automountServiceAccountToken": False,
        },
    )

    await agents.apply(pod)

    ended = main_status(await agents.until_phase("reader", "Succeeded"))["state"]["terminated"]
    assert (ended["exitCode"], ended["reason"]) == (0, "Completed")
    lines = agent.logs(agents.namespace, "reader").splitlines()
    assert lines[:3] == ["['greeting', 'policy.json']", "{}", "hello hello-reader"]
    given = {"FILE", "GREETING", "NAME"}
    own = {"PATH", "HOME", "HOSTNAME", "LANG", "PYTHONUNBUFFERED", "TERMINATION_MESSAGE_PATH"}
    assert set(ast.literal_eval(lines[3])) - {"LC_CTYPE"} == given | own  # Python itself may set LC_CTYPE


async def test_a_changed_config_map_is_followed(agents: Agents) -> None:
    agent = await agents.start(refresh_seconds=0.2)
    await agents.apply(config_map(agents, "settings", {"level": "Info", "old": ""}))
    mounts = [{"name": "settings", "mountPath": "/etc/settings"}]
    spec = {"volumes": [{"name": "settings", "configMap": {"name": "settings"}}]}
    await agents.apply(agents.pod("reader", "-c", FOREVER, spec=spec, volumeMounts=mounts))
    await agents.until_ready("reader")
    folder = agent.folder_of(agents.namespace, "reader") / "etc/settings"

    def content() -> dict[str, str]:
        return {path.name: path.read_text() for path in folder.iterdir()}

    assert content() == {"level": "Info", "old": ""}

    await agents.apply(config_map(agents, "settings", {"level": "Debug", "more": "x"}))

    await until(lambda: content() == {"level": "Debug", "more": "x"}, "the new content")


async def test_a_missing_config_map_is_named_and_waited_for(agents: Agents) -> None:
    await agents.start()
    spec = {"volumes": [{"name": "late", "configMap": {"name": "late"}}]}
    await agents.apply(agents.pod("waiter", "-c", FOREVER, spec=spec))

    def says_what_is_missing(pod: dict[str, Any]) -> bool:
        waiting = main_status(pod).get("state", {}).get("waiting", {})
        return bool(waiting.get("message") == 'configmap "late" not found')

    await agents.until("waiter", says_what_is_missing, "to say what is missing")
    await agents.apply(config_map(agents, "late", {}))

    await agents.until("waiter", is_ready, "to be ready")


async def test_a_pods_token_works_and_the_audit_log_names_the_pod(agents: Agents, control_plane: ControlPlane) -> None:
    agent = await agents.start()
    await agents.apply(agents.pod("caller", "-c", WHO_AM_I, spec={"restartPolicy": "Never"}))

    await agents.until_phase("caller", "Succeeded")

    review, namespace = agent.logs(agents.namespace, "caller").splitlines()
    user = json.loads(review)["status"]["userInfo"]
    assert user["username"] == f"system:serviceaccount:{agents.namespace}:default"
    assert namespace == agents.namespace

    def calls() -> list[str]:
        return [event.user.username for event in control_plane.audit() if event.pod == "caller"]

    assert await until(calls, "the call in the audit log") == [user["username"]]


async def test_init_containers_run_in_order_before_the_others(agents: Agents) -> None:
    agent = await agents.start()
    mounts = [{"name": "work", "mountPath": "/scratch"}]
    step = "import sys; open(sys.argv[1], 'a').write(sys.argv[2] + ' ')"
    init = [
        {"name": name, "image": IMAGE, "args": ["-c", step, "/scratch/steps", name], "volumeMounts": mounts}
        for name in ("first", "second")
    ]
    spec = {"initContainers": init, "volumes": [{"name": "work", "emptyDir": {}}], "restartPolicy": "Never"}
    show = "import sys; print(open(sys.argv[1]).read())"
    await agents.apply(agents.pod("steps", "-c", show, "/scratch/steps", spec=spec, volumeMounts=mounts))

    pod = await agents.until_phase("steps", "Succeeded")

    assert agent.logs(agents.namespace, "steps", "main").split() == ["first", "second"]
    assert [status["ready"] for status in pod["status"]["initContainerStatuses"]] == [True, True]


async def test_a_sidecar_is_up_before_the_others_and_ends_after_them(agents: Agents) -> None:
    agent = await agents.start()
    mounts = [{"name": "work", "mountPath": "/scratch"}]
    sidecar = {
        "name": "sidecar",
        "image": IMAGE,
        "args": ["-c", LISTEN, "/scratch/sidecar"],
        "env": [POD_IP],
        "restartPolicy": "Always",
        "startupProbe": {"tcpSocket": {"port": 8080}, "periodSeconds": 1},
        "volumeMounts": mounts,
    }
    stranger = {"name": "stranger", "image": "registry.example/unknown:1"}
    spec = {
        "initContainers": [stranger, sidecar],
        "volumes": [{"name": "work", "emptyDir": {}}],
        "restartPolicy": "Never",
    }
    show = "import sys; print(open(sys.argv[1]).read())"
    await agents.apply(agents.pod("pair", "-c", show, "/scratch/sidecar", spec=spec, volumeMounts=mounts))

    pod = await agents.until_phase("pair", "Succeeded")

    assert agent.logs(agents.namespace, "pair", "main") == "ready\n"
    states = {status["name"]: status["state"] for status in pod["status"]["initContainerStatuses"]}
    assert states["stranger"]["terminated"]["reason"] == "Completed"
