"""Installing Pointsman's manifests on a control plane, as the README tells an administrator to do it."""

import functools
from pathlib import Path
from typing import Any

import yaml

from tests.controlplane.plane import ControlPlane

ROOT = Path(__file__).parents[2]
CUSTOM_RESOURCES = ROOT / "crds"
MANIFESTS = ROOT / "deploy" / "manifests"

OPERATOR = "system:serviceaccount:pointsman-system:pointsman-operator"


def files() -> list[Path]:
    """All manifests, in the order in which kubectl applies them."""
    return [*sorted(CUSTOM_RESOURCES.glob("*.yaml")), *sorted(MANIFESTS.glob("*.yaml"))]


@functools.cache
def documents() -> tuple[dict[str, Any], ...]:
    """Every object of the manifests."""
    return tuple(document for path in files() for document in yaml.safe_load_all(path.read_text()))


def install(plane: ControlPlane) -> None:
    """Apply custom resources and manifests with one command; a field that the server does not know is an error."""
    folders = ("-f", str(CUSTOM_RESOURCES), "-f", str(MANIFESTS))
    plane.kubectl("apply", "--server-side", "--validate=strict", *folders)
    plane.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=20s")
