"""VolumeBinding on random storage against a model that looks at one node after another, claim by claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.stored import PROVISIONER, claim, csi_driver, promised, room, storage_class, volume
from tests.unit.rules.view import HandView

from pointsman.kube.objects import Node, NodeSelectorTerm, Requirement
from pointsman.kube.quantity import to_value
from pointsman.kube.storage_objects import CSIStorageCapacity, PersistentVolume, PersistentVolumeClaim, StorageObject
from pointsman.policy.predicates.volume_binding import State, VolumeBinding
from pointsman.policy.volume_binding_args import VolumeBindingArgs
from pointsman.testing.builders import node, pod, term

RULE = VolumeBinding("VolumeBinding", VolumeBindingArgs())
GIVEN = "volume.kubernetes.io/selected-node"
HOST = "kubernetes.io/hostname"
NODES = [
    node(name).label("zone", zone).label("disk", disk).build()
    for name, zone, disk in (("n1", "a", "x"), ("n2", "a", "y"), ("n3", "b", "x"), ("n4", "b", "y"))
]

sizes = st.sampled_from(("1Gi", "2Gi", "3Gi"))
places: st.SearchStrategy[tuple[NodeSelectorTerm, ...]] = st.sampled_from(
    (
        (),
        *((term((HOST, "In", f"n{number}")),) for number in range(1, 5)),
        (term(("zone", "In", "a")),),
        (term(("zone", "In", "b", "c"), ("disk", "In", "x")),),
        (term(("zone", "In", "a")), term(("disk", "NotIn", "y"))),
        (term(("rack", "Exists")),),
    )
)


@dataclass(frozen=True)
class World:
    claims: Sequence[PersistentVolumeClaim]
    volumes: Sequence[PersistentVolume]
    rooms: Sequence[CSIStorageCapacity]
    makes: bool
    tracks: bool

    def view(self) -> HandView:
        made = storage_class(provisioner=PROVISIONER if self.makes else "")
        driver = [csi_driver()] if self.tracks else []
        objects: list[StorageObject] = [made, *driver, *self.claims, *self.volumes, *self.rooms]
        return HandView(NODES, objects=objects)


@st.composite
def worlds(draw: st.DrawFn) -> World:
    names = [f"c{number}" for number in range(draw(st.integers(1, 3)))]
    claims = [
        claim(
            name, draw(sizes), annotations=draw(st.sampled_from(({}, {}, {GIVEN: "n2"}, {GIVEN: "n3"}, {GIVEN: "n9"})))
        )
        for name in names
    ]
    volumes = [
        volume(
            f"v{number}",
            draw(sizes),
            terms=draw(places),
            phase=draw(st.sampled_from(("Available", "Available", "Released"))),
            claim_ref=draw(st.sampled_from((None, None, None, promised("c0"), promised("other")))),
        )
        for number in range(draw(st.integers(0, 6)))
    ]
    rooms = [
        room(f"r{number}", draw(sizes), draw(st.sampled_from((None, {}, {"zone": "a"}, {HOST: "n4"}))))
        for number in range(draw(st.integers(0, 3)))
    ]
    return World(claims, volumes, rooms, makes=draw(st.booleans()), tracks=draw(st.booleans()))


def value(node: Node, key: str) -> str | None:
    return node.metadata.labels.get(key)


def holds(item: Requirement, have: str | None) -> bool:
    if item.operator == "Exists":
        return have is not None
    return (have in (item.values or ())) is (item.operator == "In")


def reaches(found: PersistentVolume, node: Node) -> bool:
    affinity = found.spec.node_affinity
    if affinity is None or affinity.required is None:
        return True
    return any(
        all(holds(item, value(node, item.key)) for item in one.match_expressions)
        for one in affinity.required.node_selector_terms
    )


def size(item: PersistentVolume | PersistentVolumeClaim) -> int:
    amounts = item.spec.capacity if isinstance(item, PersistentVolume) else item.spec.resources.requests
    return to_value(amounts["storage"])


def match(wanted: PersistentVolumeClaim, volumes: Sequence[PersistentVolume], node: Node) -> PersistentVolume | None:
    """The volume that a claim gets on a node."""
    best: PersistentVolume | None = None
    for found in volumes:
        reference = found.spec.claim_ref
        if (reference is not None and reference.name != wanted.metadata.name) or size(found) < size(wanted):
            continue
        if reference is not None:
            return found if reaches(found, node) else None
        fits = found.status.phase == "Available" and reaches(found, node)
        if fits and (best is None or size(found) < size(best)):
            best = found
    return best


def plan(world: World, node: Node) -> dict[str, str] | None:
    """Which volume each claim gets on a node, empty for one that is made; None when the node does not do."""
    result = {}
    free = list(world.volumes)
    for wanted in sorted(world.claims, key=size):
        given = wanted.metadata.annotations.get(GIVEN)
        if given not in (None, node.metadata.name):
            return None
        found = None if given else match(wanted, free, node)
        if found is not None:
            free.remove(found)
        elif not world.makes or (world.tracks and not has_room(world, wanted, node)):
            return None
        result[wanted.metadata.name] = found.metadata.name if found is not None else ""
    return result


def has_room(world: World, wanted: PersistentVolumeClaim, node: Node) -> bool:
    return any(
        one.node_topology is not None
        and to_value(str(one.capacity)) >= size(wanted)
        and all(value(node, key) == label for key, label in one.node_topology.match_labels.items())
        for one in world.rooms
    )


@few_worlds
@given(worlds())
def test_rows_and_plans_are_those_of_the_model(world: World) -> None:
    view, pending = world.view(), pod("p")
    for wanted in world.claims:
        pending = pending.claim(wanted.metadata.name)
    state = RULE.prepare(pending.info(), view)
    assert isinstance(state, State)
    expected = [plan(world, one) for one in NODES]
    assert RULE.feasible(state, view.rows).tolist() == [one is not None for one in expected]
    for row, wanted_plan in zip(view.rows.tolist(), expected, strict=True):
        if wanted_plan is not None:
            reserved = RULE.reserve(state, row)
            assert reserved is not None
            got = {promise.claim.metadata.name: promise.volume.metadata.name for promise in reserved.promises}
            made = {item.metadata.name: "" for item in reserved.provisions}
            assert got | made == wanted_plan
        else:
            assert RULE.reasons(state, row)
