"""The spec of a SchedulerProfile, as a user writes it: the models behind `crds/` and behind offline validation.

They hold the schema's bounds, defaults and rules a second time, so that `pointsman validate` needs no API server; a
test compares the two both ways, and another asks the real API server. What needs knowledge of rules (names, args, the
base) is `policy.compile`'s. Unknown fields are refused: the API server would drop them without a word.
"""

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from pointsman.api import messages
from pointsman.api.fields import (
    MAX_ENTRIES,
    MAX_TERMS,
    MAX_TOLERATION_SECONDS,
    CandidateNodes,
    EntryName,
    Image,
    LabelKey,
    Labels,
    LabelValue,
    Listed,
    Maybe,
    Percentage,
    PriorityClassName,
    Quantity,
    Replicas,
    RuleName,
    SchedulerName,
    Seconds,
    Weight,
)
from pointsman.api.names import DEFAULT_SCHEDULER


class SpecError(Exception):
    """A spec that the schema would refuse; `problems` holds (path, message) pairs and is never empty."""

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(f"{path}: {message}" for path, message in problems))
        self.problems = problems


def _not_the_default(name: str) -> str:
    if name == DEFAULT_SCHEDULER:
        raise PydanticCustomError("scheduler_name", "schedulerName must not be default-scheduler")
    return name


class Base(StrEnum):
    """Which rules a profile starts from."""

    DEFAULT = "Default"
    NONE = "None"


class State(StrEnum):
    """Whether an entry turns its rule on or off, in its list only; and whether preemption is on."""

    ENABLED = "Enabled"
    DISABLED = "Disabled"


class LogLevel(StrEnum):
    """How much an engine writes to its log."""

    DEBUG = "Debug"
    INFO = "Info"
    WARNING = "Warning"
    ERROR = "Error"


class _Model(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=False,
        validate_by_alias=True,
        extra="forbid",
        frozen=True,
        strict=True,
    )


class PredicateSpec(_Model):
    """One entry of `spec.predicates`."""

    name: EntryName
    rule: Maybe[RuleName] = None
    state: State = State.ENABLED
    args: Maybe[Annotated[dict[str, Any], Field(max_length=MAX_ENTRIES)]] = None

    @model_validator(mode="after")
    def _star_stands_alone(self) -> Self:
        bare = self.model_fields_set <= {"name", "state"} and self.state is State.DISABLED
        if self.name == "*" and not bare:
            raise PydanticCustomError("star", '"*" must have state Disabled and nothing else')
        return self


class PrioritySpec(PredicateSpec):
    """One entry of `spec.priorities`."""

    weight: Maybe[Weight] = None


class RequirementSpec(_Model):
    """One expression of a label selector."""

    key: LabelKey
    operator: Literal["In", "NotIn", "Exists", "DoesNotExist"]
    values: Annotated[Listed[LabelValue], Field(max_length=MAX_TERMS)] = ()

    @model_validator(mode="after")
    def _values_fit_the_operator(self) -> Self:
        wants = self.operator in {"In", "NotIn"}
        if wants and not self.values:
            raise PydanticCustomError("selector", "values must not be empty when operator is In or NotIn")
        if self.values and not wants:
            raise PydanticCustomError("selector", "values must not be set when operator is Exists or DoesNotExist")
        return self


class SelectorSpec(_Model):
    """A label selector that says something: an empty one is left out instead."""

    match_labels: Labels = {}
    match_expressions: Annotated[Listed[RequirementSpec], Field(max_length=MAX_TERMS)] = ()

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.match_labels and not self.match_expressions:
            raise PydanticCustomError("selector", "a selector must not be empty; leave it out to select everything")
        return self


class NodesSpec(_Model):
    """Which nodes are candidates."""

    selector: Maybe[SelectorSpec] = None


class PodsSpec(_Model):
    """Whose pods are served."""

    namespace_selector: Maybe[SelectorSpec] = None


class QueueSpec(_Model):
    """Back-off of pods that did not fit. kube-scheduler's configuration has the same two fields and the same rule."""

    pod_initial_backoff_seconds: Seconds = 1
    pod_max_backoff_seconds: Seconds = 10

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.pod_max_backoff_seconds < self.pod_initial_backoff_seconds:
            raise PydanticCustomError("backoff", "podMaxBackoffSeconds must not be less than podInitialBackoffSeconds")
        return self


class PreemptionArgsSpec(_Model):
    """How many nodes preemption tries at least: DefaultPreemptionArgs of kube-scheduler's configuration."""

    min_candidate_nodes_percentage: Percentage = 10
    min_candidate_nodes_absolute: CandidateNodes = 100

    @model_validator(mode="after")
    def _try_some(self) -> Self:
        if not self.min_candidate_nodes_percentage and not self.min_candidate_nodes_absolute:
            words = "minCandidateNodesPercentage and minCandidateNodesAbsolute must not both be 0"
            raise PydanticCustomError("candidates", words)
        return self


class PreemptionSpec(_Model):
    """Whether pods may take the place of pods of lower priority; independent of the base."""

    state: State = State.ENABLED
    args: PreemptionArgsSpec = PreemptionArgsSpec()


class ResourceListSpec(_Model):
    """Amounts of what an engine's container may use."""

    cpu: Maybe[Quantity] = None
    memory: Maybe[Quantity] = None
    ephemeral_storage: Annotated[Maybe[Quantity], Field(alias="ephemeral-storage")] = None


class ResourcesSpec(_Model):
    """Requests and limits of an engine's container."""

    requests: Maybe[ResourceListSpec] = None
    limits: Maybe[ResourceListSpec] = None


class TolerationSpec(_Model):
    """A toleration of an engine's pods; the API server's own rules for tolerations, said before a pod is made."""

    key: Maybe[LabelKey] = None
    operator: Literal["Exists", "Equal"] = "Equal"
    value: LabelValue = ""
    effect: Maybe[Literal["NoSchedule", "PreferNoSchedule", "NoExecute"]] = None
    toleration_seconds: Maybe[Annotated[int, Field(ge=0, le=MAX_TOLERATION_SECONDS)]] = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.key is None and self.operator != "Exists":
            raise PydanticCustomError("toleration", "operator must be Exists when key is not set")
        if self.value and self.operator == "Exists":
            raise PydanticCustomError("toleration", "value must not be set when operator is Exists")
        if self.toleration_seconds is not None and self.effect != "NoExecute":
            raise PydanticCustomError("toleration", "effect must be NoExecute when tolerationSeconds is set")
        return self


class EngineSpec(_Model):
    """How a profile's engines run."""

    image: Image = ""
    resources: ResourcesSpec = ResourcesSpec()
    log_level: LogLevel = LogLevel.INFO
    node_selector: Labels = {}
    tolerations: Annotated[Listed[TolerationSpec], Field(max_length=MAX_TERMS)] = ()
    priority_class_name: Maybe[PriorityClassName] = None


class ProfileSpec(_Model):
    """Everything that a user may ask of one scheduler."""

    scheduler_name: Annotated[SchedulerName, AfterValidator(_not_the_default)]
    suspend: bool = False
    base: Base = Base.DEFAULT
    predicates: Annotated[Listed[PredicateSpec], Field(max_length=MAX_ENTRIES)] = ()
    priorities: Annotated[Listed[PrioritySpec], Field(max_length=MAX_ENTRIES)] = ()
    nodes: NodesSpec = NodesSpec()
    pods: PodsSpec = PodsSpec()
    queue: QueueSpec = QueueSpec()
    preemption: PreemptionSpec = PreemptionSpec()
    replicas: Replicas = 1
    engine: EngineSpec = EngineSpec()


def parse_spec(spec: Mapping[str, Any]) -> ProfileSpec:
    """Read the `spec` of a SchedulerProfile; raise SpecError with every problem, each with the path of its field."""
    try:
        return ProfileSpec.model_validate_json(json.dumps(spec, allow_nan=False))
    except ValidationError as error:
        raise SpecError(messages.describe(error, ProfileSpec, spec, "spec")) from None
    except (TypeError, ValueError, RecursionError) as error:
        raise SpecError((("spec", f"cannot be written as JSON: {error}"),)) from None
