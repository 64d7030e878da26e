"""What is known of a table before it is read: the column names and some cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from calibrant.io._layouts._names import PREDICTED_NAMES, key
from calibrant.io._missing import is_missing
from calibrant.io._options import ReadOptions
from calibrant.io._table import Table

#: words for right and wrong
_TRUTHS = {"true", "false", "0", "1", "0.0", "1.0", "yes", "no", "t", "f", "correct", "incorrect",
           "right", "wrong", "pass", "fail", "c", "i"}  # fmt: skip


@dataclass(frozen=True)
class Look:
    """The contents of some cells of a column; unknown without cells."""

    numbers: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether there are cells and none is a number."""
        return bool(self.texts) and not self.numbers

    @property
    def is_number(self) -> bool:
        """Whether there are cells and all are numbers."""
        return bool(self.numbers) and not self.texts

    @property
    def is_outside(self) -> bool:
        """Whether any number cannot be a probability."""
        return any(not 0.0 <= value <= 1.0 for value in self.numbers)

    @property
    def is_binary(self) -> bool:
        """Whether there are cells and all are 0 or 1."""
        return self.is_number and set(self.numbers) <= {0.0, 1.0}

    @property
    def is_fraction(self) -> bool:
        """Whether all numbers can be probabilities and some are proper fractions."""
        return self.is_number and not self.is_outside and any(v % 1 for v in self.numbers)


@dataclass(frozen=True)
class Sight:
    """A table with the user's options and the columns whose meaning is already known."""

    table: Table
    options: ReadOptions
    taken: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()
    _looks: dict[str, Look] = field(default_factory=dict, compare=False, repr=False)

    @property
    def free(self) -> list[str]:
        """The columns without a meaning so far."""
        return [name for name in self.table.column_names if name not in self.taken]

    @cached_property
    def label_values(self) -> frozenset[str]:
        """The labels in the sampled cells."""
        if len(self.labels) != 1:
            return frozenset()
        cells = self.table.sample().get(self.labels[0], ())
        return frozenset(str(cell).strip() for cell in cells if not is_missing(cell))

    def look(self, name: str) -> Look:
        """Return the contents of the sampled cells of a column."""
        if name not in self._looks:
            self._looks[name] = _look(self.table.sample().get(name, ()))
        return self._looks[name]

    def is_wide(self, name: str) -> bool:
        """Return whether the cells of a column contain several numbers."""
        return self.table.widths[name] > 1

    def named(self, names: Sequence[str]) -> list[str]:
        """Return the free columns with these names, as normalized by `key`."""
        return [name for name in self.free if key(name) in names]

    def says_right(self, name: str) -> bool:
        """Return whether the sampled cells of a column are words for right and wrong."""
        cells = self.table.sample().get(name, ())
        values = {str(cell).strip().lower() for cell in cells if not is_missing(cell)}
        return bool(values) and values <= _TRUTHS

    def predicted(self) -> list[str]:
        """Return the free columns that are named like predicted labels and can be such.

        If the user names the label column, another column called label contains predictions.
        """
        found = self.named(PREDICTED_NAMES)
        if not found and self.options.label is not None:
            found = self.named(("label", "class"))
        return [name for name in found if not (self.is_wide(name) or self.look(name).is_fraction)]


def _look(cells: Sequence[Any]) -> Look:
    numbers: list[float] = []
    texts: list[str] = []
    for cell in cells:
        if is_missing(cell):
            continue
        number = _number(cell)
        if number is None:
            texts.append(str(cell))
        else:
            numbers.append(number)
    return Look(tuple(numbers), tuple(texts))


def _number(cell: Any) -> float | None:
    if isinstance(cell, bool):
        return float(cell)
    if isinstance(cell, str):
        text = cell.strip()
        scale = 100.0 if text.endswith("%") else 1.0
        try:
            return float(text.removesuffix("%").replace(",", ".")) / scale
        except ValueError:
            return None
    try:
        return float(cell)
    except (TypeError, ValueError, OverflowError):
        return None
