"""Why a spec does not become a policy: every problem with the path of its field, all at once."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend. `path` is the field as the user wrote it: `spec.priorities[cheap].weight`."""

    path: str
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class PolicyError(Exception):
    """A spec or a policy document that cannot be used; `problems` is never empty."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems
