"""Causes in the form of field errors: apimachinery 1.36, pkg/util/validation/field/errors.go."""

import json
from collections.abc import Sequence
from typing import Any

from pointsman.sandbox.store.errors import Cause


def invalid_value(field: str, value: Any, detail: str) -> Cause:
    """A malformed value."""
    return Cause("FieldValueInvalid", field, f"Invalid value: {shown(value)}: {detail}")


def wrong_type(field: str, value: Any, detail: str) -> Cause:
    """A value of another type than the schema says."""
    return Cause("FieldValueTypeInvalid", field, f"Invalid value: {shown(value)}: {detail}")


def required(field: str, detail: str = "") -> Cause:
    """A value that is missing."""
    return Cause("FieldValueRequired", field, f"Required value: {detail}" if detail else "Required value")


def forbidden_field(field: str, detail: str) -> Cause:
    """A value that is not allowed here."""
    return Cause("FieldValueForbidden", field, f"Forbidden: {detail}")


def duplicate(field: str, value: Any) -> Cause:
    """A value or key that may stand only once."""
    return Cause("FieldValueDuplicate", field, f"Duplicate value: {shown(value)}")


def not_supported(field: str, value: Any, supported: Sequence[Any]) -> Cause:
    """A value that is none of an enumeration."""
    known = ", ".join(shown(str(one)) for one in supported)
    return Cause("FieldValueNotSupported", field, f"Unsupported value: {shown(value)}: supported values: {known}")


def too_long(field: str, detail: str) -> Cause:
    """A text that is too long; it is not repeated."""
    return Cause("FieldValueTooLong", field, f"Too long: {detail}")


def too_short(field: str, detail: str) -> Cause:
    """A text that is too short."""
    return Cause("FieldValueTooShort", field, f"Too short: {detail}")


def too_many(field: str, actual: int, most: int) -> Cause:
    """A list or map with more than `most` entries."""
    items = "item" if most == 1 else "items"
    return Cause("FieldValueTooMany", field, f"Too many: {actual}: must have at most {most} {items}")


def shown(value: Any) -> str:
    """A value as messages show it: text quoted, the rest as JSON."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
