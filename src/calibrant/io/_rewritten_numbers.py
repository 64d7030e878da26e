"""Conversion of a file's numbers to probabilities, and back to numbers of the same kind."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import (
    Source,
    check_probabilities,
    divide_rounded_rows,
    logits_to_probabilities,
)
from calibrant.io._checked import refuse_probabilities
from calibrant.io._columns import Columns
from calibrant.io._options import ReadOptions
from calibrant.io._table import Table

#: replaces a probability of 0, which has no logarithm
_SMALLEST = np.finfo(np.float64).smallest_subnormal


@dataclass(frozen=True, eq=False)
class Numbers:
    """The kind of numbers in the probability columns of a file.

    `unit` is the number for a probability of 1, in each column or in all.
    """

    columns: Columns
    file: str
    options: ReadOptions
    unit: FloatArray | None = None

    @classmethod
    def of(cls, table: Table, columns: Columns, options: ReadOptions) -> Numbers:
        """Return the kind given by the user and the column names."""
        unit = None
        if options.percent:
            names = columns.probabilities  # columns with percent signs are read as fractions
            unit = np.array([1.0 if name in table.percent else 100.0 for name in names])
        return cls(columns, table.name, options, unit)

    @property
    def are_plain(self) -> bool:
        """Whether rows that sum to 1 need no conversion."""
        return not (self.columns.logits or self.options.normalize)

    def read(self, values: FloatArray, order: tuple[int, ...]) -> FloatArray:
        """Return numbers (columns, rows) class by class; a single column gives two classes."""
        if self.unit is not None:
            values = values / self.unit[:, None]
        if len(order) == 1:
            other = np.zeros_like(values[0]) if self.columns.logits else 1.0 - values[0]
            return np.stack([other, values[0]] if order[0] == 1 else [values[0], other])
        table = np.empty_like(values)
        table[list(order)] = values
        return table

    def check(self, source: Source) -> tuple[FloatArray, bool]:
        """Return rows as probabilities, and whether rounded rows were divided by their sums."""
        if self.columns.logits:
            if not self.options.logits:
                refuse_probabilities(source.values, self.columns, self.file)
            return logits_to_probabilities(source, 1.0), False
        if self.options.normalize:
            return check_probabilities(source, normalize=True), False
        values, decimals = divide_rounded_rows(source.values)
        return check_probabilities(Source(values, source.precision)), decimals is not None

    def write(self, table: FloatArray, order: tuple[int, ...]) -> FloatArray:
        """Return probabilities, class by class, as numbers of the file (columns, rows)."""
        if self.columns.logits:
            table = np.log(np.maximum(table, _SMALLEST))
            if len(order) == 1:
                return np.ascontiguousarray(table[list(order)] - table[1 - order[0]])
        values = np.ascontiguousarray(table[list(order)])
        return values if self.unit is None else values * self.unit[:, None]
