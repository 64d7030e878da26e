"""Arrays that grow row by row, without ever keeping two copies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

#: whole numbers below this are exact as floats
EXACT = 1 << 53


class GrowingMatrix:
    """A matrix (n, m) that grows by chunks of rows, given column by column."""

    def __init__(self, n_columns: int, dtype: Any, n_rows: int | None = None) -> None:
        try:
            self._data: Array = np.empty((n_rows or 0, n_columns), dtype)
        except ValueError as error:  # more bytes than there are addresses
            raise MemoryError(str(error)) from error
        self._size = 0

    def append(self, columns: Sequence[Array]) -> None:
        """Add rows, given as one array (k,) per column."""
        if not columns:
            return
        end = self._size + len(columns[0])
        self._reserve(end)
        for j, column in enumerate(columns):
            self._data[self._size : end, j] = column
        self._size = end

    def append_rows(self, rows: Array) -> None:
        """Add rows, given as a matrix (k, m)."""
        end = self._size + len(rows)
        self._reserve(end)
        self._data[self._size : end] = rows
        self._size = end

    def finish(self) -> Array:
        """Return the rows so far, in an array of exactly their size."""
        self._data.resize((self._size, self._data.shape[1]), refcheck=False)
        return self._data

    def _reserve(self, end: int) -> None:
        if end > len(self._data):
            # realloc moves pages, not bytes, for large arrays
            rows = max(end, 1024, len(self._data) * 5 // 4)
            self._data.resize((rows, self._data.shape[1]), refcheck=False)


class GrowingCodes:
    """A column of texts, stored as codes and a list of distinct texts."""

    def __init__(self, n_rows: int | None = None) -> None:
        self._codes = GrowingMatrix(1, np.int32, n_rows)
        self._index: dict[str | None, int] = {}

    def append(self, values: Sequence[str | None]) -> None:
        """Add texts; None is missing."""
        index = self._index
        codes = [index.setdefault(value, len(index)) for value in values]
        self._codes.append([np.array(codes, dtype=np.int32)])

    def append_coded(self, codes: Array, values: Sequence[str | None]) -> None:
        """Add texts that arrive as codes into a list."""
        index = self._index
        mine = np.array([index.setdefault(v, len(index)) for v in values], dtype=np.int32)
        self._codes.append([mine[codes]])

    def finish(self, are_strings: bool = False) -> Texts:
        """Return the column."""
        return Texts(self._codes.finish()[:, 0], tuple(self._index), are_strings)


def cell(text: str) -> str | None:
    """Return a text without surrounding blanks, or None if nothing remains."""
    return text.strip() or None


class Texts:
    """A column of texts, ``values[codes]``, with the values in order of appearance.

    `are_strings` means that the file itself has strings, so the text 1 is not the number 1.
    """

    def __init__(
        self, codes: Array, values: tuple[str | None, ...], are_strings: bool = False
    ) -> None:
        self.codes = codes
        self.values = values
        self.are_strings = are_strings

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, rows: Array) -> Texts:
        """Select rows by their numbers."""
        return Texts(self.codes[rows], self.values, self.are_strings)

    def replaced(self, values: Sequence[Any], dtype: Any) -> Array:
        """Return an array with every distinct text replaced by a value."""
        table = np.empty(len(values), dtype)
        for i, value in enumerate(values):
            table[i] = value
        replaced: Array = table[self.codes]
        return replaced

    def objects(self) -> Array:
        """Return an array of Python strings (and None)."""
        return self.replaced(self.values, object)
