"""Kubernetes quantities, exactly."""

from dataclasses import dataclass


class QuantityError(ValueError):
    """Not a quantity; the message names the value."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact amount."""

    nanos: int

    def __add__(self, other: "Quantity") -> "Quantity":
        return Quantity(self.nanos + other.nanos)

    def value(self) -> int:
        """Whole units, rounded away from zero."""
        return -(-self.nanos // 10**9)

    def milli(self) -> int:
        """Thousandths, rounded away from zero."""
        return -(-self.nanos // 10**6)


ZERO = Quantity(0)


def parse(text: str | int | float) -> Quantity:
    """Read a quantity."""
    raise QuantityError(f"{text!r} is not a quantity")


def to_milli(text: str | int | float) -> int:
    """Thousandths, rounded up."""
    return parse(text).milli()


def to_value(text: str | int | float) -> int:
    """Whole units, rounded up."""
    return parse(text).value()
