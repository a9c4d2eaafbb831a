"""How a stored object becomes another one: JSON merge, JSON and strategic merge patches, and server-side apply.

Everything here is pure: objects in, objects out, nothing given is changed. What cannot be patched raises `PatchError`.
"""

from pointsman.sandbox.patching.apply import FieldConflict, apply
from pointsman.sandbox.patching.errors import PatchError
from pointsman.sandbox.patching.json_patch import json_patch
from pointsman.sandbox.patching.merge_patch import merge_patch
from pointsman.sandbox.patching.owners import Owners
from pointsman.sandbox.patching.strategic import strategic_merge_patch

__all__ = ["FieldConflict", "Owners", "PatchError", "apply", "json_patch", "merge_patch", "strategic_merge_patch"]
