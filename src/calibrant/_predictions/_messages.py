"""The parts of an error message that say where, how many and which."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibrant._typing import BoolArray


def place(mask: BoolArray) -> str:
    """Say where the first true entry is: ``row 3`` or ``row 3, column 1``."""
    index = np.unravel_index(int(np.argmax(mask)), mask.shape)
    return ", ".join(f"{axis} {i}" for axis, i in zip(("row", "column"), index, strict=False))


def first(values: np.ndarray[Any, Any], mask: BoolArray) -> Any:
    """Return the value at the first true entry, as a Python object."""
    value = values.ravel()[int(np.argmax(mask))]
    return value.item() if isinstance(value, np.generic) else value


def count(mask: BoolArray, noun: str) -> str:
    """Count the true entries in words: ``1 row``, ``7 rows``."""
    return counted(int(np.count_nonzero(mask)), noun)


def counted(number: int, noun: str) -> str:
    """Put a number and a noun together: ``1 row``, ``7 rows``, ``2 classes``."""
    if number == 1:
        return f"1 {noun}"
    return f"{number} {noun}es" if noun.endswith("s") else f"{number} {noun}s"


def listed(values: Iterable[Any], limit: int = 6) -> str:
    """List values, shortened after `limit`: ``'a', 'b', 'c', …``."""
    shown = [repr(value) for value in islice(values, limit + 1)]
    return ", ".join([*shown[:limit], "…"] if len(shown) > limit else shown)
