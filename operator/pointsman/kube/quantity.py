"""Kubernetes quantities ("500m", "1.5Gi", "12e6"): read exactly, summed exactly, turned into int64 once at the end.

Facts from apimachinery 1.36, `pkg/api/resource/{quantity,amount,scale_int}.go`, tried against it:

- Amounts are multiples of a billionth; what is finer is rounded away from zero when it is read. Binary amounts stop at
  2**63-1. Turning into whole units or thousandths rounds away from zero as well.
- What does not fit an int64 then does not fail. Up to 18 digits an amount is held as an int64 times a power of ten, and
  becomes **0** ("50E" of memory counts as nothing) unless that power is one of `_WRAPPING_SCALES`. Those, longer
  numbers and sums that overflow the first form give the **low 64 bits**: 9223372036854775808 becomes -2**63, twice
  9223372036854775807 is -2. `Quantity.value` does the same, for sizes of volumes.
- `MilliValue` in Go overflows at a thousandth of that: a cpu request of 9223372036854775807 becomes -1000 and 10P
  becomes 0.
- kube-scheduler 1.36 counts requests like that and binds such pods anywhere (kubernetes#128684, open). Here what pods
  ask for and nodes offer stops at `CEILING` instead (`Quantity.units`, `Quantity.milli`): the pod fits nowhere and says
  so, and where another scheduler bound one, its node counts as full. Below the ceiling, nine trillion CPUs or 8 PiB,
  the results are Go's.

The grammar is the documented one, whose number must have a digit. Go's scanner also takes a bare sign, point or suffix
for 0, but the API server never sends one: it stores the canonical form.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

CEILING: Final = 1 << 53  # a thousand of them still add up within int64

_GRAMMAR: Final = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>[0-9]*)(?P<point>\.?)(?P<fraction>[0-9]*)"
    r"(?P<suffix>[KMGTPE]i|[numkMGTPE]?|[eE][+-]?[0-9]+)",
    re.ASCII,
)
_DECIMAL: Final = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_NANO: Final = -9
_WRAPPING_SCALES: Final = (1, 2, 3, 6, 9)  # positiveScaleInt64 in amount.go has a branch of its own for these
_NANOS: Final = 10**9
_INT64_MAX: Final = (1 << 63) - 1
_MAX_LENGTH: Final = 100  # characters; nothing an API server would accept in a real object comes near
_MAX_EXPONENT: Final = 64  # 10**64 is a multiple of 2**64: every higher power is the same to an int64


class QuantityError(ValueError):
    """Not a quantity; the message names the value and says what one looks like."""

    def __init__(self, value: object) -> None:
        text = repr(value) if not isinstance(value, str) else f'"{value}"'
        super().__init__(
            f"{text[:_MAX_LENGTH]} is not a quantity: expected a number with an optional suffix "
            "(n u m k M G T P E, Ki Mi Gi Ti Pi Ei, or an exponent like e3)"
        )
        self.value = value


@dataclass(frozen=True, slots=True, order=True)
class Quantity:
    """An exact amount; compared and summed as such. `scale` only matters once int64 overflows."""

    nanos: int  # billionths of the unit
    scale: int | None = field(default=0, compare=False)  # power of ten of Go's int64 form, None for its long form

    def __add__(self, other: "Quantity") -> "Quantity":
        if not other.nanos:
            return self
        if not self.nanos:
            return other
        nanos = self.nanos + other.nanos
        if self.scale is None or other.scale is None:
            return Quantity(nanos, None)
        scale = min(self.scale, other.scale)
        one = 10 ** (scale - _NANO)
        fits = all(_is_int64(amount // one) for amount in (self.nanos, other.nanos, nanos))
        return Quantity(nanos, scale if fits else None)

    def value(self) -> int:
        """Whole units, rounded away from zero, as the int64 that Go's `Value()` gives."""
        whole = _divide_up(self.nanos, _NANOS)
        if _is_int64(whole):
            return whole
        return _low_64_bits(whole) if self.scale is None or self.scale in _WRAPPING_SCALES else 0

    def units(self) -> int:
        """Whole units, rounded away from zero, at most `CEILING` and at least its negative."""
        return _capped(_divide_up(self.nanos, _NANOS))

    def milli(self) -> int:
        """Thousandths, rounded away from zero, at most `CEILING` and at least its negative."""
        return _capped(_divide_up(self.nanos, _NANOS // 1000))


ZERO: Final = Quantity(0)


@lru_cache(maxsize=8192, typed=True)
def parse(text: str | int | float) -> Quantity:
    """Read a quantity as it stands in an object: a string, or a bare JSON number. Raises QuantityError."""
    match = _GRAMMAR.fullmatch(_written(text))
    if match is None or not (match["whole"] or match["fraction"]):
        raise QuantityError(text)
    whole, fraction, suffix = match["whole"].lstrip("0") or "0", match["fraction"], match["suffix"]
    digits = int(whole + fraction)
    sign = -1 if match["sign"] == "-" else 1
    if suffix in _BINARY:
        nanos = min(_nanos(digits << _BINARY[suffix], -len(fraction)), _INT64_MAX * _NANOS)
        return Quantity(sign * nanos, 0 if _is_short_binary(whole, match["point"], _BINARY[suffix]) else None)
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    exponent = max(-2 * _MAX_LENGTH, min(exponent, _MAX_EXPONENT + _MAX_LENGTH))
    scale = exponent - len(fraction)
    short = len(whole) + len(fraction) <= 18 and scale >= _NANO
    return Quantity(sign * _nanos(digits, scale), scale if short else None)


@lru_cache(maxsize=8192, typed=True)
def to_milli(text: str | int | float) -> int:
    """Thousandths, rounded up: how cpu is counted. Raises QuantityError."""
    return parse(text).milli()


@lru_cache(maxsize=8192, typed=True)
def to_value(text: str | int | float) -> int:
    """Whole units, rounded up: how everything but cpu is counted. Raises QuantityError."""
    return parse(text).units()


def _written(text: str | int | float) -> str:
    if isinstance(text, bool):
        raise QuantityError(text)
    written = text if isinstance(text, str) else repr(text)
    if len(written) > _MAX_LENGTH:
        raise QuantityError(text)
    return written


def _is_short_binary(whole: str, point: str, exponent: int) -> bool:
    """Whether Go holds it as an int64: `precision` in ParseQuantity."""
    return not point and len(whole) + exponent * 3 // 10 <= 14


def _nanos(digits: int, scale: int) -> int:
    shift = scale - _NANO
    return digits * 10**shift if shift >= 0 else _divide_up(digits, 10**-shift)


def _divide_up(amount: int, by: int) -> int:
    return -(-amount // by) if amount >= 0 else amount // by


def _capped(amount: int) -> int:
    return max(-CEILING, min(amount, CEILING))


def _is_int64(number: int) -> bool:
    return -_INT64_MAX - 1 <= number <= _INT64_MAX


def _low_64_bits(number: int) -> int:
    low = number & ((1 << 64) - 1)
    return low - (1 << 64) if low > _INT64_MAX else low
