"""Node events: columns follow, and each update is split into what it means for pods that wait."""

from collections.abc import Callable

import pytest
from tests.unit.engine.worlds import cluster, happened, row

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import ContainerImage, Metadata, Namespace, NodeCondition
from pointsman.policy.rule import Happening
from pointsman.policy.view import TaintKey
from pointsman.testing.builders import NodeBuilder, node, pod

Edit = Callable[[NodeBuilder], NodeBuilder]
GI = 2**30


def test_a_new_node_has_a_row_and_a_removed_one_none() -> None:
    world = cluster(node("n1"), node("n2"))
    assert world.node_count == 2
    assert world.node_name(row(world, "n2")) == "n2"
    assert happened(world.remove_node("n2")) == [Happening.NODE_DELETE]
    assert world.row_of("n2") is None
    assert world.node_count == 1


def test_removing_an_unknown_node_is_no_news() -> None:
    assert cluster(node("n1")).remove_node("n9") == ()


def test_the_change_names_the_row_of_the_new_node() -> None:
    world = Cluster()
    (change,) = world.upsert_node(node("n1").build())
    assert (change.happening, change.row, change.view) == (Happening.NODE_ADD, world.row_of("n1"), world)


BASE = node("n1").label("zone", "a").taint("dedicated", "ml").image("nginx:1", size=50)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        pytest.param(lambda n: n, [], id="the same again"),
        pytest.param(
            lambda n: n.status(conditions=(NodeCondition(type="Ready", status="True"),)), [], id="heartbeat (C95)"
        ),
        pytest.param(lambda n: n.metadata(resource_version="77", annotations={"a": "b"}), [], id="annotation"),
        pytest.param(lambda n: n.cpu("64000m"), [], id="the same amount in other words"),
        pytest.param(lambda n: n.allocatable("bananas", 3), [], id="a resource that does not count"),
        pytest.param(lambda n: n.cpu("8"), [Happening.NODE_ALLOCATABLE], id="less cpu"),
        pytest.param(lambda n: n.allocatable("nvidia.com/gpu", 8), [Happening.NODE_ALLOCATABLE], id="a new resource"),
        pytest.param(lambda n: n.label("zone", "b"), [Happening.NODE_LABELS], id="another label value"),
        pytest.param(lambda n: n.spec(taints=()), [Happening.NODE_TAINTS], id="no taints any more"),
        pytest.param(lambda n: n.unschedulable(), [], id="cordoned helps nobody"),
        pytest.param(lambda n: n.image("redis:8", size=7), [Happening.NODE_IMAGES], id="another image"),
        pytest.param(
            lambda n: n.cpu("8").label("zone", "b").taint("x"),
            [Happening.NODE_ALLOCATABLE, Happening.NODE_LABELS, Happening.NODE_TAINTS],
            id="three at once",
        ),
    ],
)
def test_an_update_is_split_into_what_changed(edit: Edit, expected: list[Happening]) -> None:
    world = cluster(BASE)
    assert happened(world.upsert_node(edit(BASE).build())) == expected


def test_uncordoning_counts_as_a_change_of_taints() -> None:
    world = cluster(BASE.unschedulable())
    assert world.unschedulable()[row(world, "n1")]
    assert happened(world.upsert_node(BASE.build())) == [Happening.NODE_TAINTS]
    assert not world.unschedulable()[row(world, "n1")]


def test_amounts_are_millicores_for_cpu_and_base_units_for_the_rest() -> None:
    world = cluster(node("n1").cpu("1500m").memory("2Gi").pods(110).allocatable("nvidia.com/gpu", "8"))
    at = row(world, "n1")
    assert world.allocatable("cpu")[at] == 1500
    assert world.allocatable("memory")[at] == 2 * GI
    assert world.allowed_pods()[at] == 110
    assert world.allocatable("nvidia.com/gpu")[at] == 8
    assert world.allocatable("amd.com/gpu")[at] == 0


def test_a_resource_that_a_node_stops_offering_reads_as_zero() -> None:
    gpu = node("n1").allocatable("nvidia.com/gpu", 8)
    world = cluster(gpu)
    world.upsert_node(node("n1").build())
    assert world.allocatable("nvidia.com/gpu")[row(world, "n1")] == 0


def test_a_node_without_a_pod_limit_takes_no_pods() -> None:
    world = cluster(node("n1").allocatable("pods", None))
    assert world.allowed_pods()[row(world, "n1")] == 0


def test_an_unreadable_amount_counts_as_nothing_and_is_told(caplog: pytest.LogCaptureFixture) -> None:
    world = cluster(node("n1").memory("lots"))
    assert world.allocatable("memory")[row(world, "n1")] == 0
    assert "node n1: status.allocatable[memory]" in caplog.text
    assert "lots" in caplog.text


def test_labels_are_columns_of_value_ids() -> None:
    world = cluster(node("n1").label("zone", "a"), node("n2"), node("n3").label("zone", "b"))
    zone = world.labels("zone")
    values = [zone.values[zone.ids[row(world, name)]] for name in ("n1", "n3")]
    assert values == ["a", "b"]
    assert zone.ids[row(world, "n2")] == -1
    assert world.labels("no-such-key").ids.max() == -1


def test_a_label_column_follows_later_nodes_and_edits() -> None:
    world = cluster(node("n1").label("zone", "a"))
    world.labels("zone")
    world.upsert_node(node("n2").label("zone", "b").build())
    world.upsert_node(node("n1").build())
    zone = world.labels("zone")
    assert zone.ids[row(world, "n1")] == -1
    assert zone.values[zone.ids[row(world, "n2")]] == "b"


def test_taints_are_rows_per_taint_and_ordered_per_node() -> None:
    world = cluster(node("n1").taint("b").taint("a", "x", "NoExecute"), node("n2").taint("b"))
    b, a = TaintKey("b", "", "NoSchedule"), TaintKey("a", "x", "NoExecute")
    assert world.taints_of(row(world, "n1")) == (b, a)
    assert {taint: rows.nonzero()[0].tolist() for taint, rows in world.taints().items()} == {
        b: sorted([row(world, "n1"), row(world, "n2")]),
        a: [row(world, "n1")],
    }


def test_a_taint_that_no_node_carries_any_more_is_gone() -> None:
    world = cluster(node("n1").taint("a"))
    world.upsert_node(node("n1").build())
    assert world.taints() == {}


def test_every_name_of_an_image_is_a_key_and_the_first_size_stays() -> None:
    world = cluster(
        node("n1").image("nginx:1", "nginx@sha256:abc", size=50),
        node("n2").image("nginx:1", size=70),
    )
    tag, digest = world.image("nginx:1"), world.image("nginx@sha256:abc")
    assert tag is not None
    assert digest is not None
    assert (tag.size, tag.nodes, digest.nodes) == (50, 2, 1)
    assert tag.present.nonzero()[0].tolist() == sorted([row(world, "n1"), row(world, "n2")])
    world.remove_node("n1")
    left = world.image("nginx:1")
    assert left is not None
    assert (left.size, left.nodes) == (50, 1)
    assert world.image("nginx@sha256:abc") is None


def test_an_image_that_only_one_node_holds_takes_that_nodes_new_size() -> None:
    world = cluster(node("n1").image("nginx:1", size=50))
    world.upsert_node(node("n1").image("nginx:1", size=70).build())
    state = world.image("nginx:1")
    assert state is not None
    assert state.size == 70


def test_an_image_entry_without_names_is_passed_over() -> None:
    world = cluster(node("n1").status(images=(ContainerImage(names=None, size_bytes=5),)))
    assert world.image("") is None


def test_a_row_is_reused_and_nothing_of_the_old_node_is_left() -> None:
    old = node("old").label("zone", "a").taint("x").unschedulable().allocatable("nvidia.com/gpu", 8).image("i", size=1)
    world = cluster(old, pod("p").container(cpu="1").on("old"))
    world.labels("zone")
    at = row(world, "old")
    world.remove_node("old")
    world.upsert_node(node("new").build())
    assert row(world, "new") == at
    assert world.labels("zone").ids[at] == -1
    assert world.taints_of(at) == ()
    assert not world.unschedulable()[at]
    assert world.allocatable("nvidia.com/gpu")[at] == 0
    assert world.requested("cpu")[at] == 0
    assert world.pod_count()[at] == 0
    assert world.image("i") is None
    assert world.pods_on(at) == ()


def test_columns_grow_with_the_cluster() -> None:
    world = Cluster(capacity=1)
    zone = world.labels("zone")
    for number in range(9):
        world.upsert_node(node(f"n{number}").label("zone", f"z{number}").taint("t").cpu(number).build())
        world.upsert_pod(pod(f"p{number}").container(cpu="1m").on(f"n{number}").info())
    assert world.capacity == 16
    assert len(zone.ids) == 1, "a column handed out earlier stays as it was"
    for number in range(9):
        at = row(world, f"n{number}")
        zone = world.labels("zone")
        assert zone.values[zone.ids[at]] == f"z{number}"
        assert world.allocatable("cpu")[at] == 1000 * number
        assert world.requested("cpu")[at] == 1
    assert world.taints()[TaintKey("t", "", "NoSchedule")].sum() == 9
    assert world.rows().sum() == 9


def test_rules_cannot_write_into_the_columns() -> None:
    world = cluster(node("n1").label("zone", "a").taint("t").image("i", size=1))
    state = world.image("i")
    assert state is not None
    columns = [
        world.allocatable("cpu"),
        world.requested("cpu"),
        world.requested("never.heard/of"),
        world.nonzero_requested("memory"),
        world.allowed_pods(),
        world.pod_count(),
        world.unschedulable(),
        world.labels("zone").ids,
        world.taints()[TaintKey("t", "", "NoSchedule")],
        state.present,
    ]
    assert not any(column.flags.writeable for column in columns)


def test_namespace_labels_are_kept_and_a_change_is_told_once() -> None:
    world = Cluster()
    namespace = Namespace(metadata=Metadata(name="ml", labels={"team": "ml"}))
    assert world.namespace_labels("ml") is None
    assert happened(world.set_namespace(namespace)) == [Happening.NAMESPACE]
    assert world.set_namespace(namespace) == ()
    assert world.namespace_labels("ml") == {"team": "ml"}
    assert happened(world.remove_namespace("ml")) == [Happening.NAMESPACE]
    assert world.remove_namespace("ml") == ()
    assert world.namespace_labels("ml") is None
