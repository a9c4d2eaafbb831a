"""A release on a real API server, from the first dry run to nothing being left, with the operator's pod at work."""

import os
import re
import subprocess
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.controlplane.build import Binaries
from tests.controlplane.plane import ControlPlane
from tests.controlplane.server import running
from tests.controlplane.wait import eventually
from tests.e2e.agent_thread import running_agent
from tests.e2e.fleet import CONTROL_NODE, QUICK_RESTARTS
from tests.helm.chart import BASE, CHART, PLAIN
from tests.helm.helm import Helm
from tests.helm.install import RELEASE, SYSTEM, install_chart, uninstall_chart

pytestmark = pytest.mark.timeout(300)

KIND = "schedulerprofiles.pointsman.dev"
OPERATOR = "deployment/pointsman-operator"

Inventory = set[tuple[str, str, str]]


@pytest.fixture
def cluster(controlplane_binaries: Binaries, tmp_path: Path) -> Iterator[ControlPlane]:
    """A cluster of one node that runs Pointsman's image, and the stock kube-scheduler."""
    (tmp_path / "control-plane").mkdir()
    with (
        running(tmp_path / "control-plane", controlplane_binaries, scheduler=True) as plane,
        running_agent(plane.kubeconfig, tmp_path / "agent", [CONTROL_NODE], backoff=QUICK_RESTARTS),
    ):
        yield plane


def inventory(plane: ControlPlane) -> Inventory:
    """Kind, namespace and name of everything in the cluster but events, which fade by themselves."""
    kinds = plane.kubectl("api-resources", "--verbs=list", "-o", "name").stdout.split()
    asked = ",".join(kind for kind in kinds if kind.split(".")[0] not in {"events", "componentstatuses"})
    columns = "custom-columns=KIND:.kind,NAMESPACE:.metadata.namespace,NAME:.metadata.name"
    lines = plane.kubectl("get", asked, "--all-namespaces", "--no-headers", "-o", columns).stdout.splitlines()
    found = (line.split() for line in lines)
    return {(kind, namespace, name) for kind, namespace, name in found}


def run_commands_of_the_notes(plane: ControlPlane, helm: Helm) -> str:
    """Everything that NOTES.txt sets apart by two spaces, run by a shell as a person would paste it."""
    notes = helm("get", "notes", RELEASE, "--namespace", SYSTEM, kubeconfig=plane.kubeconfig).stdout
    commands = "\n".join(textwrap.dedent(block) for block in re.findall(r"(?:^ {2}.*\n)+", notes, re.M))
    done = subprocess.run(
        ["/bin/sh", "-e"],
        input=commands,
        env={
            "PATH": f"{plane.kubectl_path.parent}:{os.environ['PATH']}",
            "HOME": str(plane.folder),
            "KUBECONFIG": str(plane.kubeconfig),
        },
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def changed_by_the_plain_manifests(plane: ControlPlane) -> set[str]:
    """The objects that applying the kustomize base would change, as `kubectl diff` names them."""
    options = ("--server-side", "--force-conflicts", "-k", str(BASE))
    done = plane.kubectl("diff", *options, check=False)
    assert done.returncode in {0, 1}, done.stderr
    return set(re.findall(r"^\+\+\+ \S*/(\S+)", done.stdout, re.M))


def test_a_server_side_dry_run_is_clean(cluster: ControlPlane, helm: Helm) -> None:
    before = inventory(cluster)
    release = ("install", RELEASE, str(CHART), "--namespace", SYSTEM, "--create-namespace", "--dry-run=server")

    tried = helm(*release, kubeconfig=cluster.kubeconfig)

    assert tried.stderr == ""
    assert inventory(cluster) == before
    for namespace in (SYSTEM, "pointsman-engines"):
        cluster.kubectl("create", "namespace", namespace)
        cluster.kubectl("label", "namespace", namespace, "pod-security.kubernetes.io/warn=restricted")
    strict = ("apply", "--server-side", "--dry-run=server", "--validate=strict", "-f", "-")
    for values in ((), ("--set", "operator.replicas=3"), PLAIN):
        tried = cluster.kubectl(*strict, input=helm.template(CHART, *values))
        assert tried.stderr == ""
        assert not [line for line in tried.stdout.splitlines() if "dry run" not in line]


def test_a_release_is_installed_used_upgraded_and_uninstalled(cluster: ControlPlane, helm: Helm) -> None:
    before = inventory(cluster)

    install_chart(cluster, helm)
    cluster.kubectl("rollout", "status", OPERATOR, "-n", SYSTEM, "--timeout=60s")
    assert changed_by_the_plain_manifests(cluster) == {f"v1.Namespace..{SYSTEM}"}  # Helm made it, without levels

    said = run_commands_of_the_notes(cluster, helm)
    assert "schedulerprofile.pointsman.dev/binpack condition met" in said
    assert cluster.get("namespace", SYSTEM)["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] == "restricted"

    upgrade = ("upgrade", RELEASE, str(CHART), "--namespace", SYSTEM, "--set", "operator.replicas=2")
    helm(*upgrade, kubeconfig=cluster.kubeconfig)
    cluster.kubectl("rollout", "status", OPERATOR, "-n", SYSTEM, "--timeout=60s")
    budget = cluster.get("poddisruptionbudget", "pointsman-operator", "-n", SYSTEM)
    assert budget["spec"]["maxUnavailable"] == 1
    cluster.kubectl("wait", "--for=condition=Ready", "sprof/binpack", "--timeout=30s")

    cluster.kubectl("delete", "schedulerprofiles", "--all", "--timeout=30s")
    eventually(lambda: left_of_profiles(cluster) == [], what="the profile's children to be gone", within=60)
    uninstall_chart(cluster, helm)
    kept = {
        ("CustomResourceDefinition", "<none>", KIND),
        ("APIService", "<none>", "v1alpha1.pointsman.dev"),  # of the API server itself, for the kind
        ("Namespace", "<none>", SYSTEM),  # Helm made it, and leaves it
        ("ServiceAccount", SYSTEM, "default"),
        ("ConfigMap", SYSTEM, "kube-root-ca.crt"),
    }

    def as_before() -> bool:
        assert inventory(cluster) - before == kept
        return True

    eventually(as_before, what="nothing but the kind to be left", within=60)
    assert before - inventory(cluster) == set()


def left_of_profiles(plane: ControlPlane) -> list[str]:
    kinds = "configmap,serviceaccount,lease,role,rolebinding,deployment,pod,clusterrolebinding"
    found = plane.kubectl("get", kinds, "--all-namespaces", "-l", "pointsman.dev/profile", "-o", "name")
    return found.stdout.split()


def test_profiles_outlive_a_release_and_are_served_by_the_next(cluster: ControlPlane, helm: Helm) -> None:
    install_chart(cluster, helm)
    profile = (CHART.parents[1] / "examples" / "binpack.yaml").read_text()
    cluster.apply(profile)
    cluster.kubectl("wait", "--for=condition=Ready", "sprof/binpack", "--timeout=90s")

    uninstall_chart(cluster, helm)
    assert cluster.get("sprof", "binpack")["spec"]["schedulerName"] == "binpack"

    install_chart(cluster, helm)
    cluster.kubectl("rollout", "status", OPERATOR, "-n", SYSTEM, "--timeout=60s")

    def led_anew() -> bool:
        pods = cluster.get("pods", "-n", "pointsman-engines", "-l", "pointsman.dev/profile=binpack")["items"]
        status = cluster.get("sprof", "binpack")["status"]
        engines = {engine["pod"] for engine in status["engines"] if engine["ready"]}
        return bool(engines) and engines == {pod["metadata"]["name"] for pod in pods}

    eventually(led_anew, what="an engine of the new release to lead", within=90)
