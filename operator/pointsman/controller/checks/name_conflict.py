"""An object under a child's name that is not ours is left alone, and so is everything else: no half-made engine."""

from pointsman.api.names import PROFILE_LABEL
from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs
from pointsman.controller.render.children import Ownership
from pointsman.controller.render.render import wanted


def check(inputs: Inputs) -> Finding | None:
    """Hold when a name that we need is taken by somebody else."""
    revision = inputs.profile.candidate or inputs.in_force
    names = wanted(revision) if revision is not None else ()
    live = [child for name in names if (child := inputs.world.find(name)) is not None]
    foreign = [str(child.identity) for child in live if child.ownership is Ownership.FOREIGN]
    if not foreign:
        return None
    message = (
        f"{', '.join(foreign)} exists and does not belong to this profile (label {PROFILE_LABEL} and controller "
        "reference); it is left alone: delete it, or use another name for the profile"
    )
    return Finding(Reason.NAME_CONFLICT, message, Effect.HOLD)
