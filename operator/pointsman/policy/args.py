"""The base of all rule args: field names of KubeSchedulerConfiguration v1, strictly read, immutable.

One subclass per rule lives beside its rule and is named like kube-scheduler's kind (`NodeResourcesFitArgs`), so that
args pasted from such a file, `apiVersion` and `kind` included, are taken as they are. Errors carry pydantic's location,
from which the path in the profile is made.
"""

from typing import Annotated, Any, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"

T = TypeVar("T")
Listed = Annotated[tuple[T, ...], Field(strict=False)]  # a list in JSON, a tuple here; its items stay strict


class ArgsPart(BaseModel):
    """A part of args: camelCase names, no unknown fields, no conversions, frozen."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


class Args(ArgsPart):
    """The args of one rule; rules without args use this class itself."""

    @model_validator(mode="before")
    @classmethod
    def _without_type(cls, data: Any) -> Any:
        if not isinstance(data, dict) or cls is Args:
            return data
        for field, expected in (("apiVersion", API_VERSION), ("kind", cls.__name__)):
            if data.get(field, expected) != expected:
                raise ValueError(f'{field}: "{data[field]}" is not {expected}')
        return {key: value for key, value in data.items() if key not in ("apiVersion", "kind")}
