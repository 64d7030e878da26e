"""Checks that rows are distributions, with hints at what else they look like."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._execution import spans
from calibrant._native import BoolArray, FloatArray
from calibrant._predictions._arrays import Precision, Source
from calibrant._predictions._messages import DROP_ROWS, count, first_of
from calibrant.errors import Argument, DataError, Problem, RowSumWarning, Words

#: largest deviation of a row sum from 1 that is rounding of its type
TOLERANCE: dict[Precision, float] = {
    "float64": 1e-6,
    "float32": 1e-5,
    "float16": 2e-3,
    "bfloat16": 8e-3,
}
#: a row sum that deviates more from 1 is refused
REFUSED = 1e-2
#: the same if the values were rounded
_ROUNDED = 5e-2
#: rows that are processed together
_BLOCK = 1 << 14
NORMALIZE = Argument("normalize", True)


def check_probabilities(source: Source, *, normalize: bool = False) -> FloatArray:
    """Return `y_prob` as C-contiguous float64 (n, m), without a copy if it is so already.

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
    """Divide rows in place as `check_probabilities` would; return how far their sums were off.

    Return 0 if nothing was divided, or if the rows will be refused anyway.
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


def divide_rounded_rows(values: FloatArray) -> tuple[FloatArray, int | None]:
    """Divide rows whose sums are off because all values were rounded, in place if possible.

    Values with d = 2, …, 6 decimals are each off by up to 10⁻ᵈ/2, so a sum of m of them may be off
    by m·10⁻ᵈ/2. Sums that are off by more than `_ROUNDED` are not changed. Also returns d, or None
    if nothing was divided.
    """
    if values.ndim != 2 or values.shape[1] == 1 or not len(values) or values.dtype != np.float64:
        return values, None
    sums, *_ = _row_sums_and_range(values)
    off = np.abs(sums - 1.0)
    if not TOLERANCE["float64"] < off.max() <= _ROUNDED:
        return values, None
    decimals = next((d for d in range(2, 7) if _are_rounded(values, d)), None)
    half = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    if decimals is None or off.max() > values.shape[1] * half * (1 + 1e-6):
        return values, None
    table = values if values.flags.writeable else values.copy()
    wrong = off > half  # by at least one unit of the last decimal
    table[wrong] /= sums[wrong, None]
    return table, decimals


def _are_rounded(values: FloatArray, decimals: int) -> bool:
    """Return whether all values are multiples of a power of ten; the first rows usually decide."""
    for rows in spans(len(values), _BLOCK):
        scaled = values[rows] * 10.0**decimals
        if np.any(np.abs(scaled - np.rint(scaled)) > 1e-6):
            return False
    return True


def _row_sums_and_range(values: FloatArray) -> tuple[FloatArray, float, float]:
    """Return the row sums, the minimum and the maximum; NaN propagates to the sums."""
    core = _native.active()
    table = values if values.ndim == 2 else values[:, None]
    if core is None:
        # several times faster than sum(axis=1) for few classes
        low, high = (float(values.min()), float(values.max())) if values.size else (0.0, 0.0)
        return np.einsum("ij->i", table), low, high
    sums = np.empty(len(table))
    low, high = core.row_sums_and_range(table, sums)
    return sums, low, high


def as_floats(values: np.ndarray[Any, Any], name: str) -> FloatArray:
    """Convert numbers to float64 exactly; refuse anything but real numbers."""
    if values.dtype.kind not in "fiub":
        raise _not_numbers(values, name)
    return np.ascontiguousarray(values, dtype=np.float64)


def refuse_non_finite(values: FloatArray, name: str, wrong: BoolArray, remedy: str) -> None:
    """Raise an error that says where NaN and infinity are, if there are any."""
    if wrong.any():
        raise DataError(
            Problem.NOT_FINITE,
            "must be finite",
            argument=name,
            got=f"{count(wrong, 'value')} NaN or infinite",
            remedy=remedy,
            **first_of(wrong, values),
        )


def _two_columns(positive: FloatArray) -> FloatArray:
    table = np.empty((positive.size, 2))
    np.subtract(1.0, positive, out=table[:, 0])
    table[:, 1] = positive
    return table


def _normalized(values: FloatArray, sums: FloatArray) -> FloatArray:
    wrong = ~((sums > 0) & (sums < np.inf))
    if wrong.any():
        raise DataError(
            Problem.RANGE,
            ("must have rows with a positive finite sum for ", NORMALIZE),
            argument="y_prob",
            got=f"{count(wrong, 'row')} without",
            remedy=DROP_ROWS,
            **first_of(wrong, sums),
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
        RowSumWarning(f"{count(wrong, 'row')} of {len(sums)}", float(worst)),
        stacklevel=levels_to_the_user(),
    )
    table = values.copy()
    table[wrong] /= sums[wrong, None]
    return table


def levels_to_the_user() -> int:
    """Return the number of frames from the caller to the first one outside calibrant."""
    depth = 1
    while _package(depth + 1) in ("calibrant", "contextlib"):
        depth += 1
    return depth


def _package(depth: int) -> str:
    name: str = sys._getframe(depth).f_globals.get("__name__", "")
    return name.partition(".")[0]


def _row_sum_error(values: FloatArray, sums: FloatArray, off: FloatArray) -> DataError:
    wrong = off > REFUSED
    low, high = sums[wrong].min(), sums[wrong].max()
    span = f"with sum {low:.6g}" if low == high else f"with sums from {low:.6g} to {high:.6g}"
    error = DataError(
        Problem.ROW_SUMS,
        "must have rows that sum to 1",
        argument="y_prob",
        got=f"{count(wrong, 'row')} of {len(sums)} {span}",
        remedy=(*_DIVIDE, _MANY_LABELS),
        **first_of(wrong),
    )
    if np.all(np.abs(values.sum(axis=0) - 1.0) <= REFUSED):
        error.problem, error.remedy = Problem.TRANSPOSED, "pass `y_prob.T`"
        error.hint = "the columns sum to 1, so this looks transposed"
    elif low <= 0:
        error.problem, error.remedy = Problem.RANGE, DROP_ROWS
        error.hint = "rows of zeros are not predictions"
    return error


def _range_error(values: FloatArray, scores: bool) -> DataError:
    try:
        refuse_non_finite(values, "y_prob", ~np.isfinite(values), DROP_ROWS)
    except DataError as error:
        return error
    wrong = values < 0 if scores else (values < 0) | (values > 1)
    problem = _look(values)
    hint, remedy = _LOOKS[problem]
    return DataError(
        problem,
        "must be non-negative" if scores else "must be in [0, 1]",
        argument="y_prob",
        got=f"{count(wrong, 'value')} outside",
        hint=hint,
        remedy=remedy,
        **first_of(wrong, values),
    )


_MANY_LABELS = ", or `Predictions.from_multilabel` if every label has its own probability"
_DIVIDE: tuple[str | Argument, ...] = (
    "pass ",
    NORMALIZE,
    " to divide every row by its sum, or use `Predictions.from_logits` if these are logits",
)
#: whole numbers up to this one are probably not percentages
_GRADES = 10
#: what out-of-range probabilities look like, and the remedy
_LOOKS: dict[Problem, tuple[str, Words]] = {
    Problem.ROUNDING: (
        "this looks like rounding noise",
        ("pass `np.clip(y_prob, 0, 1)` with ", NORMALIZE, " if you accept that"),
    ),
    Problem.LOG_PROBABILITIES: ("these look like log-probabilities", "pass `np.exp(y_prob)`"),
    Problem.GRADES: ("these look like grades", "divide them by the highest possible grade"),
    Problem.PERCENTAGES: ("these look like percentages", "pass `y_prob / 100`"),
    Problem.SCORES: ("these look like counts, scores or logits", _DIVIDE),
    Problem.LOGITS: ("these look like logits", "use `Predictions.from_logits(y_true, logits)`"),
}


def _look(values: FloatArray) -> Problem:
    low, high = values.min(), values.max()
    if low >= -1e-6 and high <= 1 + 1e-6:
        return Problem.ROUNDING
    matrix = values if values.ndim == 2 else None
    if high <= 0 and (matrix is None or _sums_to(np.exp(matrix), 1.0)):
        return Problem.LOG_PROBABILITIES
    if low >= 0 and high <= _GRADES and matrix is None and not (values % 1).any():
        return Problem.GRADES
    if low >= 0 and high <= 101 and (matrix is None or _sums_to(matrix, 100.0)):
        return Problem.PERCENTAGES
    return Problem.SCORES if low >= 0 else Problem.LOGITS


def _sums_to(matrix: FloatArray, total: float) -> bool:
    return bool(np.all(np.abs(matrix.sum(axis=1) - total) <= REFUSED * total))


def _not_numbers(values: np.ndarray[Any, Any], name: str) -> DataError:
    refusal = partial(DataError, Problem.NOT_NUMBERS, argument=name)
    if values.dtype.kind == "c":
        remedy = f"pass `{name}.real` if that is meant"
        return refusal("must be real", got=f"dtype {values.dtype}", remedy=remedy)
    entry = values.ravel()[0]
    if isinstance(entry, np.ndarray | list | tuple):
        got = f"one {type(entry).__name__} per row"
        return refusal("must be a matrix", got=got, remedy=f"pass `np.stack({name})`")
    wrong = np.array([not isinstance(value, float | int) for value in values.ravel().tolist()])
    convert = f"`np.asarray({name}, dtype=float)`"
    if not wrong.any():
        return refusal("must be numbers", got=f"dtype {values.dtype}", remedy=f"pass {convert}")
    wrong = wrong.reshape(values.shape)
    return refusal(
        "must be numbers",
        got=f"{count(wrong, 'value')} of another type",
        remedy=f"select the columns that hold numbers, or convert with {convert}",
        **first_of(wrong, values),
    )
