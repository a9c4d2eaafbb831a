"""Installing the chart on a control plane, as the README tells an administrator to do it."""

from tests.controlplane.plane import ControlPlane
from tests.helm.chart import CHART
from tests.helm.helm import Helm

RELEASE = "pointsman"
SYSTEM = "pointsman-system"


def install_chart(plane: ControlPlane, helm: Helm, *options: str) -> None:
    """Install a release, `options` (values, for example) included, and wait until the API server knows the kind.

    The operator's pod is not waited for: `kubectl rollout status deployment/pointsman-operator` does that.
    """
    release = ("install", RELEASE, str(CHART), "--namespace", SYSTEM, "--create-namespace")
    helm(*release, *options, kubeconfig=plane.kubeconfig)
    plane.kubectl("wait", "--for=condition=Established", "crd/schedulerprofiles.pointsman.dev", "--timeout=20s")


def uninstall_chart(plane: ControlPlane, helm: Helm) -> None:
    """Uninstall the release and wait until its objects are gone."""
    helm("uninstall", RELEASE, "--namespace", SYSTEM, "--wait", "--timeout=60s", kubeconfig=plane.kubeconfig)
