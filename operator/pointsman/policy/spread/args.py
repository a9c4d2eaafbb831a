"""PodTopologySpreadArgs: constraints for pods that bring none.

Checked as kube-scheduler checks it (apis/config/validation/validation_pluginargs.go, 1.36). Shared by the predicate
and the priority.
"""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from pointsman.policy.args import Args, ArgsPart, Listed, label_key
from pointsman.policy.pod_query import NOTHING
from pointsman.policy.spread.constraints import HONOR, SOFT, SpreadConstraint
from pointsman.policy.topology_labels import HOSTNAME, ZONE

Inclusion = Literal["Honor", "Ignore"]
_MAX_INT32: Final = 2**31 - 1

# podtopologyspread/plugin.go, 1.36
SYSTEM_CONSTRAINTS: Final = (
    SpreadConstraint(HOSTNAME, SOFT, 3, NOTHING),
    SpreadConstraint(ZONE, SOFT, 5, NOTHING),
)


def _topology_key(key: str) -> str:
    if not key:
        raise ValueError("can not be empty")
    return label_key(key)


class DefaultConstraint(ArgsPart):
    """A constraint without a selector: that is deduced for each pod from its Services and its controller."""

    max_skew: Annotated[int, Field(ge=1, le=_MAX_INT32)]
    topology_key: Annotated[str, AfterValidator(_topology_key)]
    when_unsatisfiable: Literal["DoNotSchedule", "ScheduleAnyway"]
    min_domains: Annotated[int, Field(ge=1, le=_MAX_INT32)] | None = None
    node_affinity_policy: Inclusion = "Honor"
    node_taints_policy: Inclusion = "Ignore"
    match_label_keys: Listed[str] = ()  # accepted, but the deduced selector replaces what they add
    label_selector: dict[str, object] | None = None

    @model_validator(mode="after")
    def _no_selector(self) -> Self:
        if self.label_selector is not None:
            raise ValueError("labelSelector: constraint must not define a selector, as they deduced for each pod")
        return self

    @property
    def constraint(self) -> SpreadConstraint:
        """As a value, with a selector that is still to be deduced."""
        return SpreadConstraint(
            topology_key=self.topology_key,
            when_unsatisfiable=self.when_unsatisfiable,
            max_skew=self.max_skew,
            selector=NOTHING,
            min_domains=1 if self.min_domains is None else self.min_domains,
            honors_affinity=self.node_affinity_policy == HONOR,
            honors_taints=self.node_taints_policy == HONOR,
        )


def _distinct(constraints: tuple[DefaultConstraint, ...]) -> tuple[DefaultConstraint, ...]:
    seen = set()
    for constraint in constraints:
        pair = (constraint.topology_key, constraint.when_unsatisfiable)
        if pair in seen:
            raise ValueError("Duplicate value: {{{}, {}}}".format(*pair))
        seen.add(pair)
    return constraints


class PodTopologySpreadArgs(Args):
    """Args of PodTopologySpread."""

    default_constraints: Annotated[Listed[DefaultConstraint], AfterValidator(_distinct)] = ()
    defaulting_type: Literal["System", "List"] = "System"

    @model_validator(mode="after")
    def _constraints_belong_to_list(self) -> Self:
        if self.system_defaulted and self.default_constraints:
            raise ValueError(
                'defaultingType: "System" is invalid when .defaultConstraints are not empty; set it to "List"'
            )
        return self

    @property
    def system_defaulted(self) -> bool:
        """Whether the constraints are kube-scheduler's own."""
        return self.defaulting_type == "System"

    @property
    def defaults(self) -> tuple[SpreadConstraint, ...]:
        """Constraints of pods without any, their selectors still to be deduced."""
        if self.system_defaulted:
            return SYSTEM_CONSTRAINTS
        return tuple(constraint.constraint for constraint in self.default_constraints)
