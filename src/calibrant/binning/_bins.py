"""The table of the bins: what the binned errors, the plots and the report all read."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._to_frame import to_frame

if TYPE_CHECKING:
    from calibrant._to_frame import Backend
    from calibrant._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False, kw_only=True)
class Bins:
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
        Weighted mean of the predictions in each bin; NaN where the weight is 0.
    label_frequency : ndarray of shape (k, n_classes)
        Weighted frequencies of the labels in each bin; NaN where the weight is 0.
    classes : tuple
        Names of the classes.
    lower, upper : ndarray of shape (k,) or None
        Bin b holds the rows whose last column is in (lower, upper], the first bin also 0;
        None where bins are not intervals.

    Examples
    --------
    >>> from calibrant._predictions import Predictions
    >>> from calibrant.binning import Uniform
    >>> bins = Uniform(4).bins(Predictions([0, 1, 1], [0.125, 0.25, 1.0]))
    >>> bins.count
    array([2, 1])
    >>> bins.mean_prediction[:, 1], bins.label_frequency[:, 1]
    (array([0.1875, 1.    ]), array([0.5, 1. ]))

    In the first bin the positive class is predicted with 19 % and seen in every second row.
    """

    ids: IntArray
    count: IntArray
    weight: FloatArray
    mean_prediction: FloatArray
    label_frequency: FloatArray
    classes: tuple[Any, ...]
    lower: FloatArray | None = None
    upper: FloatArray | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.flags.writeable = False

    def __len__(self) -> int:
        return len(self.count)

    @property
    def gap(self) -> FloatArray:
        """Mean prediction minus label frequency, (k, n_classes): positive is over-predicted."""
        return self.mean_prediction - self.label_frequency

    def to_dict(self) -> dict[str, Any]:
        """Return the table as lists, one entry for each bin; the rows' bins are left out."""
        table = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "ids"}
        return {
            name: value.tolist() if isinstance(value, np.ndarray) else value
            for name, value in table.items()
        } | {"classes": list(self.classes)}

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the table as a data frame, one row for each bin and class.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        DataFrame or Table
            Columns ``bin``, ``count``, ``weight``, ``lower``, ``upper`` (only where bins are
            intervals), ``class``, ``mean_prediction``, ``label_frequency``.

        Examples
        --------
        >>> from calibrant import Predictions
        >>> from calibrant.binning import Uniform
        >>> bins = Uniform(4).bins(Predictions([0, 1, 1], [0.125, 0.25, 1.0]))
        >>> frame = bins.to_frame("pandas")
        >>> frame[frame["class"] == 1]["label_frequency"].to_list()
        [0.5, 1.0]
        """
        n_classes = len(self.classes)
        columns: dict[str, Any] = {"bin": np.arange(len(self)), "count": self.count}
        columns["weight"] = self.weight
        if self.lower is not None and self.upper is not None:
            columns |= {"lower": self.lower, "upper": self.upper}
        repeated: dict[str, Any] = {
            name: np.repeat(column, n_classes) for name, column in columns.items()
        }
        values: dict[str, Any] = {
            "class": self.classes * len(self),
            "mean_prediction": self.mean_prediction.ravel(),
            "label_frequency": self.label_frequency.ravel(),
        }
        return to_frame(repeated | values, backend)
