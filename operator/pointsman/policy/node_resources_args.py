"""Args of the rules about resources: NodeResourcesFit and NodeResourcesBalancedAllocation.

Defaults are those of pkg/scheduler/apis/config/v1/defaults.go, checks those of apis/config/validation, 1.36. The fit's
args serve its predicate (what to ignore) and its priority (the strategy).
"""

from itertools import pairwise
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pointsman.policy.args import Args, ArgsPart, Listed
from pointsman.policy.resource_names import CPU, MEMORY, is_qualified_name

StrategyType = Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
_RATIO: Final = "RequestedToCapacityRatio"


class ResourceWeight(ArgsPart):
    """A resource and its share of the score."""

    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[int, Field(ge=1, le=100)] = 1


def _one(weight: int) -> int:
    if weight != 1:
        raise ValueError(f"must be 1, not {weight}: the resources are balanced as equals")
    return weight


class BalancedResource(ArgsPart):
    """A resource to balance; all count alike."""

    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[int, AfterValidator(_one)] = 1


class ShapePoint(ArgsPart):
    """A corner of a piecewise linear function from utilization (percent) to score (0..10)."""

    utilization: Annotated[int, Field(ge=0, le=100)]
    score: Annotated[int, Field(ge=0, le=10)]


def _increasing(shape: tuple[ShapePoint, ...]) -> tuple[ShapePoint, ...]:
    if not shape:
        raise ValueError("must not be empty")
    for before, after in pairwise(shape):
        if before.utilization >= after.utilization:
            raise ValueError(
                f"utilization must increase from point to point: {after.utilization} stands after {before.utilization}"
            )
    return shape


class RatioArgs(ArgsPart):
    """The function of RequestedToCapacityRatio."""

    shape: Annotated[Listed[ShapePoint], AfterValidator(_increasing)]


DEFAULT_RESOURCES: Final = (ResourceWeight(name=CPU), ResourceWeight(name=MEMORY))
DEFAULT_BALANCED: Final = (BalancedResource(name=CPU), BalancedResource(name=MEMORY))


class ScoringStrategy(ArgsPart):
    """How the fit's priority turns used shares into a score. No resources means cpu and memory."""

    type: StrategyType
    resources: Annotated[Listed[ResourceWeight], AfterValidator(lambda listed: listed or DEFAULT_RESOURCES)] = (
        DEFAULT_RESOURCES
    )
    requested_to_capacity_ratio: RatioArgs | None = None

    @model_validator(mode="after")
    def _ratio_belongs_to_type(self) -> Self:
        if self.type == _RATIO and self.requested_to_capacity_ratio is None:
            raise ValueError(f"requestedToCapacityRatio must be set when type is {_RATIO}")
        if self.type != _RATIO and self.requested_to_capacity_ratio is not None:
            raise ValueError(f"requestedToCapacityRatio must be absent when type is not {_RATIO}")
        return self


def _resource_name(name: str) -> str:
    if not is_qualified_name(name):
        raise ValueError(f'"{name}" is not a resource name')
    return name


def _resource_group(name: str) -> str:
    if "/" in name:
        raise ValueError(f'"{name}" must not contain "/": a group is what stands before it')
    return _resource_name(name)


class NodeResourcesFitArgs(Args):
    """Args of NodeResourcesFit."""

    ignored_resources: Listed[Annotated[str, AfterValidator(_resource_name)]] = ()
    ignored_resource_groups: Listed[Annotated[str, AfterValidator(_resource_group)]] = ()
    scoring_strategy: ScoringStrategy = ScoringStrategy(type="LeastAllocated")


def _distinct(resources: tuple[BalancedResource, ...]) -> tuple[BalancedResource, ...]:
    names = [resource.name for resource in resources]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f'"{name}" is listed more than once')
    return resources or DEFAULT_BALANCED


class NodeResourcesBalancedAllocationArgs(Args):
    """Args of NodeResourcesBalancedAllocation. No resources means cpu and memory."""

    resources: Annotated[Listed[BalancedResource], AfterValidator(_distinct)] = DEFAULT_BALANCED
