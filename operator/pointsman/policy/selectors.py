"""Label selectors: requirements compiled once and matched on maps or on whole columns.

A requirement is a question about one label's value. On a column it is asked once per distinct value, which gives a
boolean table, and one gather through the value ids answers it for every row: absent labels have id -1 and so hit the
table's last place. Semantics are those of apimachinery/pkg/labels, 1.36. `node_selectors` builds on this.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from pointsman.kube.objects import LabelSelector, Requirement
from pointsman.policy.errors import Problem
from pointsman.policy.resource_names import is_label_value, is_qualified_name

if TYPE_CHECKING:  # the view's questions about pods are made of selectors
    from pointsman.policy.view import BoolArray, LabelColumn

LABEL_OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
NODE_OPERATORS: Final = (*LABEL_OPERATORS, "Gt", "Lt")

LabelMatcher = Callable[[Mapping[str, str]], bool]

_DECIMAL = re.compile(r"(?P<sign>[+-]?)0*(?P<digits>[0-9]{1,19})", re.ASCII)
_INT64 = range(-(2**63), 2**63)


class SelectorError(ValueError):
    """A selector that cannot be used; `problems` has a path below the selector for each fault."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(str(problem) for problem in problems))
        self.problems = problems


def _always(_: str) -> bool:
    return True


def _never(_: str) -> bool:
    return False


class LabelTest(NamedTuple):
    """One requirement: `test` is asked with the label's value, `absent` is the answer where the key is missing."""

    key: str
    test: Callable[[str], bool]
    absent: bool

    def answer(self, value: str | None) -> bool:
        return self.absent if value is None else self.test(value)

    def matches(self, column: "LabelColumn", row: int) -> bool:
        """The answer for one row of this key's column."""
        value_id = column.ids[row]
        return self.absent if value_id < 0 else self.test(column.values[value_id])

    def table(self, column: "LabelColumn") -> "BoolArray":
        """Answers by value id, bool (len(values) + 1,); the last one is for rows without the key."""
        count = len(column.values)
        answers = np.empty(count + 1, dtype=np.bool_)
        if self.test in (_always, _never):
            answers[:count] = self.test is _always
        else:
            answers[:count] = np.fromiter(map(self.test, column.values), dtype=np.bool_, count=count)
        answers[count] = self.absent
        return answers


def label_matcher(selector: LabelSelector) -> LabelMatcher:
    """A function that tells whether labels match. An empty selector matches all. Raises SelectorError."""
    problems: list[Problem] = []
    tests = label_tests(selector.match_expressions, LABEL_OPERATORS, problems)
    for key, value in selector.match_labels.items():
        problems += _bad_names(key, (value,), f"matchLabels[{key}]", f"matchLabels[{key}]")
    if problems:
        raise SelectorError(tuple(problems))
    required = (*equality_tests(selector.match_labels), *tests)
    return lambda labels: all(test.answer(labels.get(test.key)) for test in required)


def equality_tests(labels: Mapping[str, str]) -> tuple[LabelTest, ...]:
    """Tests that every key has exactly that value, like a nodeSelector's; names are not checked."""
    return tuple(LabelTest(key, value.__eq__, absent=False) for key, value in labels.items())


def label_tests(
    requirements: Sequence[Requirement], operators: Sequence[str], problems: list[Problem]
) -> tuple[LabelTest, ...]:
    """The tests of the requirements that are right; what is wrong with the others is added to `problems`."""
    tests = []
    for index, requirement in enumerate(requirements):
        found = requirement_problems(requirement, operators, f"matchExpressions[{index}]")
        problems += found
        if not found:
            tests.append(_label_test(requirement))
    return tuple(tests)


def requirement_problems(requirement: Requirement, operators: Sequence[str], path: str) -> list[Problem]:
    """What is wrong with a requirement on labels: the rules of labels.NewRequirement (apimachinery, 1.36)."""
    operator, values = requirement.operator, requirement.values or ()
    if operator not in operators:
        return [Problem(f"{path}.operator", f'"{operator}" is not one of {", ".join(operators)}')]
    problems = _bad_names(requirement.key, values, f"{path}.key", f"{path}.values")
    if operator in ("In", "NotIn") and not values:
        problems.append(Problem(f"{path}.values", f"must not be empty for {operator}"))
    if operator in ("Exists", "DoesNotExist") and values:
        problems.append(Problem(f"{path}.values", f"must be empty for {operator}"))
    if operator in ("Gt", "Lt") and (len(values) != 1 or parse_int64(values[0]) is None):
        problems.append(Problem(f"{path}.values", f"must be one whole number for {operator}"))
    return problems


def parse_int64(text: str) -> int | None:
    """A decimal number as Go's strconv.ParseInt reads it; None for any other text and beyond 64 bits."""
    match = _DECIMAL.fullmatch(text)
    if match is None:
        return None
    value = int(match["sign"] + match["digits"])
    return value if value in _INT64 else None


def _bad_names(key: str, values: Sequence[str], key_path: str, values_path: str) -> list[Problem]:
    problems = [] if is_qualified_name(key) else [Problem(key_path, f'"{key}" is not a valid label key')]
    bad = (value for value in values if not is_label_value(value))
    return problems + [Problem(values_path, f'"{value}" is not a valid label value') for value in bad]


def _label_test(requirement: Requirement) -> LabelTest:
    key, values = requirement.key, frozenset(requirement.values or ())
    match requirement.operator:
        case "In":
            return LabelTest(key, values.__contains__, absent=False)
        case "NotIn":
            return LabelTest(key, lambda value: value not in values, absent=True)
        case "Exists":
            return LabelTest(key, _always, absent=False)
        case "DoesNotExist":
            return LabelTest(key, _never, absent=True)
    (bound,) = (int(value) for value in values)
    if requirement.operator == "Gt":
        return LabelTest(key, lambda value: (number := parse_int64(value)) is not None and number > bound, absent=False)
    return LabelTest(key, lambda value: (number := parse_int64(value)) is not None and number < bound, absent=False)
