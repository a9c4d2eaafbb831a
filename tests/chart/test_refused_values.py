"""Slips in values: a typo, a null that takes a default away, a value of another kind. Each is refused in words."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from tests.helm.chart import CHART
from tests.helm.helm import Helm

VALUES = yaml.safe_load((CHART / "values.yaml").read_text())
SCHEMA = json.loads((CHART / "values.schema.json").read_text())


def paths(values: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Every value of values.yaml that the schema knows by name, groups included."""
    for name, one in values.items():
        yield f"{prefix}{name}"
        if isinstance(one, dict) and f"{prefix}{name}" not in FREE:
            yield from paths(one, f"{prefix}{name}.")


FREE = {"operator.resources.requests", "operator.resources.limits"}
"""Maps whose keys are the user's."""


def refused(helm: Helm, *options: str) -> str:
    """What Helm says when it refuses; `lint` and `template` must agree."""
    said = [
        helm("template", "pointsman", str(CHART), *options, check=False),
        helm("lint", str(CHART), *options, check=False),
    ]
    assert [done.returncode for done in said] == [1, 1]
    return said[0].stderr


@pytest.mark.parametrize("path", list(paths(VALUES)))
def test_a_null_takes_no_default_away(helm: Helm, path: str) -> None:
    group, _, name = path.rpartition(".")

    said = refused(helm, "--set", f"{path}=null")

    assert f"missing property '{name}'" in said
    assert group.replace(".", "/") in said


@pytest.mark.parametrize(
    "typo",
    ["crd.enabled=true", "image.tags=1", "images.allowed={a}", "fleet.name=x", "operator.replica=2",
     "networkPolicy.enable=false", "networkPolicy.apiServer.port=1", "operator.resources.limit.memory=1Gi",
     "operator.tolerations[0].keys=a", "networkPolicy.clients[0].podSelectors.matchLabels.a=b", "replicas=2"],
)  # fmt: skip
def test_a_typo_is_refused(helm: Helm, typo: str) -> None:
    name = typo.partition("=")[0].split(".")
    said = refused(helm, "--set", typo)

    assert "additional properties" in said
    assert any(f"'{part.partition('[')[0]}'" in said for part in name)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ('crds.keep="maybe"', "got string, want boolean"),
        ('operator.replicas="two"', "got string, want integer"),
        ("operator.replicas=6", "maximum: got 6, want 5"),
        ('operator.logLevel="Verbose"', "value must be one of 'Debug', 'Info', 'Warning', 'Error'"),
        ('image.repository="Pointsman"', "does not match pattern"),
        ('image.repository="registry.example.com/p:1"', "does not match pattern"),
        ('image.digest="sha256:abc"', "does not match pattern"),
        ('images.allow=["example.com/engine:1 example.com/other:1"]', "does not match pattern"),
        ('images.allow=["*"]', "does not match pattern"),
        ('images.allow=["a/b:1", "a/b:1"]', "items at 0 and 1 are equal"),
        ('images.allow="example.com/engine:1"', "got string, want array"),
        ('fleet.namespace="kube-system"', "'not' failed"),
        ('fleet.namespace="default"', "'not' failed"),
        ('fleet.namespace="Engines"', "does not match pattern"),
        ('networkPolicy.enabled="no"', "got string, want boolean"),
        ("networkPolicy.apiServer.ports=[]", "minItems: got 0, want 1"),
        ('networkPolicy.apiServer.cidrs=["everywhere"]', "does not match pattern"),
        ('networkPolicy.clients=[{"ipBlock": {"except": ["10.0.0.0/8"]}}]', "missing property 'cidr'"),
        ("networkPolicy.clients=[{}]", "minProperties: got 0, want 1"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_name(helm: Helm, value: str, told: str) -> None:
    path = value.partition("=")[0].replace(".", "/")

    said = refused(helm, "--set-json", value)

    assert told in said
    assert f"/{path}" in said


def objects(schema: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every part of the schema that describes an object."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield where, schema
        for name, one in schema.items():
            yield from objects(one, f"{where}/{name}")
    elif isinstance(schema, list):
        for number, one in enumerate(schema):
            yield from objects(one, f"{where}/{number}")


def test_the_schema_is_closed_everywhere() -> None:
    # `global` belongs to a chart above this one; the parts of an affinity are the pod's own.
    ours = {where: one for where, one in objects(SCHEMA) if "/global" not in where and "/affinity/" not in where}

    maps = {where for where, one in ours.items() if isinstance(one.get("additionalProperties"), dict)}
    assert maps == {"/definitions/texts", "/definitions/quantities"}
    assert [where for where, one in ours.items() if "additionalProperties" not in one] == []


def test_every_value_has_a_default_and_every_default_is_required() -> None:
    def check(schema: dict[str, Any], values: dict[str, Any], where: str) -> None:
        known = set(schema["properties"]) - {"global"}
        assert known == set(values) == set(schema["required"]), where
        for name, one in schema["properties"].items():
            if name in values and "required" in one:
                check(one, values[name], f"{where}.{name}")

    check(SCHEMA, VALUES, "")
