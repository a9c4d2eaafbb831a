"""Helm is built as the control plane is: from pinned modules, once, each program with its version."""

import re

import pytest

from tests.controlplane.gomodule import Module
from tests.helm import build
from tests.helm.helm import Helm


def test_the_cache_folder_carries_the_versions_of_both() -> None:
    folder = build.HELMS.cache_folder({"XDG_CACHE_HOME": "/cache"})

    assert str(folder) == "/cache/pointsman/helm/v3.22.0-v4.3.1"


@pytest.mark.parametrize("module", build.HELMS.modules, ids=lambda module: module.dependency)
def test_the_kubernetes_that_helm_assumes_is_that_of_its_client(module: Module) -> None:
    client = re.search(r"k8s\.io/client-go v0\.(\d+)\.", (module.folder / "go.mod").read_text())

    assert client
    assert client[1] == module.stamps.get("helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor", client[1])


def test_each_helm_is_of_its_major_version(helm: Helm) -> None:
    assert helm("version", "--template", "{{ .Version }}").stdout == {3: "v3.22.0", 4: "v4.3.1"}[helm.major]
