"""The CRD as data, and a walk over every field of its schema."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

FILE: Final = Path(__file__).parents[2] / "crds" / "pointsman.dev_schedulerprofiles.yaml"

Schema = dict[str, Any]


def crd() -> dict[str, Any]:
    """The whole CustomResourceDefinition."""
    document: dict[str, Any] = yaml.safe_load(FILE.read_text())
    return document


def version() -> dict[str, Any]:
    """Its one version."""
    (only,) = crd()["spec"]["versions"]
    found: dict[str, Any] = only
    return found


def root() -> Schema:
    """The schema of a SchedulerProfile."""
    schema: Schema = version()["schema"]["openAPIV3Schema"]
    return schema


def fields(schema: Schema, path: str = "") -> Iterator[tuple[str, Schema]]:
    """(path, schema) of the schema itself and of everything below: properties, items, values of maps."""
    yield path, schema
    for name, below in schema.get("properties", {}).items():
        yield from fields(below, f"{path}.{name}" if path else name)
    if "items" in schema:
        yield from fields(schema["items"], f"{path}[]")
    if isinstance(schema.get("additionalProperties"), dict):
        yield from fields(schema["additionalProperties"], f"{path}[*]")
