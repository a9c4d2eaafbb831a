"""Installing Pointsman's plain manifests on a control plane, as deploy/README.md tells an administrator to do it."""

import functools
from pathlib import Path
from typing import Any

import yaml

from tests.controlplane.plane import ControlPlane

ROOT = Path(__file__).parents[2]
MANIFESTS = ROOT / "deploy" / "kustomize" / "base"
KUSTOMIZATION = MANIFESTS / "kustomization.yaml"

OPERATOR = "system:serviceaccount:pointsman-system:pointsman-operator"


def files() -> list[Path]:
    """All manifests, in the order in which the kustomization names them."""
    return [MANIFESTS / name for name in yaml.safe_load(KUSTOMIZATION.read_text())["resources"]]


@functools.cache
def documents() -> tuple[dict[str, Any], ...]:
    """Every object of the manifests."""
    return tuple(document for path in files() for document in yaml.safe_load_all(path.read_text()))


def install(plane: ControlPlane) -> None:
    """Apply everything with one command; a field that the server does not know is an error."""
    plane.kubectl("apply", "--server-side", "--validate=strict", "-k", str(MANIFESTS))
    plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=20s")
