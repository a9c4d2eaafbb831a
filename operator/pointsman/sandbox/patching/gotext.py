"""How Go prints values with `%v`, `%T` and `%#v`: parts of the API server's messages are made that way."""

from typing import Any, Final

_TYPES: Final = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


def plain(value: Any) -> str:
    """`%v`."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "map[" + " ".join(f"{key}:{plain(entry)}" for key, entry in sorted(value.items())) + "]"
    if isinstance(value, list):
        return "[" + " ".join(map(plain, value)) + "]"
    return str(value)


def type_name(value: Any) -> str:
    """`%T`."""
    return _TYPES[type(value)]


def unstructured(value: Any) -> str:
    """`%#v` of the merge library's wrapper around a value that is no map or list."""
    shown = f'"{value}"' if isinstance(value, str) else plain(value)
    return f"&value.valueUnstructured{{Value:{shown}}}"
