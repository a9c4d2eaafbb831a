"""Growable columns, Go's int64, and the bounded map of derived columns."""

import numpy as np
import pytest

from pointsman.engine.cluster.columns import INT64_MAX, INT64_MIN, Column, Recent, add_amount
from pointsman.engine.cluster.images import Images
from pointsman.engine.cluster.labels import Labels


def test_growing_keeps_values_and_fills_the_new_rows() -> None:
    column = Column(np.int32, 2, fill=-1)
    column.data[0] = 7
    column.grow(5)
    assert column.view.tolist() == [7, -1, -1, -1, -1]
    assert column.view.dtype == np.int32


def test_the_view_follows_writes_and_cannot_be_written() -> None:
    column = Column(np.int64, 1)
    column.data[0] = 3
    assert column.view[0] == 3
    with pytest.raises(ValueError, match="read-only"):
        column.view[0] = 4


@pytest.mark.parametrize(
    ("start", "amount", "result"),
    [
        pytest.param(1, 2, 3, id="plain"),
        pytest.param(INT64_MAX, 1, INT64_MIN, id="past the top"),
        pytest.param(INT64_MAX, INT64_MAX, -2, id="two of the largest"),
        pytest.param(INT64_MIN, -1, INT64_MAX, id="past the bottom"),
        pytest.param(-2, -INT64_MAX, INT64_MAX, id="one of the two largest taken away again"),
    ],
)
def test_amounts_wrap_around_like_int64_of_go(start: int, amount: int, result: int) -> None:
    column = Column(np.int64, 1)
    column.data[0] = start
    add_amount(column, 0, amount)
    assert column.view.tolist() == [result]


def test_the_entry_that_was_used_longest_ago_makes_room() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert (recent.peek("a"), recent.peek("b"), recent.peek("c")) == (1, None, 3)


def test_label_columns_are_bounded_and_a_dropped_one_comes_back_right() -> None:
    labels = Labels(capacity=2, max_keys=1)
    labels.set_row(0, {"zone": "a", "rack": "1"})
    assert labels.column("zone").ids.tolist() == [0, -1]
    assert labels.column("rack").values == ["1"]
    labels.set_row(1, {"zone": "b"})
    zone = labels.column("zone")
    assert [zone.values[value] for value in zone.ids.tolist()] == ["a", "b"]


def test_values_that_went_out_of_use_do_not_pile_up() -> None:
    labels = Labels(capacity=2)
    labels.column("host")
    for number in range(100):
        labels.set_row(0, {"host": f"n{number}"})
    host = labels.column("host")
    assert len(host.values) <= 5
    assert host.values[host.ids[0]] == "n99"


def test_image_columns_are_bounded_and_a_dropped_one_comes_back_right() -> None:
    images = Images(capacity=2, max_columns=1)
    images.set_row(0, (("a", 10), ("b", 20)))
    for name in ("a", "b", "a"):
        images.state(name)
    images.set_row(1, (("b", 20),))
    state = images.state("b")
    assert state is not None
    assert state.present.tolist() == [True, True]
