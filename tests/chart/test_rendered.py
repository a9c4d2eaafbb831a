"""What the chart renders by default and with each value, by both major versions of Helm."""

import copy
import importlib.metadata
from typing import Any

import pytest
import yaml

from tests.helm.chart import CHART, CUSTOM_RESOURCE, HELMS_LABELS, PLAIN, copies, rendered
from tests.helm.helm import Helm, HelmError
from tests.manifests.install import documents

Object = dict[str, Any]

KEEP = "helm.sh/resource-policy"
DIGEST = "sha256:" + "a" * 64


def identity(one: Object) -> tuple[str, str, str]:
    return one["kind"], one["metadata"].get("namespace", ""), one["metadata"]["name"]


def by_identity(objects: list[Object] | tuple[Object, ...]) -> dict[tuple[str, str, str], Object]:
    return {identity(one): one for one in objects}


def only(objects: list[Object], kind: str, name: str) -> Object:
    [found] = [one for one in objects if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def plain(one: Object) -> Object:
    """The object without what only Helm needs."""
    made = copy.deepcopy(one)
    for label in HELMS_LABELS:
        del made["metadata"]["labels"][label]
    return made


def operator(objects: list[Object]) -> Object:
    pod: Object = only(objects, "Deployment", "pointsman-operator")["spec"]["template"]["spec"]
    return pod


def test_files_that_are_made_from_others_are_current() -> None:
    stale = [path.name for path, text in copies().items() if path.read_text() != text]

    assert stale == [], "run `make rendered`"


def test_files_that_helm_renders_are_current(helm4: Helm) -> None:
    stale = [path.name for path, text in rendered(helm4).items() if not path.exists() or path.read_text() != text]

    assert stale == [], "run `make rendered`"


def test_the_plain_manifests_are_what_the_chart_installs(helm: Helm) -> None:
    made = by_identity([plain(one) for one in helm.objects(CHART, *PLAIN)])

    assert made == by_identity(documents())


def test_by_default_helm_makes_the_release_namespace_and_keeps_the_kind(helm: Helm) -> None:
    default, manifests = by_identity(helm.objects(CHART)), by_identity(documents())

    assert set(manifests) - set(default) == {("Namespace", "", "pointsman-system")}
    assert set(default) - set(manifests) == set()
    kind = default["CustomResourceDefinition", "", "schedulerprofiles.pointsman.dev"]
    assert kind["metadata"]["annotations"] == {KEEP: "keep"}
    assert [where for where, one in default.items() if KEEP in one["metadata"].get("annotations", {})] == [
        identity(kind)
    ]


def test_the_kind_is_the_one_of_crds(helm: Helm) -> None:
    kind = only(helm.objects(CHART), "CustomResourceDefinition", "schedulerprofiles.pointsman.dev")

    assert kind["spec"] == yaml.safe_load(CUSTOM_RESOURCE.read_text())["spec"]


def test_the_chart_is_of_the_packages_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())

    assert chart["appVersion"] == chart["version"] == importlib.metadata.version("pointsman")


def test_lint_finds_nothing(helm: Helm) -> None:
    said = helm("lint", "--strict", str(CHART)).stdout

    assert "0 chart(s) failed" in said
    assert "[WARNING]" not in said
    assert "[ERROR]" not in said


def test_other_namespaces_reach_every_object(helm: Helm) -> None:
    text = helm.template(CHART, "--set", "fleet.namespace=engines", namespace="schedulers")

    assert "pointsman-system" not in text
    assert "pointsman-engines" not in text
    objects = [one for one in yaml.safe_load_all(text) if one]
    assert {one["metadata"].get("namespace") for one in objects} == {None, "default", "engines", "schedulers"}
    assert {"name": "POINTSMAN_FLEET_NAMESPACE", "value": "engines"} in operator(objects)["containers"][0]["env"]
    policy = only(objects, "ValidatingAdmissionPolicy", "pointsman-engine-bindings")["spec"]
    assert '"system:serviceaccount:schedulers:pointsman-operator"' in policy["variables"][2]["expression"]
    assert 'subject.namespace == "engines"' in policy["validations"][0]["expression"]


def test_names_that_look_like_numbers_stay_names(helm: Helm) -> None:
    objects = helm.objects(CHART, "--set-string", "fleet.namespace=1234", namespace="5678")

    assert only(objects, "Namespace", "1234")
    assert {one["metadata"].get("namespace") for one in objects} == {None, "default", "1234", "5678"}


def test_engines_never_share_the_operators_namespace(helm: Helm) -> None:
    with pytest.raises(HelmError, match=r"fleet\.namespace must not be the release's namespace"):
        helm.template(CHART, "--set", "fleet.namespace=schedulers", namespace="schedulers")


@pytest.mark.parametrize(
    ("values", "image"),
    [
        pytest.param([], "pointsman/pointsman:0.1.0", id="the version of the chart by default"),
        pytest.param(["image.repository=registry.example.com:5000/p"], "registry.example.com:5000/p:0.1.0", id="moved"),
        pytest.param(["image.tag=edge"], "pointsman/pointsman:edge", id="another tag"),
        pytest.param([f"image.digest={DIGEST}", "image.tag=edge"], f"pointsman/pointsman@{DIGEST}", id="a digest wins"),
    ],
)
def test_engines_run_the_operators_image(helm: Helm, values: list[str], image: str) -> None:
    [container] = operator(helm.objects(CHART, *(f"--set={value}" for value in values)))["containers"]

    assert container["image"] == image
    assert {"name": "POINTSMAN_ENGINE_IMAGE", "value": image} in container["env"]


def test_images_that_profiles_may_name_are_lines_of_the_list(helm: Helm) -> None:
    objects = helm.objects(CHART, "--set", f"images.allow={{example.com/engine:1,example.com/other@{DIGEST}}}")

    images = only(objects, "ConfigMap", "pointsman-images")["data"]["images"]
    assert images.split("\n") == ["example.com/engine:1", f"example.com/other@{DIGEST}", ""]


@pytest.mark.parametrize(("replicas", "budgets"), [(0, 0), (1, 0), (2, 1)])
def test_several_replicas_have_a_disruption_budget(helm: Helm, replicas: int, budgets: int) -> None:
    objects = helm.objects(CHART, "--set", f"operator.replicas={replicas}")

    assert only(objects, "Deployment", "pointsman-operator")["spec"]["replicas"] == replicas
    found = [one for one in objects if one["kind"] == "PodDisruptionBudget"]
    assert len(found) == budgets
    assert all(one["spec"]["maxUnavailable"] == 1 for one in found)


@pytest.mark.parametrize(
    ("value", "gone"),
    [
        ("crds.enabled=false", {"CustomResourceDefinition"}),
        ("fleet.create=false", {"Namespace"}),
        ("networkPolicy.enabled=false", {"NetworkPolicy"}),
    ],
)
def test_a_part_that_is_turned_off_is_gone_and_nothing_else(helm: Helm, value: str, gone: set[str]) -> None:
    before, after = by_identity(helm.objects(CHART)), by_identity(helm.objects(CHART, "--set", value))

    assert {kind for kind, _, _ in set(before) - set(after)} == gone
    assert {where: one for where, one in before.items() if where in after} == after


def test_a_kind_that_is_not_kept_has_no_annotation(helm: Helm) -> None:
    objects = helm.objects(CHART, "--set", "crds.keep=false")

    kind = only(objects, "CustomResourceDefinition", "schedulerprofiles.pointsman.dev")
    assert "annotations" not in kind["metadata"]


def test_labels_of_the_user_are_everywhere_and_hide_none_of_the_charts(helm: Helm) -> None:
    objects = helm.objects(
        CHART, "--set", "extraLabels.team=platform", "--set", r"extraLabels.app\.kubernetes\.io/name=other"
    )

    labels = [one["metadata"]["labels"] for one in objects]
    assert {one["team"] for one in labels} == {"platform"}
    assert {one["app.kubernetes.io/name"] for one in labels} == {"pointsman"}


def test_labels_of_the_operators_pods_cannot_break_its_selector(helm: Helm) -> None:
    objects = helm.objects(
        CHART, "--set", "operator.podLabels.team=x", "--set", r"operator.podLabels.app\.kubernetes\.io/name=y"
    )

    spec = only(objects, "Deployment", "pointsman-operator")["spec"]
    assert spec["template"]["metadata"]["labels"] == {**spec["selector"]["matchLabels"], "team": "x"}


def test_where_the_operator_runs_is_passed_on(helm: Helm) -> None:
    placed = {
        "priorityClassName": "system-cluster-critical",
        "nodeSelector": {"pool": "control"},
        "tolerations": [{"key": "control", "operator": "Exists"}],
    }

    objects = helm.objects(
        CHART,
        "--set=operator.priorityClassName=system-cluster-critical",
        "--set=operator.nodeSelector.pool=control",
        "--set=operator.tolerations[0].key=control,operator.tolerations[0].operator=Exists",
    )

    assert {name: operator(objects)[name] for name in placed} == placed


@pytest.mark.parametrize("namespace", ["pointsman-system", "pointsman-engines"])
def test_in_both_namespaces_everything_is_denied_but_what_is_needed(helm: Helm, namespace: str) -> None:
    policies = [
        one["spec"]
        for one in helm.objects(CHART)
        if one["kind"] == "NetworkPolicy" and one["metadata"]["namespace"] == namespace
    ]

    assert {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]} in policies
    [needed] = [spec for spec in policies if "egress" in spec]
    open_ports = {port["port"] for rule in needed["egress"] for port in rule["ports"]}
    assert open_ports == {53, 443, 6443}
    assert needed["ingress"] == [{"ports": [{"protocol": "TCP", "port": 8080}]}]


def test_network_policies_narrow_to_the_api_server_and_the_monitoring(helm: Helm) -> None:
    objects = helm.objects(
        CHART,
        "--set=networkPolicy.apiServer.cidrs={10.0.0.1/32}",
        r"--set=networkPolicy.clients[0].namespaceSelector.matchLabels.kubernetes\.io/metadata\.name=monitoring",
    )

    for name in ("pointsman-operator", "pointsman-engine"):
        spec = only(objects, "NetworkPolicy", name)["spec"]
        assert spec["egress"][1]["to"] == [{"ipBlock": {"cidr": "10.0.0.1/32"}}]
        monitoring = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}
        assert spec["ingress"][0]["from"] == [monitoring]


def test_a_kubernetes_that_is_too_old_is_refused(helm: Helm) -> None:
    with pytest.raises(HelmError, match=r"requires kubeVersion: >=1\.30\.0-0"):
        helm.template(CHART, "--kube-version", "1.29.9")


def test_a_package_of_the_chart_renders_the_same(helm: Helm) -> None:
    helm("package", str(CHART), "--destination", str(helm.folder))

    assert helm.objects(helm.folder / "pointsman-0.1.0.tgz") == helm.objects(CHART)
