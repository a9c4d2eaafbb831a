"""No case is forgotten: each is tested, here or by the tests of one part, or left out for a reason."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import tests.cases
from tests.cases.coverage import ELSEWHERE, LEFT_OUT, TOLD
from tests.cases.situations import SITUATIONS
from tests.cases.table import CASES

ROOT = Path(__file__).parents[2]
COVERED = [test for tests_of_case in ELSEWHERE.values() for test in tests_of_case]


def test_every_case_is_tested_or_left_out_for_a_reason() -> None:
    for module in pkgutil.iter_modules(tests.cases.__path__, "tests.cases."):
        importlib.import_module(module.name)
    tested = {situation.case for situation in SITUATIONS} | TOLD | ELSEWHERE.keys()
    assert tested | LEFT_OUT.keys() == CASES.keys()
    assert not tested & LEFT_OUT.keys()


@pytest.mark.parametrize("test", dict.fromkeys(COVERED))
def test_a_test_that_covers_a_case_is_there(test: str) -> None:
    path, _, name = test.partition("::")
    assert re.search(rf"^ *(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE)


def test_a_situation_is_known_by_its_name() -> None:
    names = [situation.id for situation in SITUATIONS]
    assert len(set(names)) == len(names)


def test_every_open_question_is_put_to_kube_scheduler() -> None:
    asked = {situation.case for situation in SITUATIONS if not situation.engine_only} | TOLD
    assert {number for number, case in CASES.items() if case.open_question} - LEFT_OUT.keys() <= asked
