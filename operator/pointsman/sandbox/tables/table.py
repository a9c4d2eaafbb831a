"""A `Table` of the meta API: columns and rows of any kind, for lists, single objects and watches."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final

from pointsman.sandbox.crd.jsonpath import first
from pointsman.sandbox.store.kinds import Column, Kind, Object
from pointsman.sandbox.tables.builtin import LAYOUTS
from pointsman.sandbox.tables.column import AGE, NAME, Layout, age, name
from pointsman.sandbox.tables.duration import since

_FINISHED: Final[Mapping[str, str]] = {  # phases, with the words of the row's condition
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


def table(
    kind: Kind,
    objects: Iterable[Object],
    now: datetime,
    *,
    metadata: Mapping[str, Any],
    include: str = "Metadata",
    headed: bool = True,
) -> dict[str, Any]:
    """Rows of objects. `include` says what of each object goes with its row: None, Metadata or Object.

    Without `headed` the columns are left out: later events of a watch repeat none.
    """
    layout = layout_of(kind)
    rows = [_row(one, layout.cells(one, now), include) for one in objects]
    columns = [_definition(column) for column in layout.columns] if headed else []
    return {
        "kind": "Table",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": dict(metadata),
        "columnDefinitions": columns,
        "rows": rows,
    }


def layout_of(kind: Kind) -> Layout:
    """The columns of a kind; name and age where nobody said more."""
    if not kind.custom:
        found = LAYOUTS.get((kind.group, kind.plural))
        return found or Layout((NAME, AGE), lambda obj, now: [name(obj), age(obj, now)])
    columns = kind.columns or (Column("Age", "date", ".metadata.creationTimestamp"),)

    def cells(obj: Object, now: datetime) -> list[Any]:
        return [name(obj), *(_cell(column.type, first(obj, column.json_path), now) for column in columns)]

    return Layout((NAME, *columns), cells)


def _cell(kind: str, value: Any, now: datetime) -> Any:
    """A custom column's cell; None, which prints as nothing, when the value is missing or of another type."""
    if value is None:
        return None
    if kind == "date":
        return _ago(value, now)
    if kind == "string":
        return _printed(value)
    if isinstance(value, bool) or kind == "boolean":
        return value if isinstance(value, bool) and kind == "boolean" else None
    if not isinstance(value, int | float):
        return None
    return int(value) if kind == "integer" else float(value)


def _ago(value: Any, now: datetime) -> str | None:
    try:
        return since(value, now)
    except (TypeError, ValueError):
        return None


def _printed(value: Any) -> str:
    """Go's way to print a value that is not a string."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + " ".join(map(_printed, value)) + "]"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{_printed(value[key])}" for key in sorted(value)) + "]"
    return str(value)


def _row(obj: Object, cells: list[Any], include: str) -> dict[str, Any]:
    row: dict[str, Any] = {"cells": cells}
    phase = (obj.get("status") or {}).get("phase", "") if obj.get("kind") == "Pod" else ""
    if phase in _FINISHED:
        row["conditions"] = [{"type": "Completed", "status": "True", "reason": phase, "message": _FINISHED[phase]}]
    if include == "Object":
        row["object"] = obj
    elif include != "None":
        row["object"] = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": obj["metadata"]}
    return row


def _definition(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }
