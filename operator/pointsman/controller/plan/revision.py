"""What a profile's children are made from: one compiled policy and how its engines run.

A revision comes from a spec that compiles. It is also kept in the cluster, in the policy's own ConfigMap: the document
is the ConfigMap's data, the rest (replicas, engine settings, notes) an annotation beside the generation. So while a
later generation is refused, the children of the policy in force can still be made anew, byte for byte, by any operator
at any time: from what was applied, neither from memory nor from a live Deployment, which may have drifted. The spec
itself is not kept, because compiling it again with a newer operator could give another policy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError

from pointsman.api import names
from pointsman.api.fields import Replicas
from pointsman.api.spec import EngineSpec, ProfileSpec
from pointsman.policy.compile import Compiled
from pointsman.policy.document import PolicyDocument, canonical_json, content_hash, short_hash

SETTINGS_ANNOTATION: Final = "pointsman.dev/settings"


class _Settings(BaseModel):
    """The annotation's content."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    replicas: Replicas
    engine: EngineSpec
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Revision:
    """One policy with its settings. `content` is the document as it is mounted, `hash` that of these bytes."""

    document: PolicyDocument
    content: bytes
    hash: str
    generation: int
    replicas: int
    engine: EngineSpec
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, spec: ProfileSpec, compiled: Compiled, generation: int) -> Self:
        """The revision of a spec that compiles."""
        content = canonical_json(compiled.document)
        return cls(
            document=compiled.document,
            content=content,
            hash=content_hash(content),
            generation=generation,
            replicas=spec.replicas,
            engine=spec.engine,
            notes=tuple(compiled.notes),
        )

    @property
    def profile(self) -> str:
        return self.document.profile

    @property
    def short_hash(self) -> str:
        return short_hash(self.hash)

    def annotations(self) -> dict[str, str]:
        """What the ConfigMap keeps beside the document."""
        settings = _Settings(replicas=self.replicas, engine=self.engine, notes=self.notes)
        return {
            names.GENERATION_ANNOTATION: str(self.generation),
            SETTINGS_ANNOTATION: settings.model_dump_json(by_alias=True, exclude_none=True),
        }


def from_config_map(profile: str, body: Mapping[str, Any]) -> Revision | None:
    """Read a revision back; None when the ConfigMap is not a whole one (another release, an edit by hand)."""
    metadata = body["metadata"]
    annotations = metadata.get("annotations") or {}
    content = str((body.get("data") or {}).get(names.policy_file(profile), "")).encode()
    full = content_hash(content)
    if metadata["name"] != names.config_map_name(profile, short_hash(full)):
        return None
    try:
        document = msgspec.json.decode(content, type=PolicyDocument)
        settings = _Settings.model_validate_json(annotations.get(SETTINGS_ANNOTATION, ""))
        generation = int(annotations.get(names.GENERATION_ANNOTATION, ""))
    except (msgspec.DecodeError, ValidationError, ValueError):
        return None
    return Revision(document, content, full, generation, settings.replicas, settings.engine, settings.notes)
