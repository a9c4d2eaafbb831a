"""The base of all rule args: field names of KubeSchedulerConfiguration v1, strictly read, immutable.

One subclass per rule lives beside its rule and is named like kube-scheduler's kind (`NodeResourcesFitArgs`), so that
pasted args can be told apart by it. Errors carry pydantic's location, from which the path in the profile is made.
"""

from typing import Annotated, Final, TypeVar

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from pointsman.policy.resource_names import is_qualified_name

API_VERSION: Final = "kubescheduler.config.k8s.io/v1"

T = TypeVar("T")
Listed = Annotated[tuple[T, ...], Field(strict=False)]  # a list in JSON, a tuple here; its items stay strict


def label_key(key: str) -> str:
    """The key, if it is one of a label. Raises ValueError."""
    if not is_qualified_name(key):
        raise ValueError(f'"{key}" is not a label key')
    return key


class ArgsPart(BaseModel):
    """A part of args: camelCase names, no unknown fields, no conversions, frozen."""

    model_config = ConfigDict(alias_generator=to_camel, extra="forbid", frozen=True, strict=True)


class Args(ArgsPart):
    """The args of one rule; rules without args use this class itself."""
