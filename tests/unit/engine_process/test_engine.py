"""A whole engine on a small API server: what happens to pods, and what is told about them."""

import json

import pytest
from tests.unit.engine_process.harness import engine, ours, read_report, world
from tests.unit.engine_process.mini_api import until
from tests.unit.engine_process.policies import Broken, policy, with_predicate

from pointsman.api.report import Attempts
from pointsman.kube.objects import LabelSelector
from pointsman.policy.document import PodsEntry
from pointsman.testing.builders import node


async def test_pods_are_bound_told_about_and_counted() -> None:
    api = world([node("n1"), node("n2")], [ours(f"p{number}") for number in range(5)])
    async with engine(api) as running:
        await until(lambda: len(api.bindings) == 5)
        api.put("pods", ours("late").manifest())
        await until(lambda: len(api.bindings) == 6 and len(api.events) == 6)
        report = await running.report()
    assert {node_name for _, node_name in api.bindings} <= {"n1", "n2"}
    event = next(event for event in api.events if event["regarding"]["name"] == "late")
    assert event["note"] == f"Successfully assigned default/late to {api.node_of('late')}"
    assert (event["reason"], event["type"], event["action"]) == ("Scheduled", "Normal", "Binding")
    assert (event["reportingController"], event["reportingInstance"]) == ("ours", "ours-engine-p-1")
    assert report.attempts.scheduled == 6
    assert report.pending.total == 0
    assert report.p99_milliseconds == 0  # the clock stood still


async def test_a_pod_that_fits_nowhere_is_told_so_once_and_bound_when_a_node_comes() -> None:
    api = world([node("n1").cpu("1")], [ours("big").container(cpu="2")])
    async with engine(api) as running:
        await until(lambda: api.condition("big") != {} and len(api.events) == 1)
        told = api.condition("big")
        assert told == {
            "type": "PodScheduled",
            "status": "False",
            "reason": "Unschedulable",
            "message": "0/1 nodes are available: 1 Insufficient cpu.",
            "lastProbeTime": None,
            "lastTransitionTime": "2026-01-01T00:00:00Z",
            "observedGeneration": 1,
        }
        event = api.events[0]
        assert (event["reason"], event["type"], event["action"]) == ("FailedScheduling", "Warning", "Scheduling")
        assert event["note"] == told["message"]
        report = await running.report()
        assert [(one.reason, one.pods) for one in report.unschedulable_reasons] == [("Insufficient cpu", 1)]
        assert report.pending.unschedulable == 1
        assert len(api.status_patches) == 1
        api.put("nodes", node("n2").cpu("4").manifest())
        await until(lambda: api.node_of("big") == "n2")


async def test_pods_of_other_schedulers_are_counted_on_their_nodes_and_left_alone() -> None:
    foreign = ours("foreign", "default-scheduler").container(cpu="3")
    api = world([node("n1").cpu("4")], [foreign, foreign.metadata(name="on", uid="on").on("n1")])
    api.put("pods", ours("p").container(cpu="2").manifest())
    async with engine(api) as running:
        await until(lambda: api.condition("p") != {})
        await running.clock.advance(60)
    assert api.bindings == []
    assert api.condition("foreign") == {}
    assert {event["regarding"]["name"] for event in api.events} == {"p"}


async def test_a_pod_in_a_namespace_that_is_not_served_is_told_why_until_its_namespace_is() -> None:
    served = PodsEntry(namespace_selector=LabelSelector(match_labels={"team": "ml"}))
    api = world(pods=[ours("p")])
    async with engine(api, policy(pods=served)):
        await until(lambda: api.condition("p") != {})
        assert api.condition("p")["message"] == (
            "namespace default is not served by SchedulerProfile p (spec.pods.namespaceSelector)"
        )
        labelled = {"name": "default", "uid": "namespace-default", "labels": {"team": "ml"}}
        api.put("namespaces", {"metadata": labelled})
        await until(lambda: api.node_of("p") == "n1")


async def test_gated_pods_wait_without_a_word_from_us() -> None:
    api = world(pods=[ours("p").gate("hold")])
    async with engine(api) as running:
        report = await running.report()
        assert (report.pending.gated, report.pending.total) == (1, 0)
        assert (api.bindings, api.events, api.status_patches) == ([], [], [])
        api.put("pods", ours("p").manifest())
        await until(lambda: api.node_of("p") == "n1")


async def test_a_rule_that_raises_costs_its_pod_an_attempt_and_nobody_else_anything() -> None:
    api = world(pods=[ours("victim").priority(10), ours("bystander")])
    async with engine(api, with_predicate(policy(), Broken("victim"))) as running:
        await until(lambda: api.node_of("bystander") == "n1" and api.condition("victim") != {})
        assert api.condition("victim")["reason"] == "SchedulerError"
        assert api.condition("victim")["message"] == "rule Broken failed: KeyError: 'rack'"
        report = await running.report()
        assert report.attempts.error > 1  # tried again after back-off
        assert report.attempts.scheduled == 1


async def test_several_policies_share_a_process_and_each_serves_its_own_pods() -> None:
    api = world([node("n1").cpu("2")], [ours("a").container(cpu="1"), ours("b", "theirs").container(cpu="1")])
    async with engine(api, policy(), policy("q", "theirs")) as running:
        await until(lambda: len(api.bindings) == 2 and len(api.events) == 2)
        assert {event["reportingController"] for event in api.events} == {"ours", "theirs"}
        api.put("pods", ours("c", "theirs").container(cpu="1").manifest())
        await until(lambda: api.condition("c") != {})  # it counts what the other policy placed
        await running.clock.advance(12)
        profiles = read_report(api).profiles
    assert [profiles[name].attempts.scheduled for name in ("p", "q")] == [1, 1]
    assert profiles["q"].attempts.unschedulable == 1


async def test_heartbeats_of_nodes_do_not_put_hopeless_pods_in_front_of_others() -> None:
    hopeless = [ours(f"hopeless-{n}").priority(1000).select("nowhere", "1") for n in range(200)]
    api = world([node("n1")], hopeless)
    async with engine(api) as running:
        await until(lambda: len(api.status_patches) == 200)
        for beat in range(20):
            manifest = node("n1").manifest()
            manifest["status"]["conditions"] = [{"type": "Ready", "status": "True", "lastHeartbeatTime": f"{beat}"}]
            api.put("nodes", manifest)
            await running.clock.advance(0.1)
        api.put("pods", ours("small").manifest())
        await until(lambda: api.node_of("small") == "n1")
        report = await running.report()
    assert report.attempts == Attempts(scheduled=1, unschedulable=200)
    assert report.unschedulable_reasons[0].pods == 200


async def test_pods_are_bound_although_events_may_not_be_written() -> None:
    api = world(pods=[ours("p")])
    api.refuse["events"] = 403
    async with engine(api):
        await until(lambda: api.node_of("p") == "n1")
    assert api.events == []


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/healthz", "ok\n", id="healthz"),
        pytest.param("/readyz", "ok\n", id="readyz"),
        pytest.param(
            "/metrics", 'scheduler_schedule_attempts_total{profile="p",result="scheduled"} 1.0', id="attempts"
        ),
        pytest.param("/metrics", 'scheduler_pending_pods{queue="unschedulable"} 1.0', id="pending pods"),
        pytest.param(
            "/metrics", 'scheduler_unschedulable_pods{plugin="NodeResourcesFit",profile="p"} 1.0', id="rejectors"
        ),
        pytest.param("/metrics", 'leader_election_master_status{name="engine-p"} 1.0', id="leader"),
        pytest.param("/metrics", 'scheduler_cache_size{type="nodes"} 1.0', id="cache"),
        pytest.param(
            "/metrics",
            'scheduler_queue_incoming_pods_total{event="UnschedulablePodAdd",queue="active"} 2.0',
            id="incoming",
        ),
        pytest.param("/metrics", 'scheduler_pod_scheduling_sli_duration_seconds_count{attempts="1"} 1.0', id="sli"),
    ],
)
async def test_its_pages_tell_how_it_is(path: str, expected: str) -> None:
    api = world([node("n1").cpu("1")], [ours("p"), ours("big").container(cpu="2")])
    async with engine(api) as running:
        await until(lambda: len(api.bindings) == 1 and len(api.events) == 2)
        status, text = await running.page(path)
    assert status == 200
    assert expected in text


async def test_configz_shows_the_policy_in_force_and_its_hash() -> None:
    in_force = policy()
    async with engine(world(), in_force) as running:
        _, text = await running.page("/configz")
    (shown,) = json.loads(text)["policies"]
    assert (shown["profile"], shown["hash"]) == ("p", in_force.hash)
    assert shown["policy"]["schedulerName"] == "ours"
