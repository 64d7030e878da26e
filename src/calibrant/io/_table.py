"""What all formats offer: named columns, and one pass that reads the wanted ones."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant._predictions import Precision
from calibrant.io._growing import Texts

Array = np.ndarray[Any, Any]
#: told while a file is read: (part done, whole), in bytes or rows
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Request:
    """What to read: matrices of numbers, single columns of numbers, columns of labels."""

    matrices: Mapping[str, Sequence[str]]  # my name of a matrix -> its columns in the file
    numbers: Sequence[str] = ()
    texts: Sequence[str] = ()

    @property
    def columns(self) -> list[str]:
        """All columns, each once."""
        wanted = [name for names in self.matrices.values() for name in names]
        return list(dict.fromkeys([*wanted, *self.numbers, *self.texts]))


@dataclass(frozen=True, eq=False)
class Content:
    """What was read; numbers that were rounded to less than float64 say so in `precisions`."""

    matrices: Mapping[str, Array]
    numbers: dict[str, Array] = field(default_factory=dict)
    texts: dict[str, Array | Texts] = field(default_factory=dict)
    precisions: Mapping[str, Precision] = field(default_factory=dict)


class Table(ABC):
    """A file as a table; `widths` tells how many numbers a column holds in every row."""

    name: str
    format: str
    widths: Mapping[str, int]
    #: names of the classes, where the file says them apart from its columns
    class_names: tuple[Any, ...] | None = None
    #: names of the numbers in columns that hold several, where the cells say them
    inner_names: Mapping[str, tuple[str, ...]] = {}
    #: columns of lists that are not numbers
    lists: frozenset[str] = frozenset()
    #: whether the file names its columns; others are numbered
    has_names: bool = True
    #: columns of numbers with percent signs, which are read as fractions
    percent: frozenset[str] = frozenset()
    #: how the file is written, where that was found out, in a few words each
    writing: tuple[str, ...] = ()

    @abstractmethod
    def read(self, request: Request, progress: Progress | None = None) -> Content:
        """Read the wanted columns in one pass."""

    def reorder(self, column: str, names: tuple[str, ...]) -> None:
        """Return the named numbers in the cells of a column in another order from now on."""
        raise NotImplementedError

    def sample(self) -> Mapping[str, Sequence[Any]]:
        """Return some cells of the columns, to tell numbers from texts; nothing if unknown."""
        return {}

    @property
    def column_names(self) -> list[str]:
        """The names of all columns, in the order of the file."""
        return list(self.widths)
