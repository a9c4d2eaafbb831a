"""Which changes wake a pod that a rule rejected: waking too seldom would leave it waiting."""

from dataclasses import replace

import pytest
from tests.unit.rules.stored import csi_driver
from tests.unit.rules.view import HandView

from pointsman.kube.objects import ContainerStatus, Resources
from pointsman.policy.predicates.node_ports import NodePorts
from pointsman.policy.registry import BUILT
from pointsman.policy.rule import Change, Happening, Predicate
from pointsman.testing.builders import NodeBuilder, PodBuilder, host_port, node, pod, term

ADDED, LABELS, TAINTS = Happening.NODE_ADD, Happening.NODE_LABELS, Happening.NODE_TAINTS
ALLOCATABLE, DELETED, SCALED = Happening.NODE_ALLOCATABLE, Happening.POD_DELETE, Happening.POD_SCALE_DOWN


def rule(name: str) -> Predicate[object]:
    built = BUILT[name]
    assert built.predicate is not None
    return built.predicate(name, built.args())


def wakes(by: Predicate[object], pending: PodBuilder, change: Change) -> bool:
    if not change.happening & by.wakes_on.on:
        return False
    return by.wakes_on.hint is None or by.wakes_on.hint(pending.info(), change)


def about_node(happening: Happening, target: NodeBuilder) -> Change:
    return Change(happening, HandView([target.build()]), row=1)


# scheduler-semantics.md 5.7; a rule that hears of a new node hears of changed taints too
REGISTERED = {
    "NodeUnschedulable": ADDED | TAINTS | Happening.OWN_TOLERATIONS,
    "NodeName": ADDED | TAINTS,
    "TaintToleration": ADDED | TAINTS | Happening.OWN_TOLERATIONS,
    "NodeAffinity": ADDED | TAINTS | LABELS,
    "NodePorts": ADDED | TAINTS | DELETED,
    "NodeResourcesFit": ADDED | TAINTS | ALLOCATABLE | DELETED | SCALED,
    "VolumeBinding": ADDED
    | TAINTS
    | LABELS
    | Happening.STORAGE_CLASS
    | Happening.PERSISTENT_VOLUME_CLAIM
    | Happening.PERSISTENT_VOLUME
    | Happening.CSI_NODE
    | Happening.CSI_DRIVER
    | Happening.CSI_STORAGE_CAPACITY,
}


@pytest.mark.parametrize("name", REGISTERED)
def test_rules_hear_of_what_kube_scheduler_registers(name: str) -> None:
    assert rule(name).wakes_on.on == REGISTERED[name]


@pytest.mark.parametrize(
    ("name", "pending", "change", "woken"),
    [
        pytest.param("NodeUnschedulable", pod("p"), about_node(ADDED, node("n")), True, id="open node"),
        pytest.param("NodeUnschedulable", pod("p"), about_node(ADDED, node("n").unschedulable()), False, id="cordoned"),
        pytest.param(
            "NodeUnschedulable",
            pod("p").tolerate(),
            about_node(ADDED, node("n").unschedulable()),
            True,
            id="cordoned and tolerated",
        ),
        pytest.param("NodeName", pod("p").spec(node_name="n"), about_node(ADDED, node("n")), True, id="any node"),
        pytest.param("TaintToleration", pod("p"), about_node(TAINTS, node("n")), True, id="taints gone"),
        pytest.param("TaintToleration", pod("p"), about_node(TAINTS, node("n").taint("a")), False, id="still tainted"),
        pytest.param(
            "TaintToleration",
            pod("p"),
            about_node(TAINTS, node("n").taint("a", effect="PreferNoSchedule")),
            True,
            id="only softly tainted",
        ),
        pytest.param(
            "TaintToleration", pod("p").tolerate("a"), about_node(ADDED, node("n").taint("a")), True, id="tolerated"
        ),
        pytest.param(
            "NodeAffinity", pod("p").select("a", "1"), about_node(LABELS, node("n").label("a", "1")), True, id="matches"
        ),
        pytest.param(
            "NodeAffinity",
            pod("p").select("a", "1"),
            about_node(LABELS, node("n").label("a", "2")),
            False,
            id="other",
        ),
        pytest.param(
            "NodeAffinity",
            pod("p").require(term(("a", "Exists")), term(fields=[("metadata.name", "In", "n")])),
            about_node(ADDED, node("n")),
            True,
            id="one term matches",
        ),
        pytest.param(
            "NodeAffinity", pod("p").require(term(("a", "Exists"))), about_node(ADDED, node("n")), False, id="no term"
        ),
        pytest.param(
            "NodeResourcesFit",
            pod("p").container(cpu="2"),
            about_node(ADDED, node("n").cpu("2")),
            True,
            id="fits",
        ),
        pytest.param(
            "NodeResourcesFit",
            pod("p").container(cpu="2"),
            about_node(ADDED, node("n").cpu("1")),
            False,
            id="too big",
        ),
        pytest.param(
            "NodeResourcesFit", pod("p").container(), about_node(ALLOCATABLE, node("n").pods(0)), False, id="no pods"
        ),
        pytest.param(
            "NodeResourcesFit", pod("p").container(cpu="2"), about_node(TAINTS, node("n").cpu("1")), True, id="taints"
        ),
    ],
)
def test_a_changed_node_wakes_whom_it_may_help(name: str, pending: PodBuilder, change: Change, woken: bool) -> None:
    assert wakes(rule(name), pending, change) is woken


@pytest.mark.parametrize("name", REGISTERED)
def test_a_change_without_a_row_wakes(name: str) -> None:
    by = rule(name)
    pending = pod("p").container(cpu="1", ports=(host_port(1),)).select("a", "1")
    assert wakes(by, pending, Change(ADDED, HandView([])))


@pytest.mark.parametrize(
    ("port", "woken"), [(host_port(80), True), (host_port(80, "10.0.0.1"), True), (host_port(81), False)]
)
def test_a_pod_that_leaves_wakes_those_that_want_its_port(port: object, woken: bool) -> None:
    leaving = pod("old").container(ports=(port,)).on("n")
    change = Change(DELETED, HandView([node("n").build()]), row=1, pod=leaving.info())
    assert wakes(rule("NodePorts"), pod("p").container(ports=(host_port(80),)), change) is woken
    assert isinstance(rule("NodePorts"), NodePorts)


@pytest.mark.parametrize(
    ("pending", "woken"),
    [
        pytest.param(pod("p").container(cpu="1"), True, id="it fits now"),
        pytest.param(pod("p").container(cpu="1001m"), False, id="still too big"),
        pytest.param(pod("p").container(cpu="1", memory="2Gi"), False, id="something else is missing"),
        pytest.param(pod("p").container(), True, id="asks for nothing"),
    ],
)
@pytest.mark.parametrize("happening", [DELETED, SCALED, ADDED, ALLOCATABLE])
def test_room_on_a_node_wakes_those_that_fit_it_as_it_is_now(
    happening: Happening, pending: PodBuilder, woken: bool
) -> None:
    stays = pod("stays").container(cpu="1").on("n").build()
    view = HandView([node("n").cpu("2").memory("1Gi").build()], [stays])
    change = Change(happening, view, row=1, pod=running("1").info(), old_pod=running("2").info())
    woken = woken and (happening is not SCALED or bool(pending.info().requests))
    assert wakes(rule("NodeResourcesFit"), pending, change) is woken


def test_a_pod_that_leaves_a_node_with_too_many_pods_wakes_nobody() -> None:
    view = HandView([node("n").pods(1).build()], [pod("stays").on("n").build()])
    assert not wakes(rule("NodeResourcesFit"), pod("p"), Change(DELETED, view, row=1, pod=pod("old").on("n").info()))


def running(cpu: str, memory: str = "1Gi") -> PodBuilder:
    status = ContainerStatus(name="main", resources=Resources(requests={"cpu": cpu, "memory": memory}))
    return pod("old").container(cpu=cpu, memory=memory).on("n").status(container_statuses=(status,))


def test_a_pod_that_gives_up_something_wakes_those_that_want_it() -> None:
    change = Change(SCALED, HandView([node("n").build()]), row=1, pod=running("1").info(), old_pod=running("2").info())
    by = rule("NodeResourcesFit")
    assert wakes(by, pod("p").container(cpu="1"), change)
    assert not wakes(by, pod("p").container(memory="1Gi"), change)
    own = replace(change, pod=pod("p").container(memory="1Mi").info())
    assert wakes(by, pod("p").container(memory="1Gi"), own)


@pytest.mark.parametrize(
    ("key", "woken"),
    [
        pytest.param(("default", "data"), True, id="named"),
        pytest.param(("default", "p-scratch"), True, id="of its template"),
        pytest.param(("other", "data"), False, id="namesake"),
        pytest.param(("default", "logs"), False, id="another"),
    ],
)
def test_a_claim_wakes_pods_that_use_it(key: tuple[str, str], woken: bool) -> None:
    change = Change(Happening.PERSISTENT_VOLUME_CLAIM, HandView([]), key=key)
    assert wakes(rule("VolumeBinding"), pod("p").claim("data").ephemeral_claim("scratch"), change) is woken


@pytest.mark.parametrize(("tracks_room", "woken"), [(True, False), (False, True), (None, True)])
def test_a_driver_wakes_pods_when_it_no_longer_tells_of_its_room(tracks_room: bool | None, woken: bool) -> None:
    drivers = [] if tracks_room is None else [csi_driver("d", tracks_room=tracks_room)]
    change = Change(Happening.CSI_DRIVER, HandView([], objects=drivers), key=("", "d"))
    assert wakes(rule("VolumeBinding"), pod("p").claim("data"), change) is woken


@pytest.mark.parametrize(
    "happening",
    [
        Happening.PERSISTENT_VOLUME,
        Happening.STORAGE_CLASS,
        Happening.CSI_NODE,
        Happening.CSI_STORAGE_CAPACITY,
        Happening.NODE_LABELS,
    ],
    ids=lambda happening: str(happening.name),
)
def test_other_changes_of_storage_wake_every_pod_that_waits_for_a_volume(happening: Happening) -> None:
    assert wakes(rule("VolumeBinding"), pod("p").claim("data"), Change(happening, HandView([]), key=("", "x")))
