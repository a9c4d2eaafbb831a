"""The canonical form of quantities, in which the API server stores them: "1000m" is "1", "1024Ki" is "1Mi".

Amounts of resources are kept to a thousandth, rounded up (kubernetes 1.36, pkg/apis/core/v1/defaults.go).
"""

from functools import lru_cache
from typing import Any, Final

from pointsman.kube.quantity import QuantityError, parse

_DECIMAL: Final = ("n", "u", "m", "", "k", "M", "G", "T", "P", "E")
_BINARY: Final = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_NANOS: Final = 10**9
_THOUSANDTH: Final = 10**6


def canonical(value: Any) -> str:
    """Canonical text of a quantity. Raises QuantityError."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise QuantityError(value)
    return _canonical(value)


@lru_cache(maxsize=4096, typed=True)
def _canonical(value: str | int | float) -> str:
    nanos = -(-parse(value).nanos // _THOUSANDTH) * _THOUSANDTH
    text = str(value)
    if text.endswith("i") and nanos % _NANOS == 0 and abs(nanos) >= 1024 * _NANOS:
        return _scaled(nanos // _NANOS, 1024, _BINARY)
    if isinstance(value, str) and ("e" in text or text[:-1].count("E")):
        amount, suffix = _divided(nanos, 1000, len(_DECIMAL) + 10)
        exponent = suffix * 3 - 9
        return f"{amount}e{exponent}" if exponent else str(amount)
    return _scaled(nanos, 1000, _DECIMAL)


def _scaled(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    if not amount:
        return "0"
    amount, place = _divided(amount, base, len(suffixes) - 1)
    return f"{amount}{suffixes[place]}"


def _divided(amount: int, base: int, most: int) -> tuple[int, int]:
    times = 0
    while amount and times < most and amount % base == 0:
        amount //= base
        times += 1
    return amount, times
