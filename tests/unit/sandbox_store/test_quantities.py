"""Quantities are stored in their canonical form."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pointsman.kube.quantity import QuantityError, parse
from pointsman.sandbox.schema.quantities import canonical


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        ("0", "0"),
        ("0Gi", "0"),
        ("1", "1"),
        (1, "1"),
        (0.5, "500m"),
        ("1000m", "1"),
        ("1500m", "1500m"),
        ("0.1", "100m"),
        ("1000", "1k"),
        ("1000000k", "1G"),
        ("1024Ki", "1Mi"),
        ("1000Ki", "1000Ki"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("0.0005", "1m"),
        ("-2048Ki", "-2Mi"),
        ("1e3", "1e3"),
        ("12e6", "12e6"),
        ("1E", "1E"),
    ],
)
def test_the_canonical_form(written: Any, stored: str) -> None:
    assert canonical(written) == stored


@given(st.integers(-(10**6), 10**6), st.sampled_from(["m", "", "k", "M", "G", "Ki", "Mi", "Gi"]))
def test_the_canonical_form_is_the_same_amount_and_stays_as_it_is(number: int, suffix: str) -> None:
    once = canonical(f"{number}{suffix}")
    assert parse(once) == parse(f"{number}{suffix}")
    assert canonical(once) == once


@pytest.mark.parametrize("value", ["", "lots", "1 Gi", True, None, [], "1Kii"], ids=repr)
def test_what_is_no_quantity_is_refused(value: Any) -> None:
    with pytest.raises(QuantityError):
        canonical(value)
