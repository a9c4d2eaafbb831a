"""The manifests on a real API server: every field known, nothing changed by a second apply, the pod admitted."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.controlplane.plane import ControlPlane
from tests.controlplane.wait import eventually
from tests.manifests.install import KUSTOMIZATION, MANIFESTS, ROOT, files, install

pytestmark = pytest.mark.usefixtures("installed")


def versions(plane: ControlPlane) -> dict[str, str]:
    found = plane.kubectl("get", "-k", str(MANIFESTS), "-o", "json").stdout
    return {item["metadata"]["uid"]: item["metadata"]["resourceVersion"] for item in json.loads(found)["items"]}


def test_one_kubectl_command_applies_everything_and_a_second_one_changes_nothing(installed: ControlPlane) -> None:
    # Controllers write into new objects (a Deployment's first status); apply until that has ended.
    def settled() -> bool:
        before = versions(installed)
        install(installed)
        return versions(installed) == before

    eventually(settled, what="an apply that changes nothing")


def test_every_file_is_read() -> None:
    others = {path for path in MANIFESTS.iterdir() if path not in files()}

    assert others == {KUSTOMIZATION, MANIFESTS / "images-in.yaml"}


def test_the_operators_pod_passes_the_restricted_pod_security_level(installed: ControlPlane) -> None:
    def pods() -> list[dict[str, Any]]:
        return list(installed.get("pods", "-n", "pointsman-system")["items"])

    [pod] = eventually(pods, what="the operator's pod")

    container = pod["spec"]["containers"][0]
    assert pod["spec"]["serviceAccountName"] == "pointsman-operator"
    assert container["args"][0] == "operator"
    assert {variable["name"] for variable in container["env"]} == {
        "POD_NAME", "POD_NAMESPACE", "POD_IP", "POINTSMAN_FLEET_NAMESPACE", "POINTSMAN_ENGINE_IMAGE",
    }  # fmt: skip


@pytest.mark.parametrize("namespace", ["pointsman-system", "pointsman-engines"])
def test_a_pod_that_reaches_for_its_node_is_refused_in_both_namespaces(installed: ControlPlane, namespace: str) -> None:
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "reaching", "namespace": namespace},
        "spec": {"hostNetwork": True, "containers": [{"name": "main", "image": "none"}]},
    }

    done = installed.apply(pod, check=False)

    assert 'violates PodSecurity "restricted:latest"' in done.stderr


@pytest.mark.parametrize("example", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.name)
def test_every_example_is_a_profile_that_the_api_server_takes(installed: ControlPlane, example: Path) -> None:
    installed.kubectl("create", "--dry-run=server", "--validate=strict", "-f", str(example))
