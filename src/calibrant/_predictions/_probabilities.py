"""Are these rows distributions? If not, say what they look like."""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant import _native
from calibrant._predictions._messages import count, first, place

if TYPE_CHECKING:
    from calibrant._predictions._arrays import Precision, Source
    from calibrant._typing import BoolArray, FloatArray

#: how far a row sum may be from 1 before it is more than the rounding of its type
TOLERANCE: dict[Precision, float] = {
    "float64": 1e-6,
    "float32": 1e-5,
    "float16": 2e-3,
    "bfloat16": 8e-3,
}
#: how far a row sum may be from 1 before it is refused
REFUSED = 1e-2


class RowSumWarning(UserWarning):
    """Some rows of `y_prob` did not sum to 1 and were divided by their sums."""


def check_probabilities(source: Source, *, normalize: bool = False) -> FloatArray:
    """Return `y_prob` as float64 (n, m), C-contiguous; the same memory where it is so already.

    One column p becomes [1 − p, p]. One pass over the array, three without the native core.
    """
    values = as_floats(source.values, "y_prob")
    sums, low, high = _row_sums_and_range(values)
    scores = normalize and values.ndim == 2
    if not (low >= 0 and (high < np.inf if scores else high <= 1)) or np.isnan(sums.sum()):
        raise _range_error(values, scores)
    if values.ndim == 1:
        return _two_columns(values)
    if normalize:
        return _normalized(values, sums)
    return _with_unit_rows(values, sums, TOLERANCE[source.precision])


def divide_nearly_unit_rows(values: FloatArray, precision: Precision) -> float:
    """Divide rows in place whose sums are off as `check_probabilities` would, and say how far.

    Returns 0 where nothing was to do, or where the rows are to be refused anyway.
    """
    if values.ndim != 2 or values.shape[1] == 1 or not len(values):
        return 0.0
    sums, *_ = _row_sums_and_range(values)
    off = np.abs(sums - 1.0)
    worst = float(off.max())
    if not TOLERANCE[precision] < worst <= REFUSED:
        return 0.0
    wrong = off > TOLERANCE[precision]
    values[wrong] /= sums[wrong, None]
    return worst


def _row_sums_and_range(values: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the row sums, the minimum and the maximum; NaN shows in the sums."""
    core = _native.active()
    table = values if values.ndim == 2 else values[:, None]
    if core is None:
        # several times faster than sum(axis=1) for few classes
        return np.einsum("ij->i", table), float(values.min()), float(values.max())
    sums = np.empty(len(table))
    low, high = core.row_sums_and_range(table, sums)
    return sums, low, high


def as_floats(values: np.ndarray[Any, Any], name: str) -> FloatArray:
    """Convert numbers to float64 exactly; refuse everything that is not a real number."""
    if values.dtype.kind not in "fiub":
        raise ValueError(_not_numbers(values, name))
    return np.ascontiguousarray(values, dtype=np.float64)


def refuse_non_finite(values: FloatArray, name: str, wrong: BoolArray, remedy: str) -> None:
    """Say where NaN and infinity are."""
    if wrong.any():
        raise ValueError(
            f"{name} must be finite; got {count(wrong, 'value')} NaN or infinite, the first "
            f"({first(values, wrong)}) at {place(wrong)}. {remedy}"
        )


def _two_columns(positive: FloatArray) -> FloatArray:
    table = np.empty((positive.size, 2))
    np.subtract(1.0, positive, out=table[:, 0])
    table[:, 1] = positive
    return table


def _normalized(values: FloatArray, sums: FloatArray) -> FloatArray:
    wrong = ~((sums > 0) & (sums < np.inf))
    if wrong.any():
        raise ValueError(
            f"y_prob must have rows with a positive finite sum for normalize=True; got "
            f"{count(wrong, 'row')} without (sum {first(sums, wrong):.6g}), the first at "
            f"{place(wrong)}. Drop these rows from y_true and y_prob alike"
        )
    return values / sums[:, None]


def _with_unit_rows(values: FloatArray, sums: FloatArray, tolerance: float) -> FloatArray:
    off = np.abs(sums - 1.0)
    worst = off.max()
    if worst <= tolerance:
        return values
    if worst > REFUSED:
        raise _row_sum_error(values, sums, off)
    wrong = off > tolerance
    warnings.warn(
        f"y_prob must have rows that sum to 1; divided {count(wrong, 'row')} of {len(sums)} by "
        f"the row sum, off by at most {worst:.2g}. Pass normalize=True to do so without a warning",
        RowSumWarning,
        stacklevel=levels_to_the_user(),
    )
    table = values.copy()
    table[wrong] /= sums[wrong, None]
    return table


def levels_to_the_user() -> int:
    """Count the frames from the caller to the first one outside calibrant."""
    level = 1
    while sys._getframe(level).f_globals.get("__name__", "").partition(".")[0] == "calibrant":
        level += 1
    return level


def _row_sum_error(values: FloatArray, sums: FloatArray, off: FloatArray) -> ValueError:
    wrong = off > REFUSED
    row = int(off.argmax())
    if np.all(np.abs(values.sum(axis=0) - 1.0) <= REFUSED):
        remedy = "The columns sum to 1: y_prob looks transposed; pass y_prob.T"
    elif sums.min() <= 0:
        remedy = "Rows of zeros are no predictions: drop them from y_true and y_prob alike"
    else:
        remedy = (
            "Pass normalize=True to divide every row by its sum, or use "
            "Predictions.from_logits if these are logits"
        )
    return ValueError(
        f"y_prob must have rows that sum to 1; got {count(wrong, 'row')} of {len(sums)} that do "
        f"not, the first at {place(wrong)}, the worst at row {row} with sum {sums[row]:.6g}. "
        f"{remedy}"
    )


def _range_error(values: FloatArray, scores: bool) -> ValueError:
    remedy = "Drop these rows from y_true and y_prob alike"
    try:
        refuse_non_finite(values, "y_prob", ~np.isfinite(values), remedy)
    except ValueError as error:
        return error
    wrong = values < 0 if scores else (values < 0) | (values > 1)
    rule = "non-negative" if scores else "in [0, 1]"
    return ValueError(
        f"y_prob must be {rule}; got {count(wrong, 'value')} outside, the first "
        f"({first(values, wrong):.6g}) at {place(wrong)}. {_what_they_look_like(values)}"
    )


def _what_they_look_like(values: FloatArray) -> str:
    low, high = values.min(), values.max()
    if low >= -1e-6 and high <= 1 + 1e-6:
        return (
            "This looks like rounding noise: pass np.clip(y_prob, 0, 1) with normalize=True "
            "if you accept that"
        )
    matrix = values if values.ndim == 2 else None
    if high <= 0 and (matrix is None or _sums_to(np.exp(matrix), 1.0)):
        return "These look like log-probabilities; pass np.exp(y_prob)"
    if low >= 0 and high <= 101 and (matrix is None or _sums_to(matrix, 100.0)):
        return "These look like percentages; pass y_prob / 100"
    if low >= 0:
        return (
            "These look like counts or scores, or like logits: pass normalize=True to divide "
            "every row by its sum, or use Predictions.from_logits"
        )
    return "These look like logits; use Predictions.from_logits(y_true, logits)"


def _sums_to(matrix: FloatArray, total: float) -> bool:
    return bool(np.all(np.abs(matrix.sum(axis=1) - total) <= REFUSED * total))


def _not_numbers(values: np.ndarray[Any, Any], name: str) -> str:
    if values.dtype.kind == "c":
        return f"{name} must be real; got dtype {values.dtype}. Pass {name}.real if that is meant"
    entry = values.ravel()[0]
    if isinstance(entry, np.ndarray | list | tuple):
        return (
            f"{name} must be a matrix; got one {type(entry).__name__} per row. "
            f"Pass np.stack({name})"
        )
    wrong = np.array([not isinstance(value, float | int) for value in values.ravel().tolist()])
    wrong = wrong.reshape(values.shape)
    if not wrong.any():
        return (
            f"{name} must be numbers; got dtype {values.dtype}. "
            f"Pass np.asarray({name}, dtype=float)"
        )
    return (
        f"{name} must be numbers; got {count(wrong, 'value')} that are not, the first "
        f"({first(values, wrong)!r}) at {place(wrong)}. Select the columns that hold "
        f"probabilities, or convert with np.asarray({name}, dtype=float)"
    )
