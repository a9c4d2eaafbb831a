"""Schemas of the built-in kinds that the sandbox serves, as the API server 1.36 publishes them.

`published.json` holds names, types and merge rules of their fields; a test compares it with a running API server and
says how it is made.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from pointsman.sandbox.schema.schema import Schema, parse


@cache
def schema_of(api_version: str, kind: str) -> Schema:
    """The schema of a built-in kind. Raises KeyError for a kind that the file does not have."""
    reference: str = _definitions()[f"{api_version}/{kind}"]["$ref"]
    return _definition(reference)


def blank_of(schema: Schema) -> dict[str, Any]:
    """An object of which nothing is set, as the API server sees it: parts that its structs hold by value are there.

    Such parts are published with an empty default; required lists are null. Nobody becomes their owner by filling them.
    """
    blank: dict[str, Any] = {}
    for name, child in schema.properties.items():
        if child.default == {}:
            blank[name] = blank_of(child)
        elif child.type == "array" and name in schema.keywords.get("required", ()):
            blank[name] = None
    return blank


@cache
def _definitions() -> dict[str, dict[str, Any]]:
    text = files("pointsman.sandbox.schema").joinpath("published.json").read_text()
    definitions: dict[str, dict[str, Any]] = json.loads(text)
    return definitions


@cache
def _definition(name: str) -> Schema:
    return parse({**_definitions()[name], "title": name}, _definition)


def object_metadata() -> Schema:
    """The schema of every object's `metadata`."""
    return _definition("meta.v1.ObjectMeta")
