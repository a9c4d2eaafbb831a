"""Args of the rules about resources: NodeResourcesFit and NodeResourcesBalancedAllocation.

Defaults are those of pkg/scheduler/apis/config/v1/defaults.go, checks those of apis/config/validation, 1.36. The fit's
args serve its predicate (what to ignore) and its priority (the strategy).
"""

from itertools import pairwise
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from pointsman.policy.args import Args, ArgsPart, Listed
from pointsman.policy.resource_names import CPU, MEMORY, is_qualified_name

StrategyType = Literal["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]
_RATIO: Final = "RequestedToCapacityRatio"


class ResourceWeight(ArgsPart):
    """A resource and its share of the score."""

    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[int, Field(ge=1, le=100)] = 1


class BalancedResource(ArgsPart):
    """A resource to balance; all count alike."""

    name: Annotated[str, Field(min_length=1)]
    weight: Literal[1] = 1


class ShapePoint(ArgsPart):
    """A corner of a piecewise linear function from utilization (percent) to score (0..10)."""

    utilization: Annotated[int, Field(ge=0, le=100)]
    score: Annotated[int, Field(ge=0, le=10)]


def _increasing(shape: tuple[ShapePoint, ...]) -> tuple[ShapePoint, ...]:
    for before, after in pairwise(shape):
        if before.utilization >= after.utilization:
            raise ValueError(
                f"utilization must increase from point to point: {after.utilization} stands after {before.utilization}"
            )
    return shape


class RatioArgs(ArgsPart):
    """The function of RequestedToCapacityRatio."""

    shape: Annotated[Listed[ShapePoint], Field(min_length=1), AfterValidator(_increasing)]


DEFAULT_RESOURCES: Final = (ResourceWeight(name=CPU), ResourceWeight(name=MEMORY))
DEFAULT_BALANCED: Final = (BalancedResource(name=CPU), BalancedResource(name=MEMORY))


class ScoringStrategy(ArgsPart):
    """How the fit's priority turns used shares into a score. No resources means cpu and memory."""

    type: StrategyType
    resources: Annotated[Listed[ResourceWeight], AfterValidator(lambda listed: listed or DEFAULT_RESOURCES)] = (
        DEFAULT_RESOURCES
    )
    requested_to_capacity_ratio: RatioArgs | None = Field(default=None, validate_default=True)

    @field_validator("requested_to_capacity_ratio")
    @classmethod
    def _belongs_to_type(cls, ratio: RatioArgs | None, info: ValidationInfo) -> RatioArgs | None:
        strategy = info.data.get("type")
        if strategy == _RATIO and ratio is None:
            raise ValueError(f"must be given when type is {_RATIO}")
        if strategy not in (_RATIO, None) and ratio is not None:
            raise ValueError(f"must be absent when type is not {_RATIO}")
        return ratio


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
