"""kustomize, as it is built into kubectl: the base is the chart's, and patches of profiles change what they name."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.controlplane.build import Binaries
from tests.helm.chart import BASE, ROOT
from tests.manifests.install import documents

Object = dict[str, Any]
OVERLAYS = ROOT / "deploy" / "overlays"


@pytest.fixture(scope="module")
def kubectl(controlplane_binaries: Binaries) -> Path:
    return controlplane_binaries.kubectl


@pytest.fixture
def deploy(tmp_path: Path) -> Path:
    """A copy of deploy/ to put more overlays into."""
    return Path(shutil.copytree(ROOT / "deploy", tmp_path / "deploy"))


def build(kubectl: Path, folder: Path) -> list[Object]:
    done = subprocess.run([str(kubectl), "kustomize", str(folder)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return list(yaml.safe_load_all(done.stdout))


def overlay(folder: Path, **fields: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "kustomization.yaml").write_text(json.dumps(fields))
    return folder


def key(one: Object) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def test_the_base_is_the_plain_manifests(kubectl: Path) -> None:
    assert sorted(build(kubectl, BASE), key=key) == sorted(documents(), key=key)


def rules(profile: Object) -> dict[str, Object]:
    return {one["name"]: one for one in profile["spec"]["priorities"]}


def test_a_patch_changes_one_weight_and_turns_one_rule_off(kubectl: Path) -> None:
    before = rules(yaml.safe_load((ROOT / "examples" / "binpack.yaml").read_text()))
    [profile] = build(kubectl, OVERLAYS / "profiles")

    assert rules(profile) == {
        "NodeResourcesFit": before["NodeResourcesFit"] | {"weight": 3},
        "NodeResourcesBalancedAllocation": before["NodeResourcesBalancedAllocation"],
        "ImageLocality": {"name": "ImageLocality", "state": "Disabled"},
    }


def test_without_the_component_the_same_patch_loses_args_without_a_word(kubectl: Path, deploy: Path) -> None:
    alone = overlay(
        deploy / "overlays" / "alone",
        resources=["../../kustomize/profiles"],
        patches=[{"patch": (OVERLAYS / "profiles" / "binpack.yaml").read_text()}],
    )

    [profile] = build(kubectl, alone)

    assert profile["spec"]["priorities"] == [
        {"name": "NodeResourcesFit", "weight": 3},
        {"name": "ImageLocality", "state": "Disabled"},
    ]


DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "web"},
    "spec": {
        "template": {
            "spec": {
                "schedulerName": "binpack",
                "containers": [{"name": "web", "image": "web:1"}, {"name": "proxy", "image": "proxy:1"}],
            }
        }
    },
}


def test_a_prefix_renames_profile_scheduler_and_the_pods_that_name_it(kubectl: Path, deploy: Path) -> None:
    team = overlay(
        deploy / "overlays" / "team",
        resources=["../../kustomize/profiles", "web.yaml"],
        components=["../../kustomize"],
        namePrefix="team-a-",
    )
    (team / "web.yaml").write_text(json.dumps(DEPLOYMENT))

    web, profile = build(kubectl, team)

    assert profile["metadata"] == {"name": "team-a-binpack"}
    assert profile["spec"]["schedulerName"] == "team-a-binpack"
    assert web["spec"]["template"]["spec"]["schedulerName"] == "team-a-binpack"


def test_a_profile_gets_no_namespace_and_other_kinds_merge_as_ever(kubectl: Path, deploy: Path) -> None:
    patch = {
        **DEPLOYMENT,
        "spec": {"template": {"spec": {"containers": [{"name": "proxy", "image": "proxy:2"}]}}},
    }
    mixed = overlay(
        deploy / "overlays" / "mixed",
        resources=["../../kustomize/profiles", "web.yaml"],
        components=["../../kustomize"],
        namespace="team-a",
        patches=[{"patch": json.dumps(patch)}],
    )
    (mixed / "web.yaml").write_text(json.dumps(DEPLOYMENT))

    made = {one["kind"]: one for one in build(kubectl, mixed)}

    assert made["SchedulerProfile"]["metadata"] == {"name": "binpack"}
    assert made["Deployment"]["metadata"] == {"name": "web", "namespace": "team-a"}
    containers = {one["name"]: one["image"] for one in made["Deployment"]["spec"]["template"]["spec"]["containers"]}
    assert containers == {"web": "web:1", "proxy": "proxy:2"}


def test_an_image_of_another_registry_reaches_operator_and_engines(kubectl: Path) -> None:
    made = build(kubectl, OVERLAYS / "operator")

    [operator] = [one for one in made if one["kind"] == "Deployment"]
    [container] = operator["spec"]["template"]["spec"]["containers"]
    image = "registry.example.com/pointsman:0.1.0"
    assert container["image"] == image
    assert {"name": "POINTSMAN_ENGINE_IMAGE", "value": image} in container["env"]
    assert operator["spec"]["replicas"] == 2


def test_the_overlay_of_the_operator_changes_nothing_else(kubectl: Path) -> None:
    base = {(one["kind"], one["metadata"]["name"]) for one in documents()}
    made = {(one["kind"], one["metadata"]["name"]) for one in build(kubectl, OVERLAYS / "operator")}

    assert made - base == {("PodDisruptionBudget", "pointsman-operator")}
    assert base - made == set()


def test_argo_cds_settings_get_the_health_of_profiles(kubectl: Path, deploy: Path) -> None:
    settings = {
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "argocd-cm"}, "data": {"url": "https://cd"},
    }  # fmt: skip
    argo = overlay(deploy / "argo-installed", resources=["settings.yaml"], components=["../argocd"])
    (argo / "settings.yaml").write_text(json.dumps(settings))

    [made] = build(kubectl, argo)

    health = (ROOT / "deploy" / "argocd" / "health.lua").read_text()
    assert made["metadata"]["name"] == "argocd-cm"
    assert made["data"] == {
        "url": "https://cd",
        "resource.customizations.health.pointsman.dev_SchedulerProfile": health,
    }


@pytest.mark.parametrize("sample", ["argocd/applications.yaml", "flux/pointsman.yaml"])
def test_folders_that_samples_name_exist(sample: str) -> None:
    def named(value: Any) -> list[str]:
        if isinstance(value, dict):
            own = [one for name, one in value.items() if name in {"path", "chart"} and isinstance(one, str)]
            return own + [path for one in value.values() for path in named(one)]
        return []

    objects = list(yaml.safe_load_all((ROOT / "deploy" / sample).read_text()))
    folders = [path for one in objects for path in named(one.get("spec", {}))]

    assert sorted(Path(path).as_posix() for path in folders) == ["charts/pointsman", "deploy/overlays/profiles"]
    assert all((ROOT / path).is_dir() for path in folders)
