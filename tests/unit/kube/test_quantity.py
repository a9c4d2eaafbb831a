"""Quantities: the grammar, exact sums, and Go's integers."""

from fractions import Fraction
from functools import reduce
from operator import add

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.kube.quantity import CEILING, ZERO, Quantity, QuantityError, parse, to_milli, to_value

_POWERS = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
    "Ki": Fraction(2**10),
    "Mi": Fraction(2**20),
    "Gi": Fraction(2**30),
    "Ti": Fraction(2**40),
    "Pi": Fraction(2**50),
    "Ei": Fraction(2**60),
    "e3": Fraction(1000),
    "E-2": Fraction(1, 100),
    "e+1": Fraction(10),
}


# Case C13: the whole table, in billionths.
@pytest.mark.parametrize(
    ("text", "nanos"),
    [
        ("0", 0),
        ("1", 10**9),
        ("1e3", 1000 * 10**9),
        ("1E3", 1000 * 10**9),
        ("12e-1", 1_200_000_000),
        ("129e6", 129_000_000 * 10**9),
        ("1E", 10**18 * 10**9),
        ("1k", 1000 * 10**9),
        ("1Ki", 1024 * 10**9),
        ("1M", 10**6 * 10**9),
        ("1Mi", 2**20 * 10**9),
        ("1.5", 1_500_000_000),
        (".5", 500_000_000),
        ("5.", 5 * 10**9),
        ("+2", 2 * 10**9),
        ("-2", -2 * 10**9),
        ("128974848000m", 128974848 * 10**9),
        ("100n", 100),
        ("100u", 100_000),
        ("00012", 12 * 10**9),
        ("1.5Gi", 1536 * 2**20 * 10**9),
        ("0.1n", 1),  # finer than a billionth: rounded away from zero
        ("-0.1n", -1),
        ("3e-10", 1),
        (3, 3 * 10**9),
        (0.5, 500_000_000),
        (1e16, 10**16 * 10**9),  # Python writes 1e+16
    ],
    ids=str,
)
def test_what_the_grammar_allows_is_read_exactly(text: str | int | float, nanos: int) -> None:
    assert parse(text).nanos == nanos


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1 Gi", "1\n", "1K", "1mi", "1gi", "1ki", "1KI", "1e", "1e+", "1Mi2"),
        *("e3", "+", "-", ".", "m", "Ki", "--1", "1.2.3", "0x10", "1_000", "NaN", "Inf", "\u0661", "1" * 5000),
        *(float("nan"), float("inf"), True),
    ],
    ids=lambda text: repr(text)[:12],
)
def test_anything_else_is_refused_by_an_error_that_shows_the_value(text: str | float) -> None:
    with pytest.raises(QuantityError) as refusal:
        parse(text)
    assert str(text)[:20] in str(refusal.value)
    assert len(str(refusal.value)) < 300


# Results of Value() and MilliValue() in apimachinery 0.36.3 (Go program, amd64). milli: None where Go's overflows.
@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("5.", 5, 5000),
        (".5", 1, 500),
        ("12e-1", 2, 1200),
        ("0.1m", 1, 1),
        ("100n", 1, 1),
        ("-1.5", -2, -1500),
        ("-0.5", -1, -500),
        ("1.5Gi", 1610612736, 1610612736000),
        ("0.5Ki", 512, 512000),
        ("1.0000000001", 2, 1001),
        ("1E-1", 1, 100),
        ("50E", 0, None),
        ("10P", 10_000_000_000_000_000, None),
        ("9223372036854775807", 9223372036854775807, None),
        ("9223372036854775808", -9223372036854775808, None),
        ("92233720368547758070m", 92233720368547759, None),
        ("16Ei", 9223372036854775807, None),
        ("8Ei", 9223372036854775807, None),
        ("7Ei", 8070450532247928832, None),
        ("9e18", 9000000000000000000, None),
        ("9.3E", 0, None),
        ("9.438677884289849E", -9008066189419702616, None),
        ("455675556780524249M", 4084671750904981568, None),
        ("1e100", 0, None),
        ("1e1000", 0, None),
    ],
    ids=str,
)
def test_integers_are_those_of_go(text: str, value: int, milli: int | None) -> None:
    assert parse(text).value() == value
    assert to_milli(text) == (CEILING if milli is None else milli)


@pytest.mark.parametrize(
    ("text", "units"),
    [
        ("8Pi", 2**53),
        ("9007199254740991", 2**53 - 1),
        ("0.5Ki", 512),
        ("-9E", -(2**53)),
        *((huge, 2**53) for huge in ("50E", "10P", "9223372036854775807", "9223372036854775808", "16Ei", "1e1000")),
    ],
)
def test_amounts_that_are_counted_stop_where_a_thousand_of_them_still_add_up(text: str, units: int) -> None:
    """Go makes 0, a negative number or the low 64 bits of those beyond 2**63-1."""
    assert to_value(text) == units
    assert 1000 * units < 2**63


# Case C09: Go makes 0 and -1000 of these, and kube-scheduler places such pods anywhere.
@pytest.mark.parametrize("cpu", ["9223372036854775807", "10P"])
def test_a_cpu_request_that_overflows_is_more_than_any_node_has(cpu: str) -> None:
    biggest_node = to_milli("1000000")
    assert to_milli(cpu) > biggest_node
    assert 1000 * to_milli(cpu) < 2**63  # still countable on a node where another scheduler bound such pods


# Sums of Go's Quantity.Add, then Value() (apimachinery 0.36.3).
@pytest.mark.parametrize(
    ("texts", "value"),
    [
        (["50E", "50E"], 0),
        (["50E", "1"], -5340232221128654847),
        (["9223372036854775807", "9223372036854775807"], -2),
        (["8Ei", "8Ei"], -2),
        (["0.1", "0.2"], 1),
        (["0", "50E"], 0),
    ],
    ids=str,
)
def test_sums_are_those_of_go(texts: list[str], value: int) -> None:
    assert reduce(add, map(parse, texts)).value() == value


def test_a_tenth_ten_times_is_one() -> None:
    assert reduce(add, [parse("0.1")] * 10, ZERO) == parse("1")


def test_amounts_compare_by_what_they_are_worth() -> None:
    assert parse("1000m") == parse("1")
    assert max(parse("1Gi"), parse("1G"), parse("1100M")) == Quantity(1_100_000_000 * 10**9)


_decimals = st.decimals(min_value=0, max_value=10**6, allow_nan=False, allow_infinity=False, places=4).map(str)


@given(number=_decimals, suffix=st.sampled_from(sorted(_POWERS)), sign=st.sampled_from(["", "+", "-"]))
def test_reading_agrees_with_fractions(number: str, suffix: str, sign: str) -> None:
    exact = Fraction(number) * _POWERS[suffix]
    billionths = -((-exact * 10**9).__floor__())
    if suffix.endswith("i"):
        billionths = min(billionths, (2**63 - 1) * 10**9)
    assert parse(f"{sign}{number}{suffix}").nanos == (-billionths if sign == "-" else billionths)


@given(st.lists(st.integers(0, 10**15), min_size=1, max_size=8))
def test_sums_are_rounded_once_at_the_end(millis: list[int]) -> None:
    total = reduce(add, [parse(f"{amount}m") for amount in millis], ZERO)
    assert total.value() == -(-sum(millis) // 1000)
    assert total.milli() == min(sum(millis), CEILING)


@given(st.text(alphabet="0123456789.+-eEKMGinumk ", max_size=12))
def test_no_text_makes_it_fail_in_another_way(text: str) -> None:
    try:
        quantity = parse(text)
    except QuantityError:
        return
    assert -(2**63) <= quantity.value() < 2**63
