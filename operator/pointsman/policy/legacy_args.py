"""Args of rules that only old Policy files name: labels that must be there or not, and resources with a scale.

Field names are those of the Policy's `argument` and of the v1beta1 plugin args that followed (1.22). `presence` is
required here, where a Policy took its absence for false: to forget it turns a rule into its opposite.
"""

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from pointsman.policy.args import Args, ArgsPart, Listed, label_key
from pointsman.policy.node_resources_args import DEFAULT_RESOURCES, RatioArgs, ResourceWeight
from pointsman.policy.resource_names import CPU, MEMORY

_MAX_WEIGHT: Final = 10**9  # kube-scheduler sets no limit; beyond this a score would not fit an int64


def _some(labels: tuple[str, ...]) -> tuple[str, ...]:
    if not labels:
        raise ValueError("must not be empty")
    return labels


LabelKey = Annotated[str, AfterValidator(label_key)]


class CheckNodeLabelPresenceArgs(Args):
    """Args of CheckNodeLabelPresence: nodes must have all of the labels, or none of them."""

    labels: Annotated[Listed[LabelKey], AfterValidator(_some)]
    presence: bool


class LabelPreferenceArgs(Args):
    """Args of LabelPreference: nodes that have the label are better, or those that lack it."""

    label: LabelKey
    presence: bool


class ServiceAffinityArgs(Args):
    """Args of ServiceAffinity: labels of nodes on which the pods of a Service are to agree."""

    labels: Annotated[Listed[LabelKey], AfterValidator(_some)]


class ServiceAntiAffinityArgs(Args):
    """Args of ServiceAntiAffinity: the label of nodes over whose values the pods of a Service are spread."""

    label: LabelKey


_CPU_AND_MEMORY = AfterValidator(lambda listed: listed or DEFAULT_RESOURCES)


class NodeResourcesLeastAllocatedArgs(Args):
    """Args of LeastRequestedPriority. No resources means cpu and memory."""

    resources: Annotated[Listed[ResourceWeight], _CPU_AND_MEMORY] = DEFAULT_RESOURCES


class NodeResourcesMostAllocatedArgs(NodeResourcesLeastAllocatedArgs):
    """Args of MostRequestedPriority."""


class UnboundedWeight(ArgsPart):
    """A resource and its share of the score."""

    name: Annotated[str, Field(min_length=1)]
    weight: Annotated[int, Field(ge=1, le=_MAX_WEIGHT)] = 1


_DEFAULT_UNBOUNDED: Final = (UnboundedWeight(name=CPU), UnboundedWeight(name=MEMORY))


class RequestedToCapacityRatioArgs(RatioArgs, Args):
    """Args of RequestedToCapacityRatioPriority. No resources means cpu and memory."""

    resources: Annotated[Listed[UnboundedWeight], AfterValidator(lambda listed: listed or _DEFAULT_UNBOUNDED)] = (
        _DEFAULT_UNBOUNDED
    )
