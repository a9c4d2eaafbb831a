"""By rule: what keeps a pod waiting, and what then makes room for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.unit.engine.putting import Thing
from tests.unit.engine_process.harness import ours

from pointsman.kube.objects import LabelSelector, Metadata, Namespace
from pointsman.testing.builders import PodBuilder, asks, host_port, node, pod, pod_term

HOST: Final = "kubernetes.io/hostname"


@dataclass(frozen=True, slots=True)
class Wake:
    """`pod` waits among `before`, refused by `rule`, until `puts` appear or change and `takes` go."""

    rule: str
    name: str
    before: tuple[Thing, ...]
    pod: PodBuilder
    puts: tuple[Thing, ...] = ()
    takes: tuple[Thing, ...] = ()
    spec: Mapping[str, Any] = field(default_factory=dict)  # what the profile has beside the default rules

    @property
    def id(self) -> str:
        return f"{self.rule}: {self.name}"


_P: Final = ours("p").container()
_FULL: Final = node("n1").cpu("1")
_BIG: Final = pod("old").container(cpu="1")
_ASKS: Final = ours("p").container(cpu="1")

RESOURCES: Final = (
    Wake("NodeResourcesFit", "a node comes", (_FULL, _BIG.on("n1")), _ASKS, puts=(node("n2"),)),
    Wake("NodeResourcesFit", "a node grows", (_FULL, _BIG.on("n1")), _ASKS, puts=(_FULL.cpu("2"),)),
    Wake("NodeResourcesFit", "a node takes more pods", (node("n1").pods(0),), _P, puts=(node("n1").pods(1),)),
    Wake("NodeResourcesFit", "a pod goes", (_FULL, _BIG.on("n1")), _ASKS, takes=(_BIG,)),
    Wake(
        "NodeResourcesFit",
        "a pod ends",
        (_FULL, _BIG.on("n1")),
        _ASKS,
        puts=(_BIG.on("n1").status(phase="Succeeded"),),
    ),
    Wake(
        "NodeResourcesFit",
        "a pod shrinks",
        (_FULL, _BIG.on("n1")),
        ours("p").container(cpu="500m"),
        puts=(pod("old").container(cpu="500m").on("n1"),),
    ),
    Wake(
        "NodeResourcesFit",
        "it asks for less itself",
        (_FULL, _BIG.on("n1")),
        _ASKS,
        puts=(ours("p").container(cpu="0"),),
    ),
)

_TAINTED: Final = node("n1").taint("a")
NODES: Final = (
    Wake("NodeUnschedulable", "an open node comes", (node("n1").unschedulable(),), _P, puts=(node("n2"),)),
    Wake("NodeUnschedulable", "the node is opened", (node("n1").unschedulable(),), _P, puts=(node("n1"),)),
    Wake(
        "NodeUnschedulable",
        "it gets the toleration",
        (node("n1").unschedulable(),),
        _P,
        puts=(_P.tolerate("node.kubernetes.io/unschedulable"),),
    ),
    Wake("TaintToleration", "a clean node comes", (_TAINTED,), _P, puts=(node("n2"),)),
    Wake("TaintToleration", "the taint goes", (_TAINTED,), _P, puts=(node("n1"),)),
    Wake("TaintToleration", "it gets the toleration", (_TAINTED,), _P, puts=(_P.tolerate("a"),)),
    Wake(
        "NodeAffinity", "a node gets the label", (node("n1"),), _P.select("a", "1"), puts=(node("n1").label("a", "1"),)
    ),
    Wake("NodeAffinity", "such a node comes", (node("n1"),), _P.select("a", "1"), puts=(node("n2").label("a", "1"),)),
)

_PORT: Final = (host_port(80),)
_HOLDER: Final = pod("holder").container(ports=_PORT)
PORTS: Final = (
    Wake(
        "NodePorts",
        "who holds the port goes",
        (node("n1"), _HOLDER.on("n1")),
        ours("p").container(ports=_PORT),
        takes=(_HOLDER,),
    ),
    Wake(
        "NodePorts",
        "a node comes",
        (node("n1"), _HOLDER.on("n1")),
        ours("p").container(ports=_PORT),
        puts=(node("n2"),),
    ),
)

_X: Final = _P.label("app", "x")


def _app(name: str, on: str) -> PodBuilder:
    return pod(name).label("app", "x").on(on)


def _spread(key: str = HOST, selector: LabelSelector | None = None, **fields: Any) -> PodBuilder:
    return _X.spread(key, selector or asks(app="x"), **fields)


def _zone(name: str, zone: str) -> Any:
    return node(name).label("zone", zone)


# n1 has one pod of the app more than an n2 that is not open; each event lets n1 or n2 have the next one.
_UNEVEN: Final = (node("n1"), _app("a", "n1"), node("n2").taint("t"))
SPREAD: Final = (
    Wake("PodTopologySpread", "an empty domain comes", _UNEVEN, _spread(), puts=(node("n3"),)),
    Wake("PodTopologySpread", "the least domain goes", _UNEVEN, _spread(), takes=(node("n2"),)),
    Wake("PodTopologySpread", "a pod goes", _UNEVEN, _spread(), takes=(_app("a", "n1"),)),
    Wake("PodTopologySpread", "a pod comes to the least domain", _UNEVEN, _spread(), puts=(_app("b", "n2"),)),
    Wake("PodTopologySpread", "a pod loses its label", _UNEVEN, _spread(), puts=(pod("a").on("n1"),)),
    Wake(
        "PodTopologySpread",
        "a pod gets the label",
        (*_UNEVEN, pod("b").on("n2")),
        _spread(),
        puts=(_app("b", "n2"),),
    ),
    Wake("PodTopologySpread", "a pod begins to end", _UNEVEN, _spread(), puts=(_app("a", "n1").terminating(),)),
    Wake("PodTopologySpread", "a node gets the key", (node("n1"),), _spread("zone"), puts=(_zone("n1", "a"),)),
    Wake(
        "PodTopologySpread",
        "the least domain loses the key",
        (_zone("n1", "a"), _app("a", "n1"), _zone("n2", "b").taint("t")),
        _spread("zone"),
        puts=(node("n2").taint("t"),),
    ),
    Wake(
        "PodTopologySpread",
        "a taint makes the least domain none",
        (_zone("n1", "a"), _app("a", "n1"), _zone("n2", "b").cpu("0")),
        ours("p").container(cpu="1").label("app", "x").spread("zone", asks(app="x"), node_taints_policy="Honor"),
        puts=(_zone("n2", "b").cpu("0").taint("t"),),
    ),
    Wake(
        "PodTopologySpread",
        "it gets a toleration for the least domain",
        _UNEVEN,
        _spread(),
        puts=(_spread().tolerate("t"),),
    ),
    Wake(
        "PodTopologySpread",
        "a domain of enough comes",
        (_zone("n1", "a"), _app("a", "n1"), _app("b", "n1")),
        _spread("zone", min_domains=2, max_skew=2),
        puts=(_zone("n2", "b"),),
    ),
)

_NEAR: Final = pod_term(HOST, asks(app="db"))
_DB: Final = pod("db").label("app", "db")
_APART: Final = pod("guard").far(pod_term(HOST, asks(app="x")))


def _namespace(name: str, **labels: str) -> Namespace:
    return Namespace(metadata=Metadata(name=name, uid=f"namespace-{name}", labels=labels))


_TEAM: Final = pod_term(HOST, asks(app="db"), namespace_selector=asks(team="a"))
_FOREIGN: Final = pod("db", "far").label("app", "db").on("n1")
AFFINITY: Final = (
    Wake("InterPodAffinity", "the pod that it wants comes", (node("n1"),), _P.near(_NEAR), puts=(_DB.on("n1"),)),
    Wake(
        "InterPodAffinity",
        "a pod gets the label that it wants",
        (node("n1"), pod("db").on("n1")),
        _P.near(_NEAR),
        puts=(_DB.on("n1"),),
    ),
    Wake(
        "InterPodAffinity",
        "its node gets the key",
        (node("n1"), _DB.on("n1")),
        _P.near(pod_term("zone", asks(app="db"))),
        puts=(_zone("n1", "a"),),
    ),
    Wake(
        "InterPodAffinity",
        "a node of the right zone comes",
        (_zone("n1", "a").cpu("0"), _DB.on("n1"), _zone("n2", "b")),
        ours("p").container(cpu="1").near(pod_term("zone", asks(app="db"))),
        puts=(_zone("n3", "a"),),
    ),
    Wake(
        "InterPodAffinity",
        "a namespace is selected",
        (_namespace("far"), node("n1"), _FOREIGN),
        _P.near(_TEAM),
        puts=(_namespace("far", team="a"),),
    ),
    Wake(
        "InterPodAffinity",
        "the pod that it shuns goes",
        (node("n1"), _DB.on("n1")),
        _P.far(_NEAR),
        takes=(_DB,),
    ),
    Wake(
        "InterPodAffinity",
        "the pod that it shuns loses the label",
        (node("n1"), _DB.on("n1")),
        _P.far(_NEAR),
        puts=(pod("db").on("n1"),),
    ),
    Wake(
        "InterPodAffinity",
        "a namespace is selected no more",
        (_namespace("far", team="a"), node("n1"), _FOREIGN),
        _P.far(_TEAM),
        puts=(_namespace("far"),),
    ),
    Wake("InterPodAffinity", "another node comes", (node("n1"), _DB.on("n1")), _P.far(_NEAR), puts=(node("n2"),)),
    Wake("InterPodAffinity", "the pod that shuns it goes", (node("n1"), _APART.on("n1")), _X, takes=(_APART,)),
    Wake(
        "InterPodAffinity",
        "its own label goes",
        (node("n1"), _APART.on("n1")),
        _X,
        puts=(_P.label("app", "y"),),
    ),
    Wake(
        "InterPodAffinity",
        "the node of the pod that shuns it changes its zone",
        (_zone("n1", "a"), _zone("n2", "a"), pod("guard").far(pod_term("zone", asks(app="x"))).on("n2")),
        _X,
        puts=(_zone("n2", "b"),),
    ),
    Wake(
        "InterPodAffinity",
        "the namespace that a running pod shuns is another",
        (
            _namespace("default", team="a"),
            node("n1"),
            pod("guard", "far").far(pod_term(HOST, asks(app="x"), namespace_selector=asks(team="a"))).on("n1"),
        ),
        _X,
        puts=(_namespace("default"),),
    ),
)

WAKES: Final = (*RESOURCES, *NODES, *PORTS, *SPREAD, *AFFINITY)
