"""YAML files as kubectl would read them: several documents in one, Lists taken apart, a key twice is an error."""

import sys
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any, Final

import yaml

STANDARD_INPUT: Final = "-"


class DocumentError(Exception):
    """A file that cannot be read as Kubernetes objects; the text is one line."""


class _Loader(yaml.SafeLoader):
    """YAML as Kubernetes tools take it: dates are text, and nobody wins when a key stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                continue
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"key {key.value!r} stands twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_documents(filename: str) -> Iterator[dict[str, Any]]:
    """The objects in a file, or in standard input for "-". Raises DocumentError."""
    try:
        text = sys.stdin.read() if filename == STANDARD_INPUT else Path(filename).read_text(encoding="utf-8")
        documents = list(yaml.load_all(text, _Loader))
    except OSError as error:
        raise DocumentError(error.strerror or str(error)) from None
    except UnicodeDecodeError:
        raise DocumentError("is not UTF-8 text") from None
    except yaml.YAMLError as error:
        raise DocumentError(_one_line(error)) from None
    except (RecursionError, ValueError) as error:
        raise DocumentError(f"cannot be read as YAML: {error}") from None
    for number, document in enumerate(documents, start=1):
        yield from _objects(document, f"document {number}")


def _objects(document: Any, where: str) -> Iterator[dict[str, Any]]:
    if document is None:
        return
    if not isinstance(document, dict):
        raise DocumentError(f"{where}: is not an object")
    if not str(document.get("kind", "")).endswith("List") or "items" not in document:
        yield document
        return
    items = document["items"]
    for number, item in enumerate(items if isinstance(items, list) else [], start=1):
        yield from _objects(item, f"{where}, item {number}")


def _one_line(error: yaml.YAMLError) -> str:
    if not isinstance(error, yaml.MarkedYAMLError):
        return " ".join(str(error).split())
    mark = error.problem_mark or error.context_mark
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return where + (error.problem or error.context or "is not YAML")
