"""The reference page of the API, made from the CustomResourceDefinition: `make rendered` writes, a test compares it."""

from collections.abc import Iterator
from typing import Any, Final

import click
import yaml

from tests.docs import metrics, rules
from tests.docs.pages import DOCS, ROOT

CUSTOM_RESOURCE: Final = ROOT / "crds" / "pointsman.dev_schedulerprofiles.yaml"
PAGE: Final = DOCS / "reference" / "api.md"

Schema = dict[str, Any]

OPENING: Final = """\
# SchedulerProfile, every field

Made from [the CustomResourceDefinition](../../crds/pointsman.dev_schedulerprofiles.yaml) by `make rendered`; change it
there. A field in **bold** must be set. `[]` marks the entries of a list, `{}` the values of a map. `kubectl explain
sprof.spec` tells the same.

| | |
|---|---|
"""


def page(definition: Schema) -> str:
    """The whole page."""
    spec = definition["spec"]
    [version] = spec["versions"]
    schema = version["schema"]["openAPIV3Schema"]
    facts = {
        "apiVersion": f"`{spec['group']}/{version['name']}`",
        "kind": f"`{spec['names']['kind']}`",
        "scope": spec["scope"],
        "short name, category": ", ".join(
            f"`{one}`" for one in spec["names"]["shortNames"] + spec["names"]["categories"]
        ),
        "subresources": ", ".join(f"`{one}`" for one in version["subresources"]),
        "field selectors": ", ".join(f"`{one['jsonPath'][1:]}`" for one in version["selectableFields"]),
        "`metadata.name`": _cell(_says(schema["properties"]["metadata"]["properties"]["name"])),
    }
    head = OPENING + "".join(f"| {name} | {fact} |\n" for name, fact in facts.items())
    return head + "".join(_section(name, schema["properties"][name]) for name in ("spec", "status"))


def _section(name: str, schema: Schema) -> str:
    rows = "".join(f"| {field} | {type_} | {_cell(text)} |\n" for field, type_, text in _rows(name, schema))
    return f"\n## {name}\n\n{schema['description']}\n\n| field | type | |\n|---|---|---|\n{rows}"


def _rows(path: str, schema: Schema) -> Iterator[tuple[str, str, str]]:
    """Path, type and text of every field below a schema, in its order."""
    required = schema.get("required", ())
    for name, one in schema.get("properties", {}).items():
        field = f"{path}.{name}"
        yield (f"**`{field}`**" if name in required else f"`{field}`"), _type(one), _says(one)
        yield from _rows(field, one)
        for mark, inner in (("[]", one.get("items")), ("{}", one.get("additionalProperties"))):
            if inner:
                yield from _rows(f"{field}{mark}", inner)


def _type(schema: Schema) -> str:
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity"
    if schema.get("type") == "array":
        keys = schema.get("x-kubernetes-list-map-keys")
        return f"list of {_type(schema['items'])}" + (f", by {', '.join(keys)}" if keys else "")
    if "additionalProperties" in schema:
        return f"map of {_type(schema['additionalProperties'])}"
    return str(schema.get("format") if schema.get("format") == "date-time" else schema["type"])


def _says(schema: Schema) -> str:
    """Description, bounds, default, and what the API server refuses."""
    parts = [schema["description"], _bounds(schema)]
    if "default" in schema and not isinstance(schema["default"], dict):
        parts.append(
            f"Default: `{str(schema['default']).lower() if schema['default'] is False else schema['default']}`."
        )
    for holder in (schema, schema.get("items", {})):
        parts += [f"Checked: {rule['message']}." for rule in holder.get("x-kubernetes-validations", ())]
    return " ".join(part for part in parts if part)


def _bounds(schema: Schema) -> str:
    words = {"Length": "characters", "Items": "entries", "Properties": "entries", "imum": ""}
    for suffix, unit in words.items():
        low, high = schema.get(f"min{suffix}"), schema.get(f"max{suffix}")
        if low is not None and high is not None:
            return f"{low} to {high} {unit}".rstrip() + "."
        if high is not None:
            return f"At most {high} {unit}".rstrip() + "."
        if low is not None:
            return f"At least {low} {unit}".rstrip() + "."
    return ""


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def current() -> str:
    """The page as it should be now."""
    return page(yaml.safe_load(CUSTOM_RESOURCE.read_text()))


@click.command()
def main() -> None:
    """Write the reference pages that are made."""
    for path, text in {PAGE: current(), metrics.PAGE: metrics.page(), rules.PAGE: rules.page()}.items():
        path.write_text(text)
        click.echo(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
