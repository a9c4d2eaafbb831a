"""Random news about nodes, pods and namespaces, with decisions of our own in between: the columns equal the model."""

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from tests.unit.engine.model import FEATURES, IMAGES, KEYS, Model, compare

from pointsman.engine.cluster.cluster import Cluster
from pointsman.kube.objects import Metadata, Namespace, Node
from pointsman.policy.pod import PodInfo
from pointsman.testing.builders import PodBuilder, asks, host_port, node, pod, pod_term

NODES = tuple(f"n{number}" for number in range(6))
PODS = tuple(f"p{number}" for number in range(8))
TERMS = (pod_term("zone", asks(version="1")), pod_term("disk", asks(), namespaces=("a", "b")))
HUGE = 2**63 - 1


@st.composite
def nodes(draw: st.DrawFn) -> Node:
    built = node(draw(st.sampled_from(NODES))).cpu(draw(st.integers(0, 8))).pods(draw(st.integers(0, 5)))
    built = built.memory(draw(st.sampled_from((0, 2**30, HUGE))))
    if draw(st.booleans()):
        built = built.allocatable("example.com/gpu", draw(st.integers(1, 8)))
    if draw(st.booleans()):
        built = built.unschedulable()
    for key in draw(st.sets(st.sampled_from(KEYS[:-1]))):
        built = built.label(key, draw(st.sampled_from("abc")))
    for key in draw(st.lists(st.sampled_from("xyz"), unique=True, max_size=3)):
        built = built.taint(key, draw(st.sampled_from(("", "v"))))
    for names in draw(st.lists(st.lists(st.sampled_from(IMAGES[:-1]), max_size=2), max_size=2)):
        built = built.image(*names, size=draw(st.integers(1, 3)))
    return built.status(declared_features=tuple(draw(st.sets(st.sampled_from(FEATURES[:-1]))))).build()


@st.composite
def pending(draw: st.DrawFn) -> PodBuilder:
    amounts: dict[str, str | int | float] = {}
    if draw(st.booleans()):
        amounts["cpu"] = draw(st.sampled_from(("0", "1m", "1500m")))
    if draw(st.booleans()):
        amounts["memory"] = draw(st.sampled_from((1, 2**30, HUGE)))
    if draw(st.booleans()):
        amounts["example.com/gpu"] = 1
    ports = [
        host_port(number, draw(st.sampled_from(("", "10.0.0.1")))) for number in draw(st.sets(st.sampled_from((1, 2))))
    ]
    built = pod(draw(st.sampled_from(PODS))).container(requests=amounts, ports=tuple(ports))
    for carry in draw(st.lists(st.sampled_from((PodBuilder.near, PodBuilder.far)), unique=True)):
        built = carry(built, *draw(st.lists(st.sampled_from(TERMS), max_size=2)))
    if draw(st.booleans()):
        built = built.prefer_near((draw(st.sampled_from((1, 5))), TERMS[0]))
    return built.label("version", draw(st.sampled_from("12")))


class Columns(RuleBasedStateMachine):
    """One step is one event or one decision; after each the columns are compared with the model."""

    @initialize(asked_early=st.booleans())
    def start(self, asked_early: bool) -> None:
        self.world = Cluster(capacity=1)
        self.model = Model()
        if asked_early:
            for key in KEYS:
                self.world.labels(key)

    @rule(seen=nodes())
    def node_is_seen(self, seen: Node) -> None:
        self.world.upsert_node(seen)
        self.model.set_node(seen)

    @rule(name=st.sampled_from(NODES))
    def heartbeat(self, name: str) -> None:
        seen = self.model.nodes.get(name)
        if seen is not None:
            metadata = msgspec.structs.replace(seen.metadata, resource_version="9")
            assert self.world.upsert_node(msgspec.structs.replace(seen, metadata=metadata)) == ()

    @rule(name=st.sampled_from(NODES))
    def node_is_gone(self, name: str) -> None:
        assert bool(self.world.remove_node(name)) == (name in self.model.nodes)
        self.model.drop_node(name)

    @rule(built=pending(), name=st.sampled_from(NODES), phase=st.sampled_from(("Running", "Running", "Succeeded")))
    def assigned_pod_is_seen(self, built: PodBuilder, name: str, phase: str) -> None:
        info = built.on(name).status(phase=phase).info()
        self.world.upsert_pod(info)
        self.model.placed.pop(info.uid, None)
        if phase == "Running":
            self.model.placed[info.uid] = (info, name, False)

    @rule(built=pending())
    def pending_pod_is_seen(self, built: PodBuilder) -> None:
        assert self.world.upsert_pod(built.info()) == ()

    @rule(name=st.sampled_from(PODS))
    def event_is_replayed(self, name: str) -> None:
        info, _, assumed = self.model.placed.get(_uid(name), (None, "", False))
        if info is not None and not assumed:
            assert self.world.upsert_pod(info) == ()

    @rule(name=st.sampled_from(PODS))
    def pod_is_gone(self, name: str) -> None:
        assert bool(self.world.remove_pod(_uid(name))) == (self.model.placed.pop(_uid(name), None) is not None)

    @rule(built=pending(), name=st.sampled_from(NODES))
    def assumed(self, built: PodBuilder, name: str) -> None:
        info: PodInfo = built.info()
        if info.uid not in self.model.placed:
            self.world.assume(info, name)
            self.model.placed[info.uid] = (info, name, True)

    @rule(name=st.sampled_from(PODS))
    def forgotten(self, name: str) -> None:
        was_assumed = self.model.placed.get(_uid(name), (None, "", False))[2]
        assert bool(self.world.forget(_uid(name))) == was_assumed
        if was_assumed:
            del self.model.placed[_uid(name)]

    @rule(name=st.sampled_from(("a", "b")), team=st.sampled_from(("x", "y")))
    def namespace_is_seen(self, name: str, team: str) -> None:
        self.world.set_namespace(Namespace(metadata=Metadata(name=name, labels={"team": team})))
        self.model.namespaces[name] = {"team": team}

    @rule(name=st.sampled_from(("a", "b")))
    def namespace_is_gone(self, name: str) -> None:
        self.world.remove_namespace(name)
        self.model.namespaces.pop(name, None)
        assert self.world.namespace_labels(name) is None

    @invariant()
    def columns_equal_the_model(self) -> None:
        compare(self.world, self.model)

    def teardown(self) -> None:
        """Whatever happened, an empty cluster is empty again, down to the last column."""
        for uid in list(self.model.placed):
            self.world.remove_pod(uid)
        for name in list(self.model.nodes):
            self.world.remove_node(name)
        compare(self.world, Model(namespaces=self.model.namespaces))
        assert set(self.world._resources._of) == {"cpu", "memory", "ephemeral-storage", "pods"}


def _uid(name: str) -> str:
    return f"pod-default-{name}"


Columns.TestCase.settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
test_columns_equal_a_model_recomputed_from_scratch = Columns.TestCase
