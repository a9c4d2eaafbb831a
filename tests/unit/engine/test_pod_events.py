"""Pod events and assumptions: who is charged where, whatever order the news comes in."""

import msgspec
import pytest
from tests.unit.engine.worlds import cluster, happened, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import Affinity, PodAffinity, PodAffinityTerm, Resources
from pointsman.policy.pod import HostPort
from pointsman.policy.rule import Happening
from pointsman.policy.view import TermKind
from pointsman.testing.builders import PodBuilder, host_port, node, pod

N1 = node("n1").cpu("4").pods(10)
MIB_200 = 200 * 2**20


def used(world: Cluster, name: str = "n1") -> tuple[int, int]:
    """Millicores requested and pods on a node."""
    at = row(world, name)
    return int(world.requested("cpu")[at]), int(world.pod_count()[at])


def gone(builder: PodBuilder) -> str:
    return builder.build().metadata.uid


def test_a_pod_counts_on_its_node_whoever_placed_it() -> None:
    foreign = pod("f").spec(scheduler_name="default-scheduler").container(cpu="3", memory="1Gi").on("n1")
    world = cluster(N1, foreign)
    at = row(world, "n1")
    assert used(world) == (3000, 1)
    assert world.requested("memory")[at] == 2**30
    assert [found.name for found in world.pods_on(at)] == ["f"]


def test_a_container_without_requests_counts_the_scoring_defaults() -> None:
    world = cluster(N1, pod("p").container().on("n1"))
    at = row(world, "n1")
    assert used(world) == (0, 1)
    assert world.nonzero_requested("cpu")[at] == 100
    assert world.nonzero_requested("memory")[at] == MIB_200


def test_finished_pods_are_free_and_terminating_ones_are_not() -> None:
    """C17."""
    world = cluster(
        node("n1").cpu("2").pods(2),
        pod("done").container(cpu="2").on("n1").status(phase="Succeeded"),
        pod("bad").container(cpu="2").on("n1").status(phase="Failed"),
        pod("going").container(cpu="1").on("n1").terminating(),
    )
    assert used(world) == (1000, 1)


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_a_pod_that_finishes_frees_its_room_and_wakes_others(phase: str) -> None:
    """C17: the transition comes as an update."""
    running = pod("p").container(cpu="2", ports=(host_port(80),)).on("n1")
    world = cluster(N1, running)
    changes = world.upsert_pod(running.status(phase=phase).info())
    assert happened(changes) == [Happening.POD_DELETE]
    assert (changes[0].row, changes[0].pod.name if changes[0].pod else "") == (world.row_of("n1"), "p")
    assert used(world) == (0, 0)
    assert world.used_ports("TCP", 80) == ()


def test_assumed_pods_count_until_forgotten() -> None:
    """C33."""
    world = cluster(N1)
    pending = pod("p").container(cpu="3", ports=(host_port(80),)).info()
    world.assume(pending, "n1")
    assert used(world) == (3000, 1)
    assert world.pods_on(row(world, "n1")) == (pending,)
    assert happened(world.forget(pending.uid)) == [Happening.POD_DELETE]
    assert used(world) == (0, 0)
    assert world.forget(pending.uid) == ()


def test_the_bound_pod_takes_the_place_of_the_assumed_one() -> None:
    world = cluster(N1)
    pending = pod("p").container(cpu="3")
    world.assume(pending.info(), "n1")
    assert happened(world.upsert_pod(pending.on("n1").info())) == [Happening.POD_ADD]
    assert used(world) == (3000, 1)
    assert world.forget(gone(pending)) == (), "what was seen bound is not an assumption any more"
    assert used(world) == (3000, 1)


def test_a_pod_bound_elsewhere_than_assumed_moves() -> None:
    world = cluster(N1, node("n2"))
    pending = pod("p").container(cpu="3")
    world.assume(pending.info(), "n1")
    changes = world.upsert_pod(pending.on("n2").info())
    assert [(change.happening, change.row) for change in changes] == [
        (Happening.POD_DELETE, world.row_of("n1")),
        (Happening.POD_ADD, world.row_of("n2")),
    ]
    assert (used(world, "n1"), used(world, "n2")) == ((0, 0), (3000, 1))


def test_a_pod_is_assumed_on_one_node_at_most() -> None:
    """C105: retried while still assumed on the first node."""
    world = cluster(N1, node("n2"))
    pending = pod("p").container(cpu="3").info()
    world.assume(pending, "n1")
    with pytest.raises(ValueError, match=r"pod default/p cannot be assumed on node n2: it is on node n1"):
        world.assume(pending, "n2")
    assert (used(world, "n1"), used(world, "n2")) == ((3000, 1), (0, 0))


def test_a_failed_bind_restores_the_node_exactly_even_after_an_update_of_the_pod() -> None:
    """C105: an update of the pending pod arrives while its bind is in flight."""
    neighbour = pod("q").container(cpu="1").on("n1")
    world = cluster(N1, node("n2"), neighbour)
    pending = pod("p").container(cpu="3")
    world.assume(pending.info(), "n1")
    assert world.upsert_pod(pending.label("edited", "yes").info()) == ()
    assert used(world) == (4000, 2)
    world.forget(gone(pending))
    assert used(world) == (1000, 1)
    world.assume(pending.label("edited", "yes").info(), "n2")
    assert used(world, "n2") == (3000, 1)


def test_deleting_an_assumed_pod_frees_its_node() -> None:
    world = cluster(N1)
    pending = pod("p").container(cpu="3").info()
    world.assume(pending, "n1")
    assert happened(world.remove_pod(pending.uid)) == [Happening.POD_DELETE]
    assert used(world) == (0, 0)
    assert world.placement(pending.uid) is None


def test_two_schedulers_may_overcommit_and_a_refused_pod_frees_its_share() -> None:
    """C89: ours and a foreign pod race; the kubelet fails ours."""
    ours = pod("p1").container(cpu="3")
    world = cluster(N1)
    world.assume(ours.info(), "n1")
    world.upsert_pod(ours.on("n1").info())
    world.upsert_pod(pod("f").spec(scheduler_name="default-scheduler").container(cpu="3").on("n1").info())
    assert used(world) == (6000, 2)
    world.upsert_pod(ours.on("n1").status(phase="Failed").info())
    assert used(world) == (3000, 1)


def test_a_node_that_comes_back_under_its_name_finds_its_pods() -> None:
    """C101."""
    world = cluster(N1.label("zone", "a").taint("old"), pod("a").container(cpu="3").on("n1"))
    world.remove_node("n1")
    world.upsert_node(node("n1").cpu("2").pods(10).build())
    assert used(world) == (3000, 1)
    assert world.allocatable("cpu")[row(world, "n1")] == 2000
    assert world.taints() == {}
    assert world.labels("zone").ids[row(world, "n1")] == -1
    world.remove_pod("pod-default-a")
    assert used(world) == (0, 0)


def test_pods_of_unknown_nodes_wait_for_their_node() -> None:
    """C102."""
    lost = pod("lost").container(cpu="1").on("n9")
    world = cluster(N1, lost)
    (change,) = world.upsert_pod(pod("late").container(cpu="2").on("n9").info())
    assert (change.happening, change.row) == (Happening.POD_ADD, None)
    assert world.row_of("n9") is None
    assert used(world) == (0, 0)
    world.upsert_node(node("n9").build())
    assert used(world, "n9") == (3000, 2)


def test_events_of_pods_on_a_removed_node_do_no_harm() -> None:
    """C102."""
    there = pod("p").container(cpu="1", ports=(host_port(80),)).on("n1")
    world = cluster(N1, there)
    world.remove_node("n1")
    assert world.used_ports("TCP", 80) == ()
    assert world.upsert_pod(there.info()) == ()
    (change,) = world.remove_pod(gone(there))
    assert (change.happening, change.row) == (Happening.POD_DELETE, None)
    world.upsert_node(N1.build())
    assert used(world) == (0, 0)


def test_pods_with_anti_affinity_are_listed_with_their_rows_only_where_the_node_exists() -> None:
    """C102: a pod that points to a missing node must not break the others."""
    terms = (PodAffinityTerm(topology_key="kubernetes.io/hostname"),)
    required = Affinity(pod_anti_affinity=PodAffinity(required_during_scheduling_ignored_during_execution=terms))
    soft = Affinity(pod_anti_affinity=PodAffinity())
    world = cluster(
        N1,
        pod("here").spec(affinity=required).on("n1"),
        pod("nowhere").spec(affinity=required).on("n9"),
        pod("soft").spec(affinity=soft).on("n1"),
        pod("plain").on("n1"),
    )
    (carried,) = world.carried_terms(TermKind.REQUIRED_ANTI)
    assert carried.carriers.nonzero()[0].tolist() == [world.row_of("n1")]
    world.remove_pod("pod-default-here")
    assert world.carried_terms(TermKind.REQUIRED_ANTI) == ()


def test_a_deletion_that_was_missed_frees_room_and_ports_when_the_relist_tells() -> None:
    """C103: the reflector synthesises the delete."""
    full = pod("a").container(cpu="4", ports=(host_port(8080, "10.0.0.1"),)).on("n1")
    world = cluster(N1, full)
    assert world.port_users(HostPort("10.0.0.1", "TCP", 8080))[row(world, "n1")] == 1
    assert happened(world.remove_pod(gone(full))) == [Happening.POD_DELETE]
    assert used(world) == (0, 0)
    assert not world.port_users(HostPort("10.0.0.1", "TCP", 8080)).any()


def test_replayed_and_repeated_events_change_nothing() -> None:
    """C109."""
    there = pod("x").container(cpu="1", ports=(host_port(80),)).on("n1")
    world = cluster(N1, there)
    for _ in range(3):
        assert world.upsert_pod(there.info()) == ()
        assert world.upsert_node(N1.build()) == ()
    assert used(world) == (1000, 1)
    assert world.port_users(HostPort("0.0.0.0", "TCP", 80))[row(world, "n1")] == 1
    assert happened(world.remove_pod(gone(there))) == [Happening.POD_DELETE]
    assert world.remove_pod(gone(there)) == ()
    assert world.remove_pod("never-seen") == ()
    assert used(world) == (0, 0)


def test_an_update_is_split_into_labels_and_less_wanted() -> None:
    before = pod("p").container(cpu="2", memory="1Gi").on("n1")
    world = cluster(N1, before)
    assert happened(world.upsert_pod(before.label("app", "a").info())) == [Happening.POD_LABELS]
    smaller = pod("p").label("app", "a").container(cpu="1", memory="2Gi").on("n1")
    changes = world.upsert_pod(smaller.info())
    assert happened(changes) == [Happening.POD_SCALE_DOWN]
    assert changes[0].old_pod is not None
    assert changes[0].old_pod.usage["cpu"] == 2000
    larger = pod("p").label("app", "a").container(cpu="3", memory="2Gi").on("n1")
    assert world.upsert_pod(larger.info()) == ()
    assert used(world) == (3000, 1)


def test_a_resource_column_lives_as_long_as_somebody_names_it() -> None:
    """Names that pods invent do not pile up."""
    world = cluster(N1)
    for number in range(3):
        world.upsert_pod(pod(f"p{number}").container(requests={"example.com/x": 2}).on("n1").info())
    assert world.requested("example.com/x")[row(world, "n1")] == 6
    for number in range(3):
        world.remove_pod(f"pod-default-p{number}")
    assert not world.requested("example.com/x").any()
    assert "example.com/x" not in world._resources._of


def test_a_port_that_two_pods_use_is_free_when_both_are_gone() -> None:
    port = HostPort("0.0.0.0", "TCP", 80)
    first = pod("a").container(ports=(host_port(80), host_port(80))).on("n1")
    second = pod("b").container(ports=(host_port(80), host_port(80, "10.0.0.1"))).on("n1")
    world = cluster(N1, first, second)
    at = row(world, "n1")
    assert world.port_users(port)[at] == 2, "a port that one pod names twice counts once"
    assert set(world.used_ports("TCP", 80)) == {port, HostPort("10.0.0.1", "TCP", 80)}
    world.remove_pod(gone(first))
    assert world.port_users(port)[at] == 1
    world.remove_pod(gone(second))
    assert world.used_ports("TCP", 80) == ()


def test_sums_of_pods_beyond_int64_stay_sums_and_come_back() -> None:
    """A pod of 2^63-1 bytes counts as 2^53, two as twice that."""
    first, second = (pod(name).container(memory="9223372036854775807").on("n1") for name in "ab")
    world = cluster(N1, first, second)
    at = row(world, "n1")
    assert world.requested("memory")[at] == 2**54
    world.remove_pod(gone(first))
    assert world.requested("memory")[at] == 2**53
    world.remove_pod(gone(second))
    assert world.requested("memory")[at] == 0


def test_the_resize_of_a_running_pod_counts_what_its_status_says() -> None:
    running = pod("p").container(cpu="1").on("n1")
    world = cluster(N1, running)
    grown = msgspec.structs.replace(running.build().spec.containers[0], resources=Resources(requests={"cpu": "2"}))
    world.upsert_pod(running.spec(containers=(grown,)).info())
    assert used(world) == (2000, 1)
