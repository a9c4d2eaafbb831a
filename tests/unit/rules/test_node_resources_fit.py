"""NodeResourcesFit, the predicate: what is requested must be free."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import Node, Pod
from pointsman.kube.quantity import to_milli, to_value
from pointsman.policy.node_resources_args import NodeResourcesFitArgs
from pointsman.policy.predicates.node_resources_fit import NodeResourcesFit
from pointsman.policy.resource_names import is_counted
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod


def rule(**args: Any) -> NodeResourcesFit:
    return NodeResourcesFit("NodeResourcesFit", NodeResourcesFitArgs.model_validate(args))


RULE = rule()


def fits(builder: PodBuilder, target: NodeBuilder, *running: PodBuilder) -> bool:
    view = HandView([target.build()], [old.on(target.build().metadata.name).build() for old in running])
    return feasible(RULE, view, builder.info()) != []


def test_sidecars_and_init_containers_are_part_of_the_request() -> None:
    # C01: 3500m are free
    base, target = pod("base").container(cpu="500m"), node("n1").cpu("4")
    app = pod("p").container(name="app", cpu="2")
    proxy_first = app.init_container(name="proxy", cpu="1", restart_policy="Always")
    assert fits(proxy_first.init_container(name="migrate", cpu="2"), target, base)
    assert not fits(proxy_first.init_container(name="migrate", cpu="3"), target, base)
    migrate_first = app.init_container(name="migrate", cpu="3")
    assert fits(migrate_first.init_container(name="proxy", cpu="1", restart_policy="Always"), target, base)


def test_a_finished_init_container_still_takes_its_room() -> None:
    # C02: the node has 3500m, pod a counts max(3000m, 30m)
    peak = pod("a").init_container(name="init", cpu="3").container(cpu="30m")
    assert not fits(peak, node("n1").cpu("3500m"), peak)
    assert fits(pod("b").container(cpu="500m"), node("n1").cpu("3500m"), peak)


def test_overhead_counts_and_an_exact_fit_fits() -> None:
    # C04
    target, app = node("n1").cpu("1").memory("1Gi"), pod("p").container(cpu="900m")
    assert not fits(app.overhead(cpu="150m"), target)
    assert fits(app.overhead(cpu="100m"), target)


@pytest.mark.parametrize(
    ("builder", "room"), [(pod("a"), True), (pod("b").container(cpu="1m"), False), (pod("c").container(cpu="0"), True)]
)
def test_a_request_for_nothing_fits_an_overcommitted_node(builder: PodBuilder, room: bool) -> None:
    # C07: free is -500m
    old = pod("old").container(cpu="2500m")
    assert fits(builder, node("n1").cpu("2").pods(5), old) is room
    view = HandView([node("n1").cpu("2").pods(1).build()], [old.on("n1").build()])
    assert "Too many pods" in reasons(RULE, view, builder.info())["n1"]


@pytest.mark.parametrize("cpu", ["9223372036854775807", "10P"])
def test_a_cpu_request_that_overflows_fits_nowhere(cpu: str) -> None:
    # C09
    view = HandView([node("n1").cpu("4").build()])
    assert reasons(RULE, view, pod("p").container(cpu=cpu).info()) == {"n1": ("Insufficient cpu",)}


def test_ignored_extended_resources_are_not_checked() -> None:
    # C15
    view = HandView([node("n1").cpu("4").build()])
    info = pod("p").container(requests={"example.io/capacity": "1"}).info()
    assert reasons(RULE, view, info) == {"n1": ("Insufficient example.io/capacity",)}
    assert feasible(rule(ignoredResources=["example.io/capacity"]), view, info) == ["n1"]
    assert feasible(rule(ignoredResourceGroups=["example.io"]), view, info) == ["n1"]
    assert feasible(rule(ignoredResourceGroups=["example"]), view, info) == []


def test_only_extended_resources_can_be_ignored() -> None:
    view = HandView([node("n1").cpu("4").build()])
    info = pod("p").container(cpu="5", requests={"hugepages-2Mi": "2Mi"}).info()
    ignoring = rule(ignoredResources=["cpu", "hugepages-2Mi"])
    assert reasons(ignoring, view, info) == {"n1": ("Insufficient cpu", "Insufficient hugepages-2Mi")}


def test_ephemeral_storage_that_a_node_does_not_name_is_none() -> None:
    # C16
    both = pod("p").container(name="a", ephemeral_storage="2Mi").container(name="b", ephemeral_storage="10Mi")
    assert not fits(both, node("noeph").allocatable("ephemeral-storage", None))
    assert not fits(both, node("eph").allocatable("ephemeral-storage", "11Mi"))
    assert fits(both, node("eph").allocatable("ephemeral-storage", "12Mi"))


def test_terminating_pods_still_take_their_room() -> None:
    # C17: finished pods never reach the columns
    going, target = pod("going").container(cpu="1").terminating(), node("n1").cpu("2").pods(2)
    assert fits(pod("p1").container(cpu="1"), target, going)
    assert not fits(pod("p2").container(cpu="1500m"), target, going)


def test_a_node_without_a_pod_limit_takes_no_pods() -> None:
    view = HandView([node("n1").allocatable("pods", None).build()])
    assert reasons(RULE, view, pod("p").info()) == {"n1": ("Too many pods",)}


def test_all_that_is_missing_is_told_in_kube_schedulers_order() -> None:
    wants = {"z.io/b": "1", "a.io/b": "1", "hugepages-2Mi": "2Mi"}
    builder = pod("p").container(cpu="2", memory="2Gi", ephemeral_storage="2Gi", requests=wants)
    small = node("n1").cpu("1").memory("1Gi").allocatable("ephemeral-storage", "1Gi").pods(0)
    view = HandView([small.build(), node("n2").allocatable("hugepages-2Mi", "2Mi").build()])
    assert reasons(RULE, view, builder.info()) == {
        "n1": (
            "Too many pods",
            "Insufficient cpu",
            "Insufficient memory",
            "Insufficient ephemeral-storage",
            "Insufficient a.io/b",
            "Insufficient hugepages-2Mi",
            "Insufficient z.io/b",
        ),
        "n2": ("Insufficient a.io/b", "Insufficient z.io/b"),
    }
    counted = RULE.count_reasons(RULE.prepare(builder.info(), view), view.rows)
    assert counted["Insufficient a.io/b"] == 2
    assert counted["Insufficient cpu"] == 1


def test_names_that_kube_scheduler_drops_are_neither_met_nor_missed() -> None:
    assert fits(pod("p").container(requests={"storage": "5", "gpu": "1"}), node("n1"))


def test_usage_beyond_64_bits_leaves_no_room() -> None:
    """In kube-scheduler 2 * (2**63 - 1) wraps to -2, so that 32Gi and 2 bytes are free."""
    largest = str(2**63 - 1)
    running = [pod(name).container(memory=largest) for name in ("one", "two")]
    assert not fits(pod("p").container(memory=1), node("n1").memory("32Gi"), *running)
    assert not fits(pod("p").container(memory=1), node("n1").memory(largest), *running)


def test_the_state_has_no_room_either_when_such_pods_are_added() -> None:
    largest = pod("large").container(memory=str(2**63 - 1)).info()
    view = HandView([node("n1").memory("32Gi").build()])
    state = RULE.prepare(pod("p").container(memory="1Gi").info(), view)
    assert not RULE.feasible(RULE.with_pods(state, 1, (largest,), ()), view.rows).any()
    assert not RULE.feasible(RULE.with_pods(state, 1, (largest, largest), ()), view.rows).any()


def test_adding_and_removing_pods_leaves_the_state_as_it_was() -> None:
    old = pod("old").container(cpu="3").on("n1")
    view = HandView([node("n1").cpu("4").build(), node("n2").cpu("1").build()], [old.build()])
    state = RULE.prepare(pod("p").container(cpu="2").info(), view)
    without = RULE.with_pods(state, 1, (), (old.info(),))
    assert RULE.feasible(state, view.rows).tolist() == [False, False]
    assert RULE.feasible(without, view.rows).tolist() == [True, False]
    both = RULE.with_pods(without, 2, (), (old.info(),))
    assert RULE.feasible(both, view.rows).tolist() == [True, True]
    assert RULE.reasons(state, 1) == ("Insufficient cpu",)


def plain_reasons(pending: Pod, target: Node, running: list[Pod]) -> list[str]:
    """The semantics, one node at a time, on pods without init containers' order: sums come from the accounting."""
    here = [PodBuilder(old).info() for old in running if old.spec.node_name == target.metadata.name]
    found = []
    if len(here) + 1 > to_value(target.status.allocatable.get("pods", "0")):
        found.append("Too many pods")
    requests = PodBuilder(pending).info().requests
    for name in sorted(requests, key=lambda name: (["cpu", "memory", "ephemeral-storage", name].index(name), name)):
        read = to_milli if name == "cpu" else to_value
        there = read(target.status.allocatable.get(name, "0")) if is_counted(name) else 0
        if requests[name] > there - sum(old.usage.get(name, 0) for old in here):
            found.append(f"Insufficient {name}")
    return found


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    expected = {entry.metadata.name: tuple(plain_reasons(pending, entry, running)) for entry in nodes}
    view, info = HandView(nodes, running), PodBuilder(pending).info()
    assert feasible(RULE, view, info) == [name for name, found in expected.items() if not found]
    assert reasons(RULE, view, info) == {name: found for name, found in expected.items() if found}


@few_worlds
@given(clusters.worlds(), st.data())
def test_a_state_with_pods_equals_a_cluster_with_them(
    world: tuple[tuple[Node, ...], list[Pod], Pod], data: st.DataObject
) -> None:
    nodes, running, pending = world
    info = PodBuilder(pending).info()
    before, row = HandView(nodes, running), data.draw(st.integers(1, len(nodes)))
    here = [old for old in running if old.spec.node_name == before.node_name(row)]
    gone = data.draw(st.lists(st.sampled_from(here), unique_by=id)) if here else []
    new = data.draw(clusters.pods("new", on=before.node_name(row)))
    after = HandView(nodes, [old for old in running if old not in gone] + [new])
    changed = RULE.with_pods(
        RULE.prepare(info, before), row, (PodBuilder(new).info(),), [PodBuilder(old).info() for old in gone]
    )
    passing = [before.node_name(found) for found in before.rows[RULE.feasible(changed, before.rows)].tolist()]
    assert passing == feasible(RULE, after, info)
