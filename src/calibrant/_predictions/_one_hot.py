"""Labels given as one-hot rows: exact zeros and one exact 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions._messages import count, place

if TYPE_CHECKING:
    from calibrant._typing import IntArray


def one_hot_codes(rows: np.ndarray[Any, Any], n_classes: int) -> IntArray:
    """Return the position of the 1 in every row."""
    if rows.shape[1] != n_classes:
        raise ValueError(
            f"one-hot y_true must have one column per class, {n_classes} as y_prob; "
            f"got {rows.shape[1]}"
        )
    if rows.dtype.kind not in "biuf":
        raise ValueError(
            f"one-hot y_true must be numbers; got dtype {rows.dtype}. "
            "Pass one label per row instead"
        )
    ones = rows == 1
    wrong = (ones.sum(axis=1) != 1) | ~(ones | (rows == 0)).all(axis=1)
    if wrong.any():
        row = rows[int(np.argmax(wrong))]
        raise ValueError(
            f"one-hot y_true must have one 1 and otherwise 0 in every row; got "
            f"{count(wrong, 'row')} that differ, the first at {place(wrong)}: "
            f"{np.array2string(row, threshold=6, edgeitems=3)}. Soft or multiple labels are not "
            "supported: pass one label per row"
        )
    codes: IntArray = ones.argmax(axis=1).astype(np.int64, copy=False)
    return codes
