"""`$(NAME)` as the kubelet understands it (third_party/forked/golang/expansion, 1.36)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.sandbox.agent.expand import expand

VARIABLES = {"A": "1", "B": "two words", "EMPTY": "", "SELF": "$(A)", "A b": "odd"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("$(A)", "1", id="a reference"),
        pytest.param("x$(A)y$(B)z", "x1ytwo wordsz", id="two within text"),
        pytest.param("[$(EMPTY)]", "[]", id="an empty value"),
        pytest.param("$(NONE)", "$(NONE)", id="an unknown name stays"),
        pytest.param("$$(A)", "$(A)", id="an escaped reference"),
        pytest.param("$$$(A)", "$1", id="an escaped dollar before a reference"),
        pytest.param("$A ${A}", "$A ${A}", id="the shell's forms are left alone"),
        pytest.param("$(A", "$(A", id="a reference that does not end"),
        pytest.param("$($(A)", "$($(A)", id="a name runs to the first bracket, so this one is unknown"),
        pytest.param("$(SELF)", "$(A)", id="values are not expanded again"),
        pytest.param("$(A b)", "odd", id="any text may be a name"),
        pytest.param("$()", "$()", id="no name"),
        pytest.param("cost: 5$", "cost: 5$", id="a dollar at the end"),
    ],
)
def test_references(text: str, expected: str) -> None:
    assert expand(text, VARIABLES) == expected


@given(st.text(st.characters(exclude_characters="$")))
def test_text_without_a_dollar_stays(text: str) -> None:
    assert expand(text, VARIABLES) == text
