"""The table of the bins, which the binned errors, the plots and the report share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._native import FloatArray, IntArray
from calibrant._output import Framed, concise, left_out, to_plain


@concise
@dataclass(frozen=True, eq=False, kw_only=True)
class Bins(Framed):
    """The non-empty bins of one data set, as read-only arrays.

    Parameters
    ----------
    ids : ndarray of shape (n_samples,)
        The bin of every row.
    count : ndarray of shape (k,)
        Rows in each bin, at least one.
    weight : ndarray of shape (k,)
        Sum of the sample weights in each bin; equal to `count` without weights.
    mean_prediction : ndarray of shape (k, n_classes)
        Weighted mean of the predictions in each bin; NaN if the weight is 0.
    label_frequency : ndarray of shape (k, n_classes)
        Weighted frequencies of the labels in each bin; NaN if the weight is 0.
    classes : tuple
        Names of the classes.
    lower, upper : ndarray of shape (k,) or None
        Bin b contains the rows whose last column is in (lower, upper]; the first bin also
        contains 0. None if bins are not intervals.

    Notes
    -----
    `to_frame` has one row for each bin and class, with the columns ``bin``, ``count``, ``weight``,
    ``lower``, ``upper`` (only where bins are intervals), ``class``, ``mean_prediction`` and
    ``label_frequency``.

    Examples
    --------
    >>> from calibrant._predictions import Predictions
    >>> from calibrant.binning import Uniform
    >>> bins = Uniform(4).bins(Predictions([0, 1, 1], [0.125, 0.25, 1.0]))
    >>> bins.count
    array([2, 1])
    >>> bins.mean_prediction[:, 1], bins.label_frequency[:, 1]
    (array([0.1875, 1.    ]), array([0.5, 1. ]))

    In the first bin, the positive class has a mean prediction of 19 % and occurs in half of the
    rows.

    >>> frame = bins.to_frame("pandas")
    >>> frame[frame["class"] == 1]["label_frequency"].to_list()
    [0.5, 1.0]
    """

    ids: IntArray = field(metadata=left_out())
    count: IntArray
    weight: FloatArray
    mean_prediction: FloatArray
    label_frequency: FloatArray
    classes: tuple[Any, ...]
    lower: FloatArray | None = None
    upper: FloatArray | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.count)

    @property
    def gap(self) -> FloatArray:
        """Mean prediction minus label frequency, (k, n_classes); positive if over-predicted."""
        return self.mean_prediction - self.label_frequency

    def to_dict(self) -> dict[str, Any]:
        """Return the table as lists, one entry for each bin, without the bins of the rows."""
        table: dict[str, Any] = to_plain(self)
        return table

    def _columns(self) -> dict[str, Any]:
        columns = {"bin": np.arange(len(self)), "count": self.count, "weight": self.weight}
        if self.lower is not None and self.upper is not None:
            columns |= {"lower": self.lower, "upper": self.upper}
        return {
            **{name: np.repeat(column, len(self.classes)) for name, column in columns.items()},
            "class": self.classes * len(self),
            "mean_prediction": self.mean_prediction.ravel(),
            "label_frequency": self.label_frequency.ravel(),
        }


def freeze(table: Any) -> None:
    """Make the arrays of a frozen dataclass read-only."""
    for name, value in vars(table).items():
        if isinstance(value, np.ndarray):
            view = value.view()
            view.flags.writeable = False
            object.__setattr__(table, name, view)


def bin_sums(
    y_prob: FloatArray, y_true: IntArray, sample_weight: FloatArray | None, ids: IntArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return counts, weights, mean predictions and label frequencies of the bins.

    O(n·m) time; the two tables of shape (k, m) are all the memory the native core needs.
    """
    count = np.bincount(ids)
    shape = (len(count), y_prob.shape[1])
    core = _native.active()
    if core is None:
        weight, mean, frequency = _sums(y_prob, y_true, sample_weight, ids, shape)
    else:
        weight, mean, frequency = np.zeros(shape[0]), np.zeros(shape), np.zeros(shape)
        core.binning_sums(y_prob, y_true, sample_weight, ids, mean, frequency, weight)
    # a bin of weight 0 has no mean: NaN, without the warning of 0/0
    divisor = np.where(weight > 0, weight, np.nan)[:, None]
    mean /= divisor
    frequency /= divisor
    return count, weight, mean, frequency


def label_sums(
    y_true: IntArray, sample_weight: FloatArray | None, ids: IntArray, shape: tuple[int, ...]
) -> FloatArray:
    """Return the weight of every class in every bin."""
    cells = ids * shape[1] + y_true
    sums = np.bincount(cells, sample_weight, shape[0] * shape[1])
    return sums.reshape(shape).astype(np.float64, copy=False)


def _sums(
    y_prob: FloatArray,
    y_true: IntArray,
    sample_weight: FloatArray | None,
    ids: IntArray,
    shape: tuple[int, int],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    weight = np.bincount(ids, sample_weight).astype(np.float64, copy=False)
    order = np.argsort(ids, kind="stable")
    starts = np.searchsorted(ids[order], np.arange(shape[0]))
    rows = y_prob[order]
    if sample_weight is not None:
        rows *= sample_weight[order, None]
    return weight, np.add.reduceat(rows, starts), label_sums(y_true, sample_weight, ids, shape)
