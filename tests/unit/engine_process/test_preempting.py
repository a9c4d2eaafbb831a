"""A whole engine that preempts: what is written, in which order, and who gets the room."""

from collections.abc import Sequence

from tests.unit.engine_process.harness import engine, ours, world
from tests.unit.engine_process.mini_api import Json, MiniApi, until
from tests.unit.engine_process.policies import policy

from pointsman.policy.document import PreemptionEntry
from pointsman.policy.policy import Policy
from pointsman.testing.builders import PodBuilder, node, pod

N1 = node("n1").cpu("4")


def preempting() -> Policy:
    return policy(preemption=PreemptionEntry())


def low(name: str = "low", cpu: str = "4", on: str = "n1") -> PodBuilder:
    return pod(name).container(cpu=cpu).on(on).metadata(generation=2)


def graceful(pods: Sequence[PodBuilder]) -> MiniApi:
    """Pods on one node that take their time to end."""
    api = world([N1], pods)
    api.graceful = True
    return api


def deleted(api: MiniApi) -> list[str]:
    return [name for _, name in api.deletions]


def asking(name: str, priority: int, cpu: str = "4") -> PodBuilder:
    return ours(name).container(cpu=cpu).priority(priority)


def disruption(api: MiniApi, name: str) -> Json:
    conditions = api.pod(name)["status"].get("conditions", [])
    return next((one for one in conditions if one["type"] == "DisruptionTarget"), {})


def nominated(api: MiniApi, name: str) -> str:
    return str(api.pod(name)["status"].get("nominatedNodeName", ""))


async def test_a_victim_is_marked_deleted_and_told_and_its_room_goes_to_the_preemptor() -> None:
    api = graceful([low()])
    async with engine(api, preempting()) as running:
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: nominated(api, "high") == "n1" and len(api.events) == 2)
        assert deleted(api) == ["low"]
        assert disruption(api, "low") == {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "PreemptionByScheduler",
            "message": "ours: preempting to accommodate a higher priority pod",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "observedGeneration": 2,
        }
        assert api.condition("high")["message"] == "0/1 nodes are available: 1 Insufficient cpu."
        (event,) = api.events_of("Preempted")
        assert (event["regarding"]["name"], event["related"]["name"]) == ("low", "high")
        assert (event["type"], event["action"]) == ("Normal", "Preempting")
        assert event["note"] == "Preempted by pod pod-default-high on node n1"
        assert (await running.report()).preemptions == 1
        _, page = await running.page("/metrics")
        assert "scheduler_preemption_attempts_total 1.0" in page
        assert "scheduler_preemption_victims_count 1.0" in page
        api.delete("pods", "low", "default")
        await until(lambda: api.node_of("high") == "n1")
    assert deleted(api) == ["low"]


async def test_the_room_is_kept_before_the_status_of_the_preemptor_shows_its_nomination() -> None:
    # C48: neither an equal nor a lower pod may take the room although the watch is late.
    api = graceful([low()])
    async with engine(api, preempting()) as running:
        api.put("pods", asking("high", 100).manifest())
        api.withheld.add("high")
        await until(lambda: deleted(api) == ["low"] and nominated(api, "high") == "n1")
        api.put("pods", asking("small", 100, "1").manifest())
        api.put("pods", asking("tiny", 0, "1").manifest())
        await until(lambda: api.condition("small") != {} and api.condition("tiny") != {})
        api.delete("pods", "low", "default")
        await running.clock.advance(15)
        await until(lambda: api.node_of("high") == "n1")
    assert deleted(api) == ["low"]
    assert api.bindings == [("high", "n1")]


async def test_a_pod_of_higher_priority_may_take_the_room() -> None:
    api = graceful([low()])
    async with engine(api, preempting()) as running:
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: nominated(api, "high") == "n1")
        api.put("pods", asking("higher", 200).manifest())
        await until(lambda: nominated(api, "higher") == "n1" and nominated(api, "high") == "")
        api.delete("pods", "low", "default")
        await running.clock.advance(15)
        await until(lambda: api.node_of("higher") == "n1")
    assert deleted(api) == ["low"], "a victim that ends already is not deleted again"
    assert api.bindings == [("higher", "n1")]


async def test_a_preemptor_whose_evictions_fail_tries_again_after_back_off() -> None:
    api = graceful([low()])
    api.forbidden_deletions = 2
    async with engine(api, preempting()) as running:
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: api.forbidden_deletions == 1 and nominated(api, "high") == "n1")
        await running.clock.settle()
        assert api.forbidden_deletions == 1, "it does not try again at once"
        await running.clock.advance(20)
        await until(lambda: deleted(api) == ["low"])


async def test_several_victims_go_and_the_preemptor_comes_when_the_last_one_is_gone() -> None:
    victims = [low(name, "2") for name in ("a", "b")]
    api = graceful(victims)
    async with engine(api, preempting()) as running:
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: sorted(deleted(api)) == ["a", "b"])
        api.delete("pods", "a", "default")
        await running.clock.advance(5)
        assert api.node_of("high") == ""
        api.delete("pods", "b", "default")
        await running.clock.advance(15)
        await until(lambda: api.node_of("high") == "n1")
    assert len(deleted(api)) == 2
    assert len(api.events_of("Preempted")) == 2


async def test_an_attempt_that_comes_to_nothing_ends_the_nomination() -> None:
    stale = asking("high", 100, "8").status(nominated_node_name="n1")
    api = world([N1, node("n2").cpu("4")], [stale])
    async with engine(api, preempting()):
        await until(lambda: api.condition("high") != {} and nominated(api, "high") == "")
    assert api.condition("high")["message"].endswith("2 Preemption is not helpful for scheduling.")


async def test_without_preemption_nobody_goes() -> None:
    api = graceful([low()])
    async with engine(api, policy()) as running:
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: api.condition("high") != {})
        _, page = await running.page("/metrics")
    assert deleted(api) == []
    assert api.condition("high")["message"] == "0/1 nodes are available: 1 Insufficient cpu."
    assert "scheduler_preemption_attempts_total 0.0" in page


async def test_a_victim_whose_end_the_watch_has_not_shown_yet_is_not_evicted_twice() -> None:
    api = graceful([low()])
    async with engine(api, preempting()) as running:
        api.withheld.add("low")
        api.put("pods", asking("high", 100).manifest())
        await until(lambda: deleted(api) == ["low"] and nominated(api, "high") == "n1")
        await running.clock.advance(400)  # the five-minute flush has it tried again
        await until(lambda: "terminating pod" in api.condition("high")["message"])
        assert nominated(api, "high") == "n1"
    assert deleted(api) == ["low"]
    assert len(api.events_of("Preempted")) == 1
