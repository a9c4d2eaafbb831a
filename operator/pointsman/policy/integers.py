"""64-bit integers as Go has them: sums wrap silently, division truncates towards zero.

Arrays wrap by themselves; these helpers are for what NumPy does otherwise.
"""

from typing import Final

import numpy as np

from pointsman.policy.view import IntArray

_HALF: Final = 2**63


def wrapped(value: int) -> np.int64:
    """A Python integer cut to 64 bits, two's complement."""
    return np.int64((value + _HALF) % (2 * _HALF) - _HALF)


def divided(numerator: IntArray, divisor: IntArray | np.int64) -> IntArray:
    """Element by element, truncated towards zero; divisors are positive. int64, shape of the numerator."""
    quotient: IntArray = numerator // divisor
    if numerator.size and numerator.min() < 0:  # rare: only a product that overflowed
        quotient += (numerator < 0) & (quotient * divisor != numerator)
    return quotient
