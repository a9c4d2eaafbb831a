"""NodeAffinityArgs: node affinity that the profile adds to every pod's own.

Shared by the predicate and the priority. Checked as kube-scheduler checks it (apis/config/validation, 1.36): operators,
label names and the number of values.
"""

from typing import Annotated, Literal, Self

import msgspec
from pydantic import AfterValidator, Field, model_validator

from pointsman.kube.objects import NodeSelector, PreferredSchedulingTerm, Requirement
from pointsman.policy.args import Args, ArgsPart, Listed
from pointsman.policy.selectors import NODE_OPERATORS, requirement_problems


class NodeSelectorRequirement(ArgsPart):
    """One requirement on a node's labels."""

    key: str
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"]
    values: Listed[str] = ()

    @model_validator(mode="after")
    def _usable(self) -> Self:
        requirement = Requirement(key=self.key, operator=self.operator, values=self.values)
        problems = requirement_problems(requirement, NODE_OPERATORS, "")
        if problems:
            raise ValueError("; ".join(f"{problem.path.lstrip('.')}: {problem.message}" for problem in problems))
        return self


def _exactly_one(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(values) != 1:
        raise ValueError("must have exactly one element")
    return values


class NodeFieldRequirement(ArgsPart):
    """One requirement on a node's field, metadata.name."""

    key: str
    operator: Literal["In", "NotIn"]
    values: Annotated[Listed[str], AfterValidator(_exactly_one)]


class NodeSelectorTermArgs(ArgsPart):
    """Requirements that must all hold."""

    match_expressions: Listed[NodeSelectorRequirement] = ()
    match_fields: Listed[NodeFieldRequirement] = ()


class NodeSelectorArgs(ArgsPart):
    """Alternative terms."""

    node_selector_terms: Listed[NodeSelectorTermArgs]


class PreferredTermArgs(ArgsPart):
    """A term and what it adds to the score of a node that matches."""

    weight: Annotated[int, Field(ge=0, le=2**31 - 1)]
    preference: NodeSelectorTermArgs


class AddedAffinity(ArgsPart):
    """The same shape as a pod's nodeAffinity."""

    required_during_scheduling_ignored_during_execution: NodeSelectorArgs | None = None
    preferred_during_scheduling_ignored_during_execution: Listed[PreferredTermArgs] = ()


class NodeAffinityArgs(Args):
    """Args of NodeAffinity."""

    added_affinity: AddedAffinity | None = None

    @property
    def required(self) -> NodeSelector | None:
        """What every node must match besides the pod's own terms; None when nothing was added."""
        added = self.added_affinity
        if added is None or added.required_during_scheduling_ignored_during_execution is None:
            return None
        selector = added.required_during_scheduling_ignored_during_execution
        return msgspec.convert(selector.model_dump(by_alias=True), NodeSelector)

    @property
    def preferred(self) -> tuple[PreferredSchedulingTerm, ...]:
        """Terms that add to every pod's own preferences."""
        if self.added_affinity is None:
            return ()
        terms = self.added_affinity.preferred_during_scheduling_ignored_during_execution
        return tuple(msgspec.convert(term.model_dump(by_alias=True), PreferredSchedulingTerm) for term in terms)
