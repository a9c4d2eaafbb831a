"""Nothing is left behind: processes end with their pod and with their agent, however that ends."""

import asyncio
import json
import signal
import sys
from pathlib import Path
from typing import Any

from tests.agent.conftest import IMAGE, Agents, is_alive, is_ready, main_status, until
from tests.agent.programs import FOREVER, STUBBORN, http_probe, server
from tests.controlplane.plane import ControlPlane


async def test_a_deployment_becomes_available_by_its_probe_and_leaves_no_process(
    agents: Agents, control_plane: ControlPlane
) -> None:
    agent = await agents.start()
    template = {"metadata": {"labels": {"app": "web"}}, "spec": server(agents, "", readinessProbe=http_probe())["spec"]}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "namespace": agents.namespace},
        "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template},
    }

    def pods() -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = control_plane.get("pods", "-n", agents.namespace)["items"]
        return found

    await agents.apply(deployment)

    await agents.kubectl("wait", "--for=condition=Available", "deployment/web", "--timeout=30s")
    pids = {agent.pid_of(agents.namespace, pod["metadata"]["name"]) for pod in await asyncio.to_thread(pods)}
    assert len(pids) == 2
    assert all(map(is_alive, pids))

    await agents.kubectl("delete", "deployment", "web")

    await until(lambda: not pods(), "the pods to go")
    assert not any(map(is_alive, pids))


async def test_a_deleted_pod_is_asked_to_end_and_then_made_to(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(agents.pod("stubborn", "-c", STUBBORN, spec={"terminationGracePeriodSeconds": 1}))
    await agents.until_ready("stubborn")
    await until(lambda: "up" in agent.logs(agents.namespace, "stubborn"), "the program to be up")
    pid, folder = agent.pid_of(agents.namespace, "stubborn"), agent.folder_of(agents.namespace, "stubborn")

    await agents.kubectl("delete", "pod", "stubborn", "--timeout=20s")

    assert not is_alive(pid)
    assert not folder.exists()
    assert agent.logs(agents.namespace, "stubborn") == "up\nasked\n"


async def test_a_pod_that_is_forced_away_leaves_no_process(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(agents.pod("forced", "-c", FOREVER))
    await agents.until_ready("forced")
    pid, folder = agent.pid_of(agents.namespace, "forced"), agent.folder_of(agents.namespace, "forced")

    await agents.kubectl("delete", "pod", "forced", "--force", "--grace-period=0")

    await until(lambda: not is_alive(pid) and not folder.exists(), "process and folder to go")


async def test_a_node_that_is_taken_away_takes_its_processes_along(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(agents.pod("stranded", "-c", FOREVER))
    await agents.until_ready("stranded")
    pid = agent.pid_of(agents.namespace, "stranded")

    await agent.remove_nodes([agents.node])

    await until(lambda: not is_alive(pid), "the process to end")
    assert is_ready(await asyncio.to_thread(agents.get, "stranded"))  # nobody is left to say otherwise


async def test_processes_end_with_the_agent_and_the_next_one_restarts_them(agents: Agents) -> None:
    first = await agents.start(remove_nodes_on_exit=False)
    await agents.apply(agents.pod("survivor", "-c", FOREVER))
    before = await agents.until_ready("survivor")
    pid = first.pid_of(agents.namespace, "survivor")

    await agents.stack.aclose()
    ended = not is_alive(pid)
    await agents.start()

    def back(pod: dict[str, Any]) -> bool:
        return main_status(pod)["restartCount"] == 1 and is_ready(pod)

    assert ended
    pod = await agents.until("survivor", back, "to be back")
    assert main_status(pod)["lastState"]["terminated"]["exitCode"] == 137
    assert pod["status"]["podIP"] == before["status"]["podIP"]


async def start_command(agents: Agents, folder: Path, *options: str) -> asyncio.subprocess.Process:
    """`pointsman node-agent` for one node, as a process of its own."""
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pointsman", "node-agent", "--kubeconfig", str(agents.plane.kubeconfig)),
        *("--name-prefix", f"{agents.node}-", "--nodes", "1", "--work-dir", str(folder), *options),
        stderr=asyncio.subprocess.DEVNULL,
    )


async def test_the_command_plays_nodes_until_it_is_told_to_end(agents: Agents, tmp_path: Path) -> None:
    options = ("--label", "pool=gpu", "--taint", "gpu:NoSchedule", "--extended", "example.com/x=2")
    agent = await start_command(agents, tmp_path, "--remove-nodes-on-exit", "--cpu", "2", *options)

    def node() -> dict[str, Any]:
        shown = agents.plane.kubectl("get", "node", f"{agents.node}-0", "-o", "json", check=False)
        return dict(json.loads(shown.stdout)) if shown.stdout else {}

    try:
        found = await until(node, "the node")
        agent.send_signal(signal.SIGTERM)
        code = await agent.wait()
    finally:
        if agent.returncode is None:
            agent.kill()
            await agent.wait()

    assert found["metadata"]["labels"]["pool"] == "gpu"
    assert found["spec"]["taints"] == [{"key": "gpu", "effect": "NoSchedule"}]
    assert found["status"]["allocatable"].items() >= {"cpu": "2", "example.com/x": "2"}.items()
    assert code == 0
    assert await asyncio.to_thread(node) == {}


async def test_processes_die_with_an_agent_that_is_killed(agents: Agents, tmp_path: Path) -> None:
    agent = await start_command(agents, tmp_path, "--image", f"{IMAGE}={sys.executable}")
    tell = f"import os; print(os.getpid(), flush=True)\n{FOREVER}"

    def told() -> int:
        logs = [path.read_text().split() for path in tmp_path.glob("logs/*_orphan_*/main/0.log")]
        return int(logs[0][0]) if logs and "up" in logs[0] else 0

    try:
        await agents.apply(agents.pod("orphan", "-c", tell, spec={"nodeName": f"{agents.node}-0"}))
        pid = await until(told, "the process to tell its id")
    finally:
        agent.kill()
        await agent.wait()

    await until(lambda: not is_alive(pid), "the process to die")
    await agents.kubectl("delete", "node", f"{agents.node}-0")
