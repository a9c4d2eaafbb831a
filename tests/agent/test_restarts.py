"""Containers that end: their last words, when they are started again, and what their probes have to do with it."""

import signal
from typing import Any

import pytest

from tests.agent.conftest import Agents, condition, is_alive, is_ready, main_status
from tests.agent.programs import FOREVER, LAST_WORDS, http_probe, server


def restarted(pod: dict[str, Any]) -> bool:
    return bool(main_status(pod).get("restartCount") == 1)


def restarted_and_ready(pod: dict[str, Any]) -> bool:
    return restarted(pod) and is_ready(pod)


async def test_a_crash_is_restarted_with_back_off_and_its_last_words_are_told(agents: Agents) -> None:
    await agents.start()

    def backs_off(pod: dict[str, Any]) -> bool:
        return bool(main_status(pod).get("state", {}).get("waiting", {}).get("reason") == "CrashLoopBackOff")

    await agents.apply(agents.pod("crasher", "-c", LAST_WORDS))

    pod = await agents.until("crasher", backs_off, "to back off")
    status = main_status(pod)
    assert f"restarting failed container=main pod={agents.namespace}/crasher" in status["state"]["waiting"]["message"]
    ended = status["lastState"]["terminated"]
    assert (ended["exitCode"], ended["reason"], ended["message"]) == (2, "Error", "no such policy")
    assert status["restartCount"] >= 1  # the first restart does not wait
    assert (condition(pod, "Ready"), pod["status"]["phase"]) == ("False", "Running")


@pytest.mark.parametrize(
    ("policy", "message"),
    [
        pytest.param("FallbackToLogsOnError", "ModuleNotFoundError: No module named 'rack'\n", id="from the log"),
        pytest.param("File", "", id="or nowhere"),
    ],
)
async def test_a_failure_without_last_words(agents: Agents, policy: str, message: str) -> None:
    await agents.start()
    spec = {"restartPolicy": "Never"}
    await agents.apply(agents.pod("failing", "-c", "import rack", terminationMessagePolicy=policy, spec=spec))

    ended = main_status(await agents.until_phase("failing", "Failed"))["state"]["terminated"]

    assert ended["exitCode"] == 1
    assert ended.get("message", "").endswith(message)
    assert bool(ended.get("message")) == bool(message)


async def test_a_program_that_does_not_exist_is_named(agents: Agents) -> None:
    await agents.start()
    await agents.apply(agents.pod("typo", command=["pythn"], spec={"restartPolicy": "Never"}))

    ended = main_status(await agents.until_phase("typo", "Failed"))["state"]["terminated"]

    assert (ended["exitCode"], ended["message"]) == (127, "cannot run pythn: No such file or directory\n")


async def test_a_killed_process_is_started_again_and_its_signal_is_told(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(agents.pod("victim", "-c", FOREVER))
    await agents.until_ready("victim")
    first = agent.pid_of(agents.namespace, "victim")

    agent.kill(agents.namespace, "victim", signal.SIGKILL)

    ended = main_status(await agents.until("victim", restarted_and_ready, "to be back"))["lastState"]["terminated"]
    assert (ended["exitCode"], ended["signal"]) == (137, 9)
    assert agent.pid_of(agents.namespace, "victim") != first
    assert not is_alive(first)


async def test_a_container_that_fails_its_liveness_probe_is_restarted(agents: Agents) -> None:
    agent = await agents.start()
    liveness = http_probe(failureThreshold=1)
    await agents.apply(server(agents, "sickly", livenessProbe=liveness, readinessProbe=http_probe("/")))
    await agents.until_ready("sickly")

    sick = agent.folder_of(agents.namespace, "sickly") / "state" / "sick"
    sick.touch()

    pod = await agents.until("sickly", restarted, "to be restarted")
    assert "failed its liveness probe" in main_status(pod)["lastState"]["terminated"]["message"]
    sick.unlink()
    await agents.until_ready("sickly")


async def test_a_frozen_container_becomes_unready_and_thaws(agents: Agents) -> None:
    agent = await agents.start()
    await agents.apply(server(agents, "frozen", readinessProbe=http_probe(failureThreshold=1)))
    await agents.until_ready("frozen")

    agent.kill(agents.namespace, "frozen", signal.SIGSTOP)
    pod = await agents.until("frozen", lambda pod: not is_ready(pod), "to be unready")
    agent.kill(agents.namespace, "frozen", signal.SIGCONT)

    assert main_status(pod)["restartCount"] == 0
    await agents.until_ready("frozen")
