"""Children of an earlier profile of this name, and children that are being deleted, must be gone first.

What is written to an object that is about to vanish, vanishes with it. The garbage collector needs seconds.
"""

from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs
from pointsman.controller.render.children import Ownership
from pointsman.controller.render.render import wanted


def check(inputs: Inputs) -> Finding | None:
    """Hold, and try again, while something that is going has a name that we need."""
    revision = inputs.profile.candidate or inputs.in_force
    names = wanted(revision) if revision is not None else ()
    live = [child for name in names if (child := inputs.world.find(name)) is not None]
    going = [str(child.identity) for child in live if child.going or child.ownership is Ownership.STALE]
    if not going:
        return None
    message = f"waiting for {', '.join(going)} to be gone"
    return Finding(Reason.PROGRESSING, message, Effect.HOLD, final=False)
