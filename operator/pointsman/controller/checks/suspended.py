"""A suspended profile is left as it is, its children too."""

from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs


def check(inputs: Inputs) -> Finding | None:
    """Hold while `spec.suspend` is true."""
    if not inputs.profile.suspended:
        return None
    return Finding(Reason.SUSPENDED, "suspended: nothing is changed", Effect.HOLD, final=False)
