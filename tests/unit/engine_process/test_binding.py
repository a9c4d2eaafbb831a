"""Bindings that go wrong, seen from outside: where the pod ends, what is told, what is counted."""

from collections.abc import Callable

import pytest
from tests.unit.engine_process.harness import engine, ours, world
from tests.unit.engine_process.mini_api import BindFault, MiniApi, until

from pointsman.testing.builders import node


async def test_a_binding_whose_answer_was_lost_is_a_binding() -> None:
    api = world(pods=[ours("p")])
    api.bind_faults.append(BindFault.LOSE_ANSWER)
    async with engine(api) as running:
        await until(lambda: len(api.events_of("Scheduled")) == 1)
        report = await running.report()
    assert api.bindings == [("p", "n1")]
    assert api.events_of("FailedScheduling") == []
    assert (report.attempts.scheduled, report.attempts.error, report.bind_conflicts) == (1, 0, 0)


@pytest.mark.parametrize("fault", [BindFault.SERVER_ERROR, BindFault.NO_ANSWER], ids=["500", "no answer"])
async def test_a_binding_that_failed_is_told_and_tried_again_after_backoff(fault: BindFault) -> None:
    api = world(pods=[ours("p").container(cpu="40")])  # of 64: a pod that stayed assumed would not fit twice
    api.bind_faults.append(fault)
    async with engine(api) as running:
        await until(lambda: api.condition("p") != {} and len(api.events) == 1)
        assert api.condition("p")["reason"] == "SchedulerError"
        assert api.condition("p")["message"].startswith('running Bind plugin "DefaultBinder": ')
        assert api.events[0]["note"] == api.condition("p")["message"]
        assert api.bindings == []
        await running.clock.advance(2)
        await until(lambda: api.node_of("p") == "n1")
        report = await running.report()
    assert (report.attempts.scheduled, report.attempts.error) == (1, 1)
    assert api.condition("p") == {"type": "PodScheduled", "status": "True"}


def _bound_elsewhere(api: MiniApi) -> None:
    api.bound("p", "n2")


def _deleted(api: MiniApi) -> None:
    api.delete("pods", "p", "default")


def _deleting(api: MiniApi) -> None:
    api.put("pods", ours("p").terminating().manifest())


def _replaced(api: MiniApi) -> None:
    api.delete("pods", "p", "default")
    api.put("pods", ours("p").metadata(uid="second").gate("g").manifest())


@pytest.mark.parametrize(
    ("meanwhile", "conflicts"),
    [
        pytest.param(_bound_elsewhere, 1, id="bound by somebody else"),
        pytest.param(_deleted, 0, id="deleted"),
        pytest.param(_deleting, 0, id="being deleted"),
        pytest.param(_replaced, 0, id="replaced by a gated namesake"),
    ],
)
async def test_a_pod_that_is_no_longer_ours_to_place_is_let_go_without_a_word(
    meanwhile: Callable[[MiniApi], None], conflicts: int
) -> None:
    api = world([node("n1").cpu("4")], [ours("p").container(cpu="3")])
    api.before_bind.append(lambda: meanwhile(api))
    async with engine(api) as running:
        await until(lambda: not api.before_bind)
        report = await running.report()
        assert (api.bindings, api.events, api.status_patches) == ([], [], [])
        assert (report.bind_conflicts, report.attempts.error, report.pending.total) == (conflicts, 0, 0)
        api.put("pods", ours("next").container(cpu="3").manifest())  # its room is free again
        await until(lambda: api.node_of("next") == "n1")


async def test_a_namesake_is_placed_as_a_pod_of_its_own() -> None:
    api = world(pods=[ours("p")])

    def replaced() -> None:
        api.delete("pods", "p", "default")
        api.put("pods", ours("p").metadata(uid="second").manifest())

    api.before_bind.append(replaced)
    async with engine(api) as running:
        await until(lambda: api.bindings == [("p", "n1")])
        report = await running.report()
    assert report.attempts.scheduled == 1
    assert [event["regarding"]["uid"] for event in api.events] == ["second"]


async def test_a_pod_bound_to_a_node_that_was_removed_meanwhile_is_counted_and_told() -> None:
    api = world(pods=[ours("p")])
    api.before_bind.append(lambda: api.delete("nodes", "n1"))
    async with engine(api) as running:
        await until(lambda: len(api.events) == 2)
        _, metrics = await running.page("/metrics")
    assert api.node_of("p") == "n1"  # the API server lets it happen
    assert {event["reason"] for event in api.events} == {"Scheduled", "NodeRemoved"}
    assert 'pointsman_pods_bound_to_removed_node_total{profile="p"} 1.0' in metrics


async def test_a_pod_that_another_scheduler_bound_first_is_charged_where_it_is() -> None:
    """Ours chose n1; it ended on n2. The room on n1 is free, that on n2 is taken."""
    api = world([node("n1").cpu("4")], [ours("p").container(cpu="4")])

    def bound_to_a_new_node() -> None:
        api.put("nodes", node("n2").cpu("4").manifest())
        api.bound("p", "n2")

    api.before_bind.append(bound_to_a_new_node)
    async with engine(api) as running:
        await until(lambda: not api.before_bind)
        await running.clock.settle()
        for name in ("a", "b"):
            api.put("pods", ours(name).container(cpu="4").manifest())
        await until(lambda: sorted(map(api.node_of, "ab")) == ["", "n1"] and len(api.status_patches) == 1)
