"""The common interface of all formats: named columns, read in one pass."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant._predictions import Precision
from calibrant.io._growing import Texts

Array = np.ndarray[Any, Any]
#: called while a file is read with (done, total), in bytes or rows
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Request:
    """What to read: matrices of numbers, single columns of numbers, and columns of labels."""

    matrices: Mapping[str, Sequence[str]]  # internal name of a matrix -> its columns in the file
    numbers: Sequence[str] = ()
    texts: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """All columns, each once."""
        wanted = [name for names in self.matrices.values() for name in names]
        return list(dict.fromkeys([*wanted, *self.numbers, *self.texts]))


@dataclass(frozen=True, eq=False)
class Content:
    """The data that were read; `precisions` has the types of numbers coarser than float64."""

    matrices: Mapping[str, Array]
    numbers: dict[str, Array] = field(default_factory=dict)
    texts: dict[str, Array | Texts] = field(default_factory=dict)
    precisions: Mapping[str, Precision] = field(default_factory=dict)


class Table(ABC):
    """A file as a table; `widths` has the number of values in each row of a column."""

    name: str
    format: str
    widths: Mapping[str, int]
    #: names of the classes, if the file stores them separately
    class_names: tuple[Any, ...] | None = None
    #: names of the numbers in wide columns, if the cells contain them
    inner_names: Mapping[str, tuple[str, ...]] = {}
    #: columns of lists of other values than numbers
    lists: frozenset[str] = frozenset()
    #: whether the file names its columns; others are numbered
    has_names: bool = True
    #: columns of numbers with percent signs, which are read as fractions
    percent: frozenset[str] = frozenset()
    #: notes on how the file is written
    writing: tuple[str, ...] = ()

    @abstractmethod
    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Read the requested columns in one pass."""

    def reorder(self, column: str, names: tuple[str, ...]) -> None:
        """Change the order in which the named numbers of a column's cells are returned."""
        raise NotImplementedError

    def sample(self) -> Mapping[str, Sequence[Any]]:
        """Return some cells of each column, to distinguish numbers from texts; empty if unknown."""
        return {}

    @property
    def column_names(self) -> list[str]:
        """The names of all columns, in the order of the file."""
        return list(self.widths)
