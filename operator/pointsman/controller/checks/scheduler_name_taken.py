"""One schedulerName, one profile: two engines would count the same nodes without knowing of each other.

The older profile keeps the name. The younger has no children at all, also when it had some: that is only possible when
both were made within one second and the other one was seen later.
"""

from pointsman.api.messages import quote
from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs
from pointsman.controller.plan.profile import Sibling


def check(inputs: Inputs) -> Finding | None:
    """Refuse a profile whose schedulerName an older one has."""
    profile = inputs.profile
    this = Sibling(profile.name, profile.scheduler_name, profile.created)
    older = [other for other in inputs.world.siblings if other.older_than(this)]
    if not older:
        return None
    first = min(older, key=lambda other: (other.created, other.name))
    message = (
        f"spec.schedulerName: {quote(profile.scheduler_name)} is served by the older SchedulerProfile {first.name}; "
        "delete one of the two"
    )
    return Finding(Reason.SCHEDULER_NAME_TAKEN, message, Effect.REMOVE)
