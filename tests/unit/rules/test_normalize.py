"""The reduce step that priorities share."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.rules.clusters import few_worlds

from pointsman.policy.priorities.normalize import normalize, normalize_reversed


@pytest.mark.parametrize(
    ("raw", "plain", "reverse"),
    [
        ([0, 1, 3], [0, 33, 100], [100, 67, 0]),
        ([0, 0], [0, 0], [100, 100]),
        ([5], [100], [0]),
        ([], [], []),
    ],
)
def test_worked_numbers(raw: list[int], plain: list[int], reverse: list[int]) -> None:
    scores = np.array(raw, dtype=np.int64)
    assert normalize(scores).tolist() == plain
    assert normalize_reversed(scores).tolist() == reverse
    assert scores.tolist() == raw  # the raw scores stay as they were


@few_worlds
@given(st.lists(st.integers(0, 2**50)))
def test_scores_end_within_bounds_and_keep_their_order(raw: list[int]) -> None:
    scores = np.array(raw, dtype=np.int64)
    plain, reverse = normalize(scores).tolist(), normalize_reversed(scores).tolist()
    assert all(0 <= score <= 100 for score in (*plain, *reverse))
    by_score = sorted(zip(raw, plain, reverse, strict=True))
    assert [score for _, score, _ in by_score] == sorted(plain)
    assert [score for _, _, score in by_score] == sorted(reverse, reverse=True)
