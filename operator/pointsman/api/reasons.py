"""Condition types and reasons of a SchedulerProfile, part of its API: users, alerts and GitOps tools match them."""

from enum import StrEnum


class ConditionType(StrEnum):
    """Types of conditions; Ready is always present, Reconciling and Stalled only while they hold (kstatus)."""

    READY = "Ready"
    RECONCILING = "Reconciling"
    STALLED = "Stalled"
    POLICY_VALID = "PolicyValid"
    AVAILABLE = "Available"


class Reason(StrEnum):
    """Why a condition has its status."""

    ENGINE_READY = "EngineReady"  # an engine leads and has the wanted policy loaded
    PROGRESSING = "Progressing"  # a rollout is under way
    POLICY_COMPILED = "PolicyCompiled"  # PolicyValid=True
    POLICY_INVALID = "PolicyInvalid"  # the spec does not compile; the message names the field
    SCHEDULER_NAME_TAKEN = "SchedulerNameTaken"  # an older profile serves that schedulerName
    NAME_CONFLICT = "NameConflict"  # an object of a child's name is not ours
    IMAGE_NOT_ALLOWED = "ImageNotAllowed"  # the image is not on the allow-list
    ENGINE_NOT_READY = "EngineNotReady"  # the engine does not come up
    ROLLED_BACK = "RolledBack"  # the last good policy came back
    NO_LEADER = "NoLeader"  # engines run, none holds the Lease
    SUSPENDED = "Suspended"  # spec.suspend is true
    SCALED_TO_ZERO = "ScaledToZero"  # spec.replicas is 0
    CHILD_REFUSED = "ChildRefused"  # the API server refused an object of ours for what it says
    FORBIDDEN = "Forbidden"  # the API server refused a call of the operator
