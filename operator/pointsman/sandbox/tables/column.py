"""A table's columns and how a row's cells are made."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pointsman.sandbox.store.kinds import Column, Object
from pointsman.sandbox.tables.duration import since

Cells = Callable[[Object, datetime], list[Any]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Columns of a kind, and the function that fills them for one object at a time of day."""

    columns: Sequence[Column]
    cells: Cells


def text(name: str, description: str, *, wide: bool = False) -> Column:
    """A column of words; a wide one is shown by `-o wide` only."""
    return Column(name, "string", description=description, priority=int(wide))


def number(name: str, description: str, *, wide: bool = False) -> Column:
    """A column of integers."""
    return Column(name, "integer", description=description, priority=int(wide))


NAME: Final = Column("Name", "string", format="name", description="The object's name.")
AGE: Final = text("Age", "Time since the object was created.")
CREATED: Final = Column("Created At", "date", description="When the object was created.")


def age(obj: Object, now: datetime) -> str:
    """The cell of AGE."""
    return since(obj["metadata"].get("creationTimestamp"), now)


def name(obj: Object) -> str:
    """The cell of NAME."""
    found: str = obj["metadata"]["name"]
    return found


def at(obj: Any, *path: str, default: Any = None) -> Any:
    """What lies at a path of keys; `default` when something on the way is missing or null."""
    for key in path:
        obj = obj.get(key) if isinstance(obj, dict) else None
    return default if obj is None else obj
