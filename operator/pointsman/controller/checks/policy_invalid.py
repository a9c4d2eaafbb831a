"""A spec that does not compile is not rolled out; the policy in force stays."""

from typing import Final

from pointsman.api.reasons import Reason
from pointsman.controller.checks.finding import Effect, Finding, Inputs
from pointsman.policy.errors import Problem

_MAX_SHOWN: Final = 5


def check(inputs: Inputs) -> Finding | None:
    """Refuse a spec with problems."""
    return finding(inputs.profile.problems) if inputs.profile.candidate is None else None


def finding(problems: tuple[Problem, ...]) -> Finding:
    """The finding that names the first problems."""
    return Finding(Reason.POLICY_INVALID, in_words(problems), Effect.KEEP)


def in_words(problems: tuple[Problem, ...]) -> str:
    """The problems in one line, so many that the line stays readable."""
    shown = [str(problem) for problem in problems[:_MAX_SHOWN]]
    more = len(problems) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")
