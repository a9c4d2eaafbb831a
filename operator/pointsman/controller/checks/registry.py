"""The checks, in the order in which they are asked: the first finding counts."""

from typing import Final

from pointsman.controller.checks import (
    image_not_allowed,
    leftovers,
    name_conflict,
    policy_invalid,
    scheduler_name_taken,
    suspended,
)
from pointsman.controller.checks.finding import Check, Finding, Inputs
from pointsman.controller.plan.revision import Revision

CHECKS: Final[tuple[Check, ...]] = (
    suspended.check,
    scheduler_name_taken.check,
    policy_invalid.check,
    image_not_allowed.check,
    name_conflict.check,
    leftovers.check,
)


def examine(inputs: Inputs) -> Finding | Revision:
    """The first reason not to roll the profile out, or else the revision that it asks for."""
    for check in CHECKS:
        finding = check(inputs)
        if finding is not None:
            return finding
    return inputs.profile.candidate or policy_invalid.finding(inputs.profile.problems)
