"""The built-in kinds' schemas are those that a real API server publishes."""

from importlib.resources import files
from typing import Any

from tests.controlplane.plane import ControlPlane
from tests.unit.sandbox_store.published import extract
from tests.unit.sandbox_store.servers import RealServer

from pointsman.sandbox.schema.published import schema_of


def test_the_file_is_what_the_api_server_publishes(control_plane: ControlPlane) -> None:
    server = RealServer(control_plane)

    def document_of(api_version: str) -> Any:
        path = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
        return server.call("GET", f"/openapi/v3/{path}").body

    text = files("pointsman.sandbox.schema").joinpath("published.json").read_text()
    assert extract(document_of) == text, "make it anew: see tests/unit/sandbox_store/published.py"


def test_lists_of_a_pod_merge_by_their_keys() -> None:
    spec = schema_of("v1", "Pod").properties["spec"]
    containers = spec.properties["containers"]
    assert (containers.list_type, containers.keys, containers.merge_key) == ("map", ("name",), "name")
    assert containers.items is not None
    assert containers.items.properties["ports"].keys == ("containerPort", "protocol")
    assert spec.properties["tolerations"].list_type == "atomic"
