"""Helm 3 and Helm 4; `python -m tests.helm.build` makes what is missing of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import click

from tests.controlplane.build import report
from tests.controlplane.gomodule import Module, Say
from tests.controlplane.programs import Programs

HERE = Path(__file__).parent

HELM_3 = Module(
    HERE / "helm3",
    "helm.sh/helm/v3",
    {"helm3": "helm.sh/helm/v3/cmd/helm"},
    "2 minutes",
    {
        "helm.sh/helm/v3/internal/version.version": "{version}",
        # The Kubernetes that `helm template` and `helm lint` assume: that of client-go in go.mod, as Helm's own build
        # sets it. Helm 4 reads it from the program itself.
        "helm.sh/helm/v3/pkg/chartutil.k8sVersionMajor": "1",
        "helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor": "37",
    },
)
HELM_4 = Module(
    HERE / "helm4",
    "helm.sh/helm/v4",
    {"helm4": "helm.sh/helm/v4/cmd/helm"},
    "3 minutes",
    {"helm.sh/helm/v4/internal/version.version": "{version}"},
)
HELMS = Programs("Helm", Path("helm", f"{HELM_3.version}-{HELM_4.version}"), (HELM_3, HELM_4))


@dataclass(frozen=True, slots=True)
class HelmBinaries:
    """Paths of the programs, each of which exists."""

    helm3: Path
    helm4: Path


def provide(environ: Mapping[str, str], say: Say) -> HelmBinaries:
    """Both programs, built where they are missing. Raises Unavailable with one clear sentence."""
    return HelmBinaries(**HELMS.provide(environ, say))


@click.command()
def main() -> None:
    """Build what is missing of Helm 3 and Helm 4, and say where they are."""
    report("helm", HELMS)


if __name__ == "__main__":
    main()
