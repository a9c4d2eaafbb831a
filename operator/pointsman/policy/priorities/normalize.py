"""The reduce step that most priorities share (plugins/helper/normalize_score.go, 1.36)."""

from pointsman.policy.view import IntArray

MAX_SCORE = 100


def normalize(scores: IntArray) -> IntArray:
    """Stretch so that the best score becomes 100; all zeros stay. Scores are not negative. int64, same shape."""
    best = scores.max(initial=0)
    return scores * MAX_SCORE // best if best > 0 else scores


def normalize_reversed(scores: IntArray) -> IntArray:
    """The same for scores where less is better: 0 becomes 100 and the largest 0. int64, same shape."""
    return MAX_SCORE - normalize(scores)
