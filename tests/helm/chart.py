"""Where the chart is, and what is made from it and kept in the repository.

The chart is the one source of what an administrator installs, the file in crds/ that of the CustomResourceDefinition.
What other tools need of them is written by `make rendered`, and a test holds it to be current:

- the chart's own copy of the CustomResourceDefinition, and its table of values;
- the kustomize base: what the chart renders, without what only Helm needs;
- the schema by which kustomize merges the rules of a SchedulerProfile, and the profile that its example changes.
"""

import json
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import yaml

from tests.helm.build import provide
from tests.helm.helm import Helm

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "pointsman"
CUSTOM_RESOURCE = ROOT / "crds" / "pointsman.dev_schedulerprofiles.yaml"
KUSTOMIZE = ROOT / "deploy" / "kustomize"
BASE = KUSTOMIZE / "base"

PLAIN = ("--set", "crds.keep=false", "--set", "namespace.create=true")
"""Values for objects that no Helm looks after."""

HELMS_LABELS = ("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/instance")
HEADER = "# Made from charts/pointsman by `make rendered`; change it there.\n"
TABLE = re.compile(r"(?<=<!-- values -->\n).*?(?=<!-- end of values -->)", re.S)


def rendered(helm: Helm) -> dict[Path, str]:
    """Every file that is made, with its text."""
    return {**copies(), **base(helm)}


def copies() -> dict[Path, str]:
    """The files that need no Helm."""
    readme = CHART / "README.md"
    return {
        CHART / "files" / "crd.yaml": CUSTOM_RESOURCE.read_text(),
        readme: TABLE.sub(lambda _: _table(), readme.read_text()),
        KUSTOMIZE / "schema.json": json.dumps(merge_schema(), indent=2) + "\n",
        KUSTOMIZE / "profiles" / "binpack.yaml": (ROOT / "examples" / "binpack.yaml").read_text(),
    }


def base(helm: Helm) -> dict[Path, str]:
    """The files of the kustomize base: one per template of the chart, named alike."""
    files: dict[Path, list[str]] = {}
    for document in re.split(r"^---\n# Source: ", helm.template(CHART, *PLAIN), flags=re.M)[1:]:
        source, text = document.split("\n", 1)
        lines = (line for line in text.strip().splitlines() if not line.strip().startswith(HELMS_LABELS))
        files.setdefault(BASE / Path(source).name, []).append("\n".join(lines) + "\n")
    return {path: HEADER + "---\n".join(documents) for path, documents in files.items()}


def merge_schema() -> dict[str, Any]:
    """kustomize's view of a SchedulerProfile: which lists are merged by which key, and that it has no namespace."""
    definition = yaml.safe_load(CUSTOM_RESOURCE.read_text())
    spec = definition["spec"]
    group, kind = spec["group"], spec["names"]["kind"]
    definitions, paths = {}, {}
    for version in spec["versions"]:
        known = {"group": group, "version": version["name"], "kind": kind}
        wanted = version["schema"]["openAPIV3Schema"]["properties"]["spec"]  # nobody patches a status with kustomize
        schema = {"type": "object", "properties": {"spec": _merging(wanted)}}
        definitions[f"{group}.{version['name']}.{kind}"] = schema | {"x-kubernetes-group-version-kind": [known]}
        path = f"/apis/{group}/{version['name']}/{spec['names']['plural']}/{{name}}"
        paths[path] = {"get": {"x-kubernetes-action": "get", "x-kubernetes-group-version-kind": known}}
    return {"definitions": definitions, "paths": paths}


def _merging(schema: dict[str, Any]) -> dict[str, Any]:
    """The way to every list that is merged by a key; empty where a schema has none."""
    kept: dict[str, Any] = {}
    if properties := {name: way for name, one in schema.get("properties", {}).items() if (way := _merging(one))}:
        kept = {"properties": properties}
    if schema.get("x-kubernetes-list-type") == "map":
        [key] = schema["x-kubernetes-list-map-keys"]
        kept = {
            "items": {"type": "object"},
            "x-kubernetes-patch-merge-key": key,
            "x-kubernetes-patch-strategy": "merge",
        }
    return {"type": schema["type"], **kept} if kept else {}


def _table() -> str:
    """The values as a Markdown table: name, default, meaning."""
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = json.loads((CHART / "values.schema.json").read_text())
    rows = [f"| `{path}` | `{json.dumps(default)}` | {meaning} |" for path, default, meaning in _rows(schema, values)]
    return "\n".join(["| value | default | meaning |", "|---|---|---|", *rows]) + "\n"


def _rows(schema: dict[str, Any], values: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any, str]]:
    """Path, default and description of every value that is not a group of others."""
    for name, one in schema["properties"].items():
        if name not in values:
            continue
        if values[name] and isinstance(values[name], dict) and "properties" in one:
            yield from _rows(one, values[name], f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", values[name], one["description"]


@click.command()
def main() -> None:
    """Write what is made from the chart and from the CustomResourceDefinition.

    Copies first: Helm reads one of them.
    """
    helm = provide(os.environ, lambda line: click.echo(f"helm: {line}")).helm4
    _write(copies())
    with tempfile.TemporaryDirectory() as folder:
        _write(base(Helm(4, helm, Path(folder))))


def _write(files: dict[Path, str]) -> None:
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        click.echo(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
