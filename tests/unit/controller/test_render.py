"""What the templates make: exactly the expected objects, whatever text a profile holds."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.controller.scene import FLEET, UID, plain, scene

from pointsman.api.spec import EngineSpec, ResourceListSpec, ResourcesSpec, TolerationSpec
from pointsman.controller.plan.revision import Revision, from_config_map
from pointsman.controller.render.allowlist import AllowlistError, faults_of, require
from pointsman.controller.render.children import Child, Fleet
from pointsman.controller.render.render import render, yaml_json
from pointsman.kube.resources import CONFIG_MAPS, DEPLOYMENTS, ROLES, SERVICE_ACCOUNTS

GOLDEN = Path(__file__).parent / "golden" / "children.yaml"
RICH: dict[str, Any] = {
    "replicas": 2,
    "engine": {
        "logLevel": "Debug",
        "nodeSelector": {"pool": "control"},
        "tolerations": [{"key": "control", "operator": "Exists", "effect": "NoSchedule"}],
        "priorityClassName": "system-cluster-critical",
        "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
    },
}
REVISION = scene(**RICH).revision

HOSTILE = [
    "\nhostNetwork: true",
    "x\n      hostNetwork: true\n      serviceAccountName: admin",
    "\n---\napiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRoleBinding\nmetadata: {name: pwn}",
    "x, hostNetwork: true, b: y",
    "} , {name: evil, image: evil}",
    "]\n- evil",
    "a #cut",
    "# comment",
    "'",
    '"',
    '", "privileged": true, "x": "',
    "{{ 7 * 7 }}",
    "{% for x in range(10**9) %}{% endfor %}",
    "{{ cycler.__init__.__globals__.os.popen('id').read() }}",
    "{# comment #}",
    "&anchor x",
    "*anchor",
    "!!python/object/apply:os.system [id]",
    "<<: *x",
    "$(POD_NAME)",
    "on",
    "no",
    "012",
    "1:30",
    "null",
    "~",
    "\u2028hostNetwork: true",
    "\x85hostNetwork: true",
    "\ufeffhostNetwork: true",
    "\t- evil",
    "emoji \U0001f680 and \ufffe",
    "|",
    "> folded",
    "? key",
    "\\u0022",
    "x" * 5000,
]

Change = Callable[[Revision, str], Revision]


def engine(**fields: Any) -> Callable[[Revision, str], Revision]:
    """Put a text into engine settings, past the models that would refuse it."""

    def change(revision: Revision, text: str) -> Revision:
        made = {key: make(text) for key, make in fields.items()}
        return replace(revision, engine=revision.engine.model_copy(update=made))

    return change


def resources(text: str) -> ResourcesSpec:
    return ResourcesSpec.model_construct(requests=ResourceListSpec.model_construct(cpu=text), limits=None)


def toleration(text: str) -> tuple[TolerationSpec, ...]:
    return (TolerationSpec.model_construct(key=text, operator="Equal", value=text, effect=text),)


FIELDS: dict[str, Change] = {
    "engine.image": engine(image=str),
    "engine.priorityClassName": engine(priority_class_name=str),
    "engine.nodeSelector key": engine(node_selector=lambda text: {text: "x"}),
    "engine.nodeSelector value": engine(node_selector=lambda text: {"x": text}),
    "engine.tolerations": engine(tolerations=toleration),
    "engine.resources": engine(resources=resources),
    "notes": lambda revision, text: replace(revision, notes=(text,)),
    "policy document": lambda revision, text: replace(revision, content=text.encode()),
}


def structure(value: Any) -> Any:
    """An object's keys and the kinds of its values, without the values."""
    if isinstance(value, Mapping):
        return {key: structure(item) for key, item in value.items()}
    return [structure(item) for item in value] if isinstance(value, list) else type(value)


def texts(value: Any) -> list[str]:
    """Every string in an object, keys too."""
    if isinstance(value, Mapping):
        return [text for key, item in value.items() for text in (key, *texts(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


def test_the_children_of_one_profile_are_as_the_golden_file_says() -> None:
    made = [plain(child) for child in render(REVISION, UID, FLEET)]
    assert made == list(yaml.safe_load_all(GOLDEN.read_text()))


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: json.dumps(text)[:30])
@pytest.mark.parametrize("field", [field for field in FIELDS if "key" not in field])
def test_hostile_text_stays_text(field: str, text: str) -> None:
    harmless = render(FIELDS[field](REVISION, "harmless"), UID, FLEET)
    made = render(FIELDS[field](REVISION, text), UID, FLEET)
    assert structure([child.body for child in made]) == structure([child.body for child in harmless])
    assert field == "notes" or any(text in found for child in made for found in texts(child.body))


@given(text=st.text(min_size=1, max_size=200), field=st.sampled_from([field for field in FIELDS if "key" not in field]))
def test_no_text_changes_the_structure(field: str, text: str) -> None:
    harmless = render(FIELDS[field](REVISION, "harmless"), UID, FLEET)
    made = render(FIELDS[field](REVISION, text), UID, FLEET)
    assert structure([child.body for child in made]) == structure([child.body for child in harmless])


@given(note=st.text(), content=st.text())
def test_a_revision_comes_back_from_its_config_map_as_it_was(note: str, content: str) -> None:
    revision = replace(REVISION, notes=(note,))
    (made,) = (child for child in render(revision, UID, FLEET) if child.identity.resource is CONFIG_MAPS)
    assert from_config_map("binpack", made.body) == revision
    forged = {**made.body, "data": {"binpack.json": content}}
    assert from_config_map("binpack", forged) is None


@given(text=st.text(min_size=1, max_size=100))
def test_a_key_with_any_text_stays_one_key(text: str) -> None:
    made = render(FIELDS["engine.nodeSelector key"](REVISION, text), UID, FLEET)
    deployment = next(child.body for child in made if child.identity.resource is DEPLOYMENTS)
    assert deployment["spec"]["template"]["spec"]["nodeSelector"] == {text: "x"}


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=50), inner),
        max_leaves=8,
    )
)
def test_any_value_comes_back_equal(value: Any) -> None:
    loaded = yaml.load(f"a:\n  - {yaml_json(value)}\n", Loader=yaml.CSafeLoader)
    assert loaded == {"a": [value]}


def test_a_profile_without_settings_gets_defaults_and_no_priority_class() -> None:
    made = render(scene().revision, UID, FLEET)
    pod = next(child.body for child in made if child.identity.resource is DEPLOYMENTS)["spec"]["template"]["spec"]
    assert "priorityClassName" not in pod
    assert pod["containers"][0]["image"] == FLEET.image
    assert pod["containers"][0]["resources"]["limits"] == {"memory": "1Gi"}


def test_an_image_of_the_profile_takes_the_place_of_our_own() -> None:
    settings = EngineSpec(image="example.com/engine:1")
    made = render(replace(REVISION, engine=settings), UID, Fleet("elsewhere", FLEET.image))
    pod = next(child.body for child in made if child.identity.resource is DEPLOYMENTS)["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "example.com/engine:1"
    assert "elsewhere/engine-binpack" in pod["containers"][0]["args"]


def tampered(kind: object, change: Callable[[dict[str, Any]], object]) -> Child:
    """A rendered child with something that no template of ours makes."""
    child = next(child for child in render(REVISION, UID, FLEET) if child.identity.resource is kind)
    body = plain(child)
    change(body)
    return Child(child.identity, body)


def pod_of(body: dict[str, Any]) -> dict[str, Any]:
    pod: dict[str, Any] = body["spec"]["template"]["spec"]
    return pod


TAMPERED: dict[str, Callable[[], Child]] = {
    "another kind": lambda: tampered(SERVICE_ACCOUNTS, lambda body: body.update(kind="Secret")),
    "another group": lambda: tampered(ROLES, lambda body: body.update(apiVersion="v1")),
    "another name": lambda: tampered(ROLES, lambda body: body["metadata"].update(name="admin")),
    "another namespace": lambda: tampered(ROLES, lambda body: body["metadata"].update(namespace="kube-system")),
    "a finalizer": lambda: tampered(ROLES, lambda body: body["metadata"].update(finalizers=["x/y"])),
    "no owner": lambda: tampered(ROLES, lambda body: body["metadata"].pop("ownerReferences")),
    "a label more": lambda: tampered(ROLES, lambda body: body["metadata"]["labels"].update(extra="x")),
    "a verb more": lambda: tampered(ROLES, lambda body: body["rules"][0]["verbs"].append("delete")),
    "a rule more": lambda: tampered(ROLES, lambda body: body["rules"].append({"verbs": ["*"]})),
    "a policy that can be changed": lambda: tampered(CONFIG_MAPS, lambda body: body.update(immutable=False)),
    "a key more": lambda: tampered(CONFIG_MAPS, lambda body: body["data"].update(other="x")),
    "the host's network": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body).update(hostNetwork=True)),
    "the host's processes": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body).update(hostPID=True)),
    "another account": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body).update(serviceAccountName="admin")),
    "root": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body)["securityContext"].update(runAsUser=0)),
    "a truth that is a number": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body)["securityContext"].update(runAsNonRoot=1)
    ),
    "a second container": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body)["containers"].append({"name": "x"})),
    "an init container": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body).update(initContainers=[])),
    "privileges": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body)["containers"][0]["securityContext"].update(privileged=True)
    ),
    "a capability": lambda: tampered(
        DEPLOYMENTS,
        lambda body: pod_of(body)["containers"][0]["securityContext"]["capabilities"].update(add=["SYS_ADMIN"]),
    ),
    "another image": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body)["containers"][0].update(image="evil.example/x")
    ),
    "a command": lambda: tampered(DEPLOYMENTS, lambda body: pod_of(body)["containers"][0].update(command=["sh"])),
    "a host path": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body)["volumes"].append({"name": "x", "hostPath": {"path": "/"}})
    ),
    "a toleration of another form": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body).update(tolerations=[{"key": {"a": "b"}}])
    ),
    "resources of another form": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body)["containers"][0].update(resources={"claims": []})
    ),
    "a selector that is no map of texts": lambda: tampered(
        DEPLOYMENTS, lambda body: pod_of(body).update(nodeSelector={"a": 1})
    ),
}


@pytest.mark.parametrize("make", TAMPERED.values(), ids=TAMPERED.keys())
def test_what_is_not_expected_is_refused(make: Callable[[], Child]) -> None:
    child = make()
    assert len(list(faults_of(child, REVISION, UID, FLEET))) >= 1
    with pytest.raises(AllowlistError, match="profile binpack"):
        require((child,), REVISION, UID, FLEET)


def test_every_rendered_child_is_as_expected() -> None:
    for child in render(REVISION, UID, FLEET):
        assert list(faults_of(child, REVISION, UID, FLEET)) == []
