"""Images on nodes, by name: every tag and digest that a node reports is a name of its own.

The size is that of the first node that reported the name and stays until no node holds it (kube-scheduler 1.36,
backend/cache/cache.go): nodes that report other sizes later change nothing. A name's column is made when a pod that
uses the image is first decided on, and kept up to date from then on.
"""

import numpy as np

from pointsman.engine.cluster.columns import Column, Recent
from pointsman.policy.view import ImageState

MAX_COLUMNS = 512  # a column of 5,000 rows takes 5 kB
ReportedImages = tuple[tuple[str, int], ...]  # (name, bytes), in the order of the node's status


class _Image:
    __slots__ = ("name", "rows", "size")

    def __init__(self, name: str, size: int) -> None:
        self.name = name
        self.size = size
        self.rows: set[int] = set()


class Images:
    """Which rows hold which image."""

    def __init__(self, capacity: int, max_columns: int = MAX_COLUMNS) -> None:
        self._of: list[tuple[_Image, ...]] = [()] * capacity
        self._images: dict[str, _Image] = {}
        self._columns: Recent[str, Column[np.bool_]] = Recent(max_columns)

    def grow(self, capacity: int) -> None:
        self._of.extend([()] * (capacity - len(self._of)))
        for column in self._columns.values():
            column.grow(capacity)

    def set_row(self, row: int, reported: ReportedImages) -> None:
        """Replace a row's images; nothing for a row that is given up."""
        for image in self._of[row]:
            self._drop(row, image)
        self._of[row] = tuple(self._put(row, name, size) for name, size in reported)

    def state(self, name: str) -> ImageState | None:
        image = self._images.get(name)
        if image is None:
            return None
        column = self._columns.get(name)
        if column is None:
            column = Column(np.bool_, len(self._of))
            column.data[np.fromiter(image.rows, np.intp, len(image.rows))] = True
            self._columns.put(name, column)
        return ImageState(image.size, column.view, len(image.rows))

    def _put(self, row: int, name: str, size: int) -> _Image:
        image = self._images.get(name)
        if image is None:
            image = self._images[name] = _Image(name, size)
        image.rows.add(row)
        column = self._columns.peek(name)
        if column is not None:
            column.data[row] = True
        return image

    def _drop(self, row: int, image: _Image) -> None:
        image.rows.discard(row)
        if not image.rows:
            self._images.pop(image.name, None)
            self._columns.discard(image.name)
            return
        column = self._columns.peek(image.name)
        if column is not None:
            column.data[row] = False
