"""RuleError: a rule failed instead of answering, and which one.

A rule is third-party code as far as the cycle is concerned. The cycle does not guess on its behalf: the attempt ends,
and the error names the rule, so that the pod's event and the profile's status can.
"""

from types import TracebackType


class RuleError(Exception):
    """`rule` is the instance's name in the profile, `original` what it raised."""

    def __init__(self, rule: str, original: Exception) -> None:
        super().__init__(f"rule {rule} failed: {type(original).__name__}: {original}")
        self.rule = rule
        self.original = original


class asking:  # noqa: N801 - reads as a statement: `with asking("TaintToleration"):`
    """Turn an exception raised inside into a RuleError of this rule."""

    __slots__ = ("_rule",)

    def __init__(self, rule: str) -> None:
        self._rule = rule

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, Exception):
            raise RuleError(self._rule, error) from error
