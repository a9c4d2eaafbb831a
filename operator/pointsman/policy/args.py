"""The base of all rule args: field names of KubeSchedulerConfiguration v1, strictly read, immutable.

One subclass per rule lives beside its rule and is named like kube-scheduler's kind (`NodeResourcesFitArgs`), so that
pasted args can be told apart by it. Errors carry pydantic's location, from which the path in the profile is made.
"""

from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"

T = TypeVar("T")
Listed = Annotated[tuple[T, ...], Field(strict=False)]  # a list in JSON, a tuple here; its items stay strict


class ArgsPart(BaseModel):
    """A part of args: camelCase names, no unknown fields, no conversions, frozen."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


class Args(ArgsPart):
    """The args of one rule; rules without args use this class itself."""
