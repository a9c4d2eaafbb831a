"""Every situation, decided by the engine and by the real kube-scheduler 1.36.3: both do what the table expects."""

import pytest

from tests.cases.engine_side import decision, explanation
from tests.cases.situation import Fits, Preempts, Refused, Situation
from tests.cases.situations import SITUATIONS
from tests.cases.stock import Stock

ASKED = [situation for situation in SITUATIONS if not situation.engine_only]


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.id)
def test_the_engine_decides_as_expected(situation: Situation) -> None:
    expected = situation.expected
    decided = decision(situation)
    if isinstance(expected, Fits):
        told = explanation(situation)
        assert decided.message == ""
        assert told.scored.keys() == expected.nodes
        assert expected.best is None or told.best == expected.best
        assert decided.node in told.best
        for rule, scores in expected.scores.items():
            assert {node: scored.scores[rule] for node, scored in told.scored.items()} == scores
    elif isinstance(expected, Preempts):
        assert decided.preemption is not None
        assert decided.preemption.node == expected.node
        assert {victim.name for victim in decided.preemption.victims} == expected.victims
    else:
        check_message(decided.message, expected)
        assert decided.preemption is None


@pytest.mark.parametrize("situation", ASKED, ids=lambda situation: situation.id)
def test_kube_scheduler_decides_as_expected(stock: Stock, situation: Situation) -> None:
    expected = situation.expected
    verdict = stock.verdict(situation)
    if isinstance(expected, Fits):
        assert verdict.message == ""
        assert (verdict.log.totals.keys() or {verdict.node}) == expected.nodes  # a lone node is not scored
        assert verdict.node in (expected.best or expected.nodes)
        for rule, scores in expected.scores.items():
            assert {node: by_rule[rule] for node, by_rule in verdict.log.scores.items()} == scores
    elif isinstance(expected, Preempts):
        assert verdict.nominated == expected.node
        assert {victim.partition("/")[2] for victim in verdict.log.victims} == expected.victims
    else:
        check_message(verdict.message, expected)
        assert verdict.nominated == ""
        assert decision(situation).message == verdict.message, "word for word"


def check_message(message: str, expected: Refused) -> None:
    """The sentence about nodes comes first, that about preemption last."""
    assert f"{message} ".startswith(f"{expected.sentence} ")
    assert message.endswith(f"preemption: {expected.preemption}" if expected.preemption else "")
