"""NodePorts: one host port of a node serves one pod."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, feasible, reasons

from pointsman.kube.objects import ContainerPort, Node, Pod
from pointsman.policy.args import Args
from pointsman.policy.pod import PodInfo
from pointsman.policy.predicates.node_ports import NodePorts
from pointsman.policy.rule import SKIP, Skip
from pointsman.testing.builders import PodBuilder, host_port, node, pod

RULE = NodePorts("NodePorts", Args())
REASON = ("node(s) didn't have free ports for the requested pod ports",)


def using(*ports: ContainerPort, name: str = "p") -> PodBuilder:
    return pod(name).container(ports=ports)


@pytest.mark.parametrize(
    ("used", "wanted", "fits"),
    [
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8080, "10.0.0.2"), True, id="a another address"),
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8080, "10.0.0.1", "UDP"), True, id="b another protocol"),
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8080, "0.0.0.0"), False, id="c any address wanted"),
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8080), False, id="d defaults"),
        pytest.param(host_port(8080, "10.0.0.1"), ContainerPort(container_port=8080), True, id="e no host port"),
        pytest.param(host_port(8080), host_port(8080, "10.0.0.2"), False, id="any address in use"),
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8080, "10.0.0.1"), False, id="the same"),
        pytest.param(host_port(8080, "10.0.0.1"), host_port(8081, "10.0.0.1"), True, id="another number"),
        pytest.param(host_port(8080, "::"), host_port(8080, "::1"), True, id=":: is no wildcard"),
        pytest.param(host_port(8080, "::"), host_port(8080), False, id="0.0.0.0 is one for :: too"),
    ],
)
def test_ports_conflict_by_address_protocol_and_number(used: ContainerPort, wanted: ContainerPort, fits: bool) -> None:
    # C45
    view = HandView([node("n1").build()], [using(used, name="old").on("n1").build()])
    assert feasible(RULE, view, using(wanted).info()) == (["n1"] if fits else [])


def test_the_reason_is_kube_schedulers() -> None:
    view = HandView([node("n1").build()], [using(host_port(1), name="old").on("n1").build()])
    assert reasons(RULE, view, using(host_port(1)).info()) == {"n1": REASON}


def test_a_pod_without_host_ports_is_not_looked_at() -> None:
    assert RULE.prepare(pod("p").container().info(), HandView([node("n1").build()])) == SKIP


def test_a_pod_taken_away_frees_only_its_own_port() -> None:
    pods = [using(host_port(1), name=name).on("n1") for name in ("one", "two")]
    view = HandView([node("n1").build()], [builder.build() for builder in pods])
    state = RULE.prepare(using(host_port(1)).info(), view)
    assert not isinstance(state, Skip)
    without_one = RULE.with_pods(state, 1, (), (pods[0].info(),))
    assert not RULE.feasible(without_one, view.rows).any()
    without_both = RULE.with_pods(without_one, 1, (), (pods[1].info(),))
    assert RULE.feasible(without_both, view.rows).all()
    assert not RULE.feasible(state, view.rows).any()


def conflict(used: ContainerPort, wanted: ContainerPort) -> bool:
    addresses = {used.host_ip or "0.0.0.0", wanted.host_ip or "0.0.0.0"}
    return (
        used.host_port == wanted.host_port
        and (used.protocol or "TCP") == (wanted.protocol or "TCP")
        and (len(addresses) == 1 or "0.0.0.0" in addresses)
    )


def ports_of(target: Pod) -> list[ContainerPort]:
    return [port for container in target.spec.containers for port in container.ports]


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    expected = [
        entry.metadata.name
        for entry in nodes
        if not any(
            conflict(used, wanted)
            for old in running
            if old.spec.node_name == entry.metadata.name
            for used in ports_of(old)
            for wanted in ports_of(pending)
        )
    ]
    assert feasible(RULE, HandView(nodes, running), PodBuilder(pending).info()) == expected


@few_worlds
@given(clusters.worlds(), st.data())
def test_a_state_with_pods_equals_a_cluster_with_them(
    world: tuple[tuple[Node, ...], list[Pod], Pod], data: st.DataObject
) -> None:
    nodes, running, pending = world
    info: PodInfo = PodBuilder(pending).info()
    before, row = HandView(nodes, running), data.draw(st.integers(1, len(nodes)))
    here = [old for old in running if old.spec.node_name == before.node_name(row)]
    gone = data.draw(st.lists(st.sampled_from(here), unique_by=id)) if here else []
    new = data.draw(clusters.pods("new", on=before.node_name(row)))
    after = HandView(nodes, [old for old in running if old not in gone] + [new])
    state = RULE.prepare(info, before)
    if not isinstance(state, Skip):
        removed = [PodBuilder(old).info() for old in gone]
        changed = RULE.with_pods(state, row, (PodBuilder(new).info(),), removed)
        passing = [before.node_name(found) for found in before.rows[RULE.feasible(changed, before.rows)].tolist()]
        assert passing == feasible(RULE, after, info)
