"""What a check sees and what it says."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from pointsman.api.reasons import Reason
from pointsman.controller.plan.profile import Profile
from pointsman.controller.plan.revision import Revision
from pointsman.controller.plan.world import World


class Effect(StrEnum):
    """What a finding means for the children."""

    KEEP = "Keep"  # this generation is not rolled out; the policy in force stays, and is healed
    HOLD = "Hold"  # nothing is touched
    REMOVE = "Remove"  # the profile has no children


@dataclass(frozen=True, slots=True)
class Inputs:
    """A profile, what is around it, and the revision that was applied last (None before the first)."""

    profile: Profile
    world: World
    in_force: Revision | None


@dataclass(frozen=True, slots=True)
class Finding:
    """A reason not to roll a profile out. `final`: trying again cannot mend it."""

    reason: Reason
    message: str
    effect: Effect
    final: bool = True


Check = Callable[[Inputs], Finding | None]
