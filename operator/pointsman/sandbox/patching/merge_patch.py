"""JSON merge patch (RFC 7386): maps merge, null removes, everything else replaces."""

from typing import Any


def merge_patch(target: Any, patch: Any) -> Any:
    """The patched value; parts that the patch does not name are shared with `target`."""
    if not isinstance(patch, dict):
        return patch
    merged = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged
