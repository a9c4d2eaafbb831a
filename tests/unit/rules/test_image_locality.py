"""ImageLocality: nodes that hold the pod's images already."""

import pytest
from hypothesis import given
from tests.unit.rules import clusters
from tests.unit.rules.clusters import few_worlds
from tests.unit.rules.view import HandView, raw_scores

from pointsman.kube.objects import ImageVolume, Node, Pod, Volume
from pointsman.policy.args import Args
from pointsman.policy.priorities.image_locality import ImageLocality
from pointsman.testing.builders import NodeBuilder, PodBuilder, node, pod

RULE = ImageLocality("ImageLocality", Args())
MIB = 2**20


def three_nodes(*images: tuple[str, int, int]) -> HandView:
    """Three nodes; each image is (name, MiB, on how many of them)."""
    nodes: list[NodeBuilder] = [node(name) for name in ("n1", "n2", "n3")]
    for name, size, count in images:
        nodes[:count] = [builder.image(name, size=size * MIB) for builder in nodes[:count]]
    return HandView([builder.build() for builder in nodes])


@pytest.mark.parametrize(
    ("view", "images", "scores"),
    [
        # 100 * (sum - 23 MiB) // (1000 MiB * containers - 23 MiB)
        pytest.param(three_nodes(("a:1", 500, 1)), ["a:1"], [14, 0, 0], id="one of three"),
        pytest.param(three_nodes(("a:1", 500, 3)), ["a:1"], [48, 48, 48], id="three of three"),
        pytest.param(three_nodes(("a:1", 500, 3), ("b:1", 800, 2)), ["a:1", "b:1"], [51, 51, 24], id="two images"),
        pytest.param(three_nodes(("a:1", 20, 3)), ["a:1"], [0, 0, 0], id="below the threshold"),
        pytest.param(three_nodes(("a:1", 5000, 3)), ["a:1"], [100, 100, 100], id="above the threshold"),
        pytest.param(three_nodes(("a:1", 500, 3)), ["a:1", "a:1"], [49, 49, 49], id="every use counts"),
        pytest.param(three_nodes(("a:latest", 500, 3)), ["a"], [48, 48, 48], id="the tag left out"),
        pytest.param(three_nodes(("a", 500, 3)), ["a"], [0, 0, 0], id="a node's names are taken as they are"),
    ],
)
def test_worked_numbers(view: HandView, images: list[str], scores: list[int]) -> None:
    builder = pod("p")
    for image in images:
        builder = builder.container(image=image)
    assert raw_scores(RULE, view, builder.info()) == scores


def test_image_volumes_add_to_the_sum_but_not_to_the_threshold() -> None:
    volume = Volume(name="data", image=ImageVolume(reference="a:1"))
    builder = pod("p").container(image="none").spec(volumes=(volume,))
    assert raw_scores(RULE, three_nodes(("a:1", 500, 3)), builder.info()) == [48, 48, 48]


def plain_score(pending: Pod, target: Node, nodes: tuple[Node, ...]) -> int:
    wanted = [entry.image for entry in (*pending.spec.init_containers, *pending.spec.containers)]
    total = 0
    for image in wanted:
        name = image if image.rfind(":") > image.rfind("/") else f"{image}:latest"
        sizes = {
            entry.metadata.name: held.size_bytes
            for entry in nodes
            for held in entry.status.images
            if name in (held.names or ())
        }
        if target.metadata.name in sizes:
            total += int(float(sizes[target.metadata.name]) * (len(sizes) / len(nodes)))
    low, high = 23 * MIB, 1000 * MIB * len(wanted)
    return 100 * (min(max(total, low), high) - low) // (high - low)


@few_worlds
@given(clusters.worlds())
def test_rows_answer_like_nodes_one_by_one(world: tuple[tuple[Node, ...], list[Pod], Pod]) -> None:
    nodes, running, pending = world
    found = raw_scores(RULE, HandView(nodes, running), PodBuilder(pending).info())
    assert found == [plain_score(pending, entry, nodes) for entry in nodes]
    assert all(0 <= score <= 100 for score in found)
