"""Sums over rows, in memory or streamed from files."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.effects._rows import effective_size
from calibrant.effects._temperature import logit_floor, smallest_probability

#: rows that give a search its starting point
_START_ROWS = 10_000


class RowSums(Protocol):
    """The rows of positive weight, with a way to sum over them.

    An effect that uses only `add` gives the same result for rows in memory and streamed rows.
    """

    @property
    def n_rows(self) -> int:
        """How many rows there are."""

    @property
    def n_classes(self) -> int:
        """How many classes there are."""

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes."""

    @property
    def ranked(self) -> bool:
        """What `Predictions.ranked` says."""

    @property
    def scale(self) -> float:
        """By what to multiply the weights, so that they add up to Kish's number of rows."""

    @property
    def weight(self) -> float:
        """The sum of the weights."""

    @property
    def labels(self) -> IntArray:
        """How many rows have each class as their label."""

    @property
    def floor(self) -> float:
        """What stands for a probability of 0 in a logarithm; see `temperature`."""

    @property
    def cluster_index(self) -> IntArray | None:
        """The cluster of every row, 0, 1, …; only of rows in memory."""

    @property
    def soft(self) -> bool:
        """Whether rows are shares of soft labels, without the noise of labels that are drawn."""

    def add(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return the sum of ``function(rows, *arguments)`` over all parts of the rows.

        Where it is `numbered`, the number of the part's first row comes before the arguments.
        """

    def gather(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return what ``function(rows, *arguments)`` returns of all parts, one after another."""

    def some(self) -> Predictions:
        """Return about 10,000 of the rows, or all if they are fewer."""


@dataclass(frozen=True, eq=False)
class RowsInMemory:
    """Rows in memory: a single part."""

    rows: Predictions

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    @property
    def n_classes(self) -> int:
        """How many classes there are."""
        return self.rows.n_classes

    @property
    def classes(self) -> tuple[Hashable, ...]:
        """The classes."""
        return self.rows.classes

    @property
    def ranked(self) -> bool:
        """What `Predictions.ranked` says."""
        return self.rows.ranked

    @property
    def weight(self) -> float:
        """The sum of the weights."""
        return float(self.rows.weights.sum())

    @property
    def scale(self) -> float:
        """By what to multiply the weights, so that they add up to Kish's number of rows."""
        return effective_size(self.rows) / self.weight

    @property
    def labels(self) -> IntArray:
        """How many rows have each class as their label."""
        return np.bincount(self.rows.y_true, minlength=self.rows.n_classes)

    @property
    def floor(self) -> float:
        """What stands for a probability of 0 in a logarithm."""
        return logit_floor(smallest_probability(self.rows), self.rows.n_classes)

    @property
    def cluster_index(self) -> IntArray | None:
        """The cluster of every row."""
        return self.rows.cluster_index

    @property
    def soft(self) -> bool:
        """Whether rows are shares of soft labels."""
        return self.rows.soft

    def add(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return ``function(rows, *arguments)``."""
        return function(self.rows, *((0,) if numbered else ()), *arguments)

    def gather(
        self, function: Callable[..., FloatArray], *arguments: Any, numbered: bool = False
    ) -> FloatArray:
        """Return ``function(rows, *arguments)``."""
        return function(self.rows, *((0,) if numbered else ()), *arguments)

    def some(self) -> Predictions:
        """Return every k-th row."""
        step = -(-len(self.rows) // _START_ROWS)
        return self.rows if step == 1 else self.rows.take(slice(None, None, step))
