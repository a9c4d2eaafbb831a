"""The reference pages say what the code says."""

import re

import pytest

from pointsman.api.reasons import ConditionType, Reason
from tests.docs import metrics, rules
from tests.docs.pages import DOCS, ROOT
from tests.docs.reference import PAGE, current

CONDITIONS = (DOCS / "reference" / "conditions.md").read_text()
CONTROLLER = "".join(path.read_text() for path in (ROOT / "operator" / "pointsman" / "controller").rglob("*.py"))
UNSET = {reason.value for reason in Reason if f"Reason.{reason.name}" not in CONTROLLER}


def table(heading: str) -> dict[str, list[str]]:
    """Cells of the table below a heading, by the name in the first one."""
    section = CONDITIONS.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = (line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `"))
    return {name.strip(" `"): [cell.strip() for cell in cells] for name, *cells in rows}


def test_the_api_reference_is_made_from_the_definition_as_it_is() -> None:
    assert PAGE.read_text() == current(), "make rendered"


def test_the_list_of_metrics_is_what_engine_and_operator_serve() -> None:
    assert metrics.PAGE.read_text() == metrics.page(), "make rendered"


def test_the_rules_are_told_as_they_are() -> None:
    assert rules.PAGE.read_text() == rules.page(), "make rendered"


def test_every_condition_is_explained_and_no_other() -> None:
    assert set(table("Conditions")) == {condition.value for condition in ConditionType}


def test_every_reason_that_is_set_is_explained_and_no_other() -> None:
    assert set(table("Reasons")) == {reason.value for reason in Reason} - UNSET


def test_reasons_that_no_code_sets_are_told_as_such() -> None:
    told = re.search(r"not set by this release: (.*)\.$", CONDITIONS, re.M)

    assert (set(re.findall(r"`(\w+)`", told[1])) if told else set()) == UNSET


@pytest.mark.parametrize("reason", table("Reasons"))
def test_a_reason_names_conditions_that_exist(reason: str) -> None:
    named = set(table("Reasons")[reason][0].split(", "))

    assert named
    assert named <= {condition.value for condition in ConditionType}
