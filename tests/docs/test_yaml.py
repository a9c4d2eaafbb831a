"""Every YAML block of the documents is what it claims to be."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from pointsman.api.names import API_VERSION, KIND
from pointsman.cli.validate import check
from tests.controlplane.plane import ControlPlane
from tests.docs.pages import ALL, Block, blocks, label

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def yaml_blocks() -> Iterator[Any]:
    for page in ALL:
        for number, block in enumerate(blocks(page, "yaml", "yml")):
            yield pytest.param(block, id=f"{label(page)}-{number}")


def documents(block: Block) -> list[dict[str, Any]]:
    """The manifests of a block; one that begins with `spec:` is a profile's."""
    return [
        {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": "shown"}, **one} if "kind" not in one else one
        for one in yaml.safe_load_all(block.text)
    ]


@pytest.fixture(scope="module")
def classes(control_plane: ControlPlane) -> Iterator[ControlPlane]:
    """The control plane with the PriorityClasses of the documents: their pods are refused without."""
    every = [one for page in ALL for block in blocks(page, "yaml") for one in documents(block)]
    made = [one for one in every if one["kind"] == "PriorityClass"]
    for one in made:
        control_plane.apply(one)
    yield control_plane
    for one in made:
        control_plane.kubectl("delete", "priorityclass", one["metadata"]["name"])


@pytest.mark.parametrize("block", [*yaml_blocks()])
def test_every_profile_in_the_documents_is_valid(block: Block) -> None:
    for document in documents(block):
        if document["kind"] == KIND:
            document["spec"].setdefault("schedulerName", "shown")  # a patch may leave it out
            assert check(document).problems == ()


@pytest.mark.parametrize("block", [*yaml_blocks()])
def test_every_other_manifest_in_the_documents_is_accepted_by_the_api_server(
    block: Block, classes: ControlPlane
) -> None:
    for document in documents(block):
        if document["kind"] != KIND:
            classes.kubectl(
                "apply",
                "--server-side",
                "--dry-run=server",
                "--validate=strict",
                "-f",
                "-",
                input=yaml.safe_dump(document),
            )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_valid(example: Path) -> None:
    for document in yaml.safe_load_all(example.read_text()):
        assert check(document).problems == ()


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_every_example_is_accepted_by_the_api_server(example: Path, profiles: ControlPlane) -> None:
    profiles.kubectl("create", "--dry-run=server", "--validate=strict", "-f", str(example))
