"""The parts of messages that name places, counts and values."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

import numpy as np

from calibrant._native import BoolArray
from calibrant._output import counted

#: the remedy for unusable rows
DROP_ROWS = "drop these rows from the labels and the predictions alike"
#: longer names are cut
_LONGEST = 28


def first_of(wrong: BoolArray, values: np.ndarray[Any, Any] | None = None) -> dict[str, Any]:
    """Return the fields of a `DataError` for the number of wrong entries and the first of them."""
    at = int(np.argmax(wrong))
    value = None if values is None else values.ravel()[at]
    index = map(int, np.unravel_index(at, wrong.shape))
    return {
        "count": int(np.count_nonzero(wrong)),
        "value": value.item() if isinstance(value, np.generic) else value,
        **dict(zip(("row", "column"), index, strict=False)),
    }


def count(mask: BoolArray, noun: str) -> str:
    """Count the true entries in words: ``1 row``, ``7 rows``."""
    return counted(int(np.count_nonzero(mask)), noun)


def listed(values: Iterable[Any], limit: int = 6) -> str:
    """List values, shortened after `limit`: ``'a', 'b', 'c', …``."""
    shown = [repr(value) for value in islice(values, limit + 1)]
    return ", ".join([*shown[:limit], "…"] if len(shown) > limit else shown)


def name_text(name: Any, longest: int = _LONGEST) -> str:
    r"""Return the name of a class or model as a single line that is safe in every format.

    Examples
    --------
    >>> name_text("a\nb"), name_text("x" * 99, 5)
    ('a b', 'xxxx…')
    """
    text = " ".join(str(name).split())
    text = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return text if len(text) <= longest else text[: longest - 1] + "…"
