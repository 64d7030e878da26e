"""Bandwidths from the distances between predictions: rules and exact functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, get_args, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from calibrant._engine import sizes
from calibrant._execution import Limits, limits
from calibrant._native import FloatArray
from calibrant.kernels._line_order import LineDistances
from calibrant.kernels._metrics import PairDistances, Spread, as_rows, pair_distances
from calibrant.kernels._order import neighbors_in_order

#: the inverse of a smaller bandwidth would not be finite
SMALLEST = 1e-300


@runtime_checkable
class BandwidthRule(Protocol):
    """Any object that computes a bandwidth from predictions: `Median`, `Mean` or a custom rule.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.kernels import Laplacian, median_bandwidth
    >>> class HalfMedian:
    ...     def resolve(self, y_prob, metric):
    ...         return 0.5 * median_bandwidth(y_prob, metric)
    >>> Laplacian(HalfMedian()).resolve([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]).bandwidth
    0.25
    """

    def resolve(self, y_prob: ArrayLike, metric: Spread) -> float:
        """Return a positive bandwidth for rows `y_prob` and distances of a metric."""


@dataclass(frozen=True)
class Median:
    """The median distance of the predictions; see `median_bandwidth`.

    Parameters
    ----------
    diagonal : bool, default False
        Use the paper's median, which includes the zeros on the diagonal of the full matrix.
    max_rows : int or None, default 2000
        Use at most this many evenly spaced rows; None for all rows. A class-wise kernel, which
        has m differences for each pair, uses max_rows/√m rows.

    Examples
    --------
    >>> from calibrant.kernels import Median
    >>> Median().resolve([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], "tv")
    0.5
    """

    diagonal: bool = False
    max_rows: int | None = Limits.bandwidth_rows

    def __post_init__(self) -> None:
        _check_max_rows(self.max_rows)

    def resolve(self, y_prob: ArrayLike, metric: Spread) -> float:
        """Return the bandwidth for these predictions."""
        x, max_rows = as_rows("y_prob", y_prob), self.max_rows
        if metric == "classwise" and max_rows is not None:
            max_rows = max(2, int(max_rows / math.sqrt(x.shape[1])))
        return median_bandwidth(_thin(x, max_rows), metric, self.diagonal)


@dataclass(frozen=True)
class Mean:
    """The mean distance of the predictions; see `mean_bandwidth`.

    Parameters
    ----------
    max_rows : int or None, default 2000
        Use at most this many rows, evenly spaced; None for all rows.

    Examples
    --------
    >>> from calibrant.kernels import Mean
    >>> round(Mean().resolve([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]], "tv"), 4)
    0.6667
    """

    max_rows: int | None = Limits.bandwidth_rows

    def __post_init__(self) -> None:
        _check_max_rows(self.max_rows)

    def resolve(self, y_prob: ArrayLike, metric: Spread) -> float:
        """Return the bandwidth for these predictions."""
        return mean_bandwidth(_thin(as_rows("y_prob", y_prob), self.max_rows), metric)


def median_bandwidth(y_prob: ArrayLike, metric: Spread = "tv", diagonal: bool = False) -> float:
    """Return the exact median distance between predictions, a positive number.

    Cost: O(n log n) time for ``tv`` and two classes. Otherwise O(n² m) time for each of one to five
    passes over the pairs (one up to 2,000 rows, two up to about 10,000), and O(n m) memory plus a
    fixed buffer of about 40 MB.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Predicted probabilities.
    metric : {"tv", "euclidean", "hellinger", "classwise"}
        ``classwise``: the differences |p_ic − p_jc|, pooled over the classes.
    diagonal : bool
        ``False`` takes the median over pairs i < j; ``True`` that of the full n × n matrix,
        including the zeros on its diagonal, as in the paper's experiments.

    Returns
    -------
    float
        The median; for an even number of pairs, the mean of the two middle distances. If it is 0
        (below 1e-300), the mean of the positive distances, or 1.0 if there are none.

    Examples
    --------
    >>> from calibrant.kernels import median_bandwidth
    >>> y_prob = [[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]
    >>> median_bandwidth(y_prob), median_bandwidth(y_prob, diagonal=True)
    (0.5, 0.5)
    """
    x = as_rows("y_prob", y_prob)
    _check_metric(metric)
    n_groups = x.shape[1] if metric == "classwise" else 1
    n_pairs = n_groups * (len(x) * (len(x) - 1) // 2)
    if n_pairs == 0:
        return 1.0
    if not diagonal:
        low, high = _neighbors(x, metric, n_pairs, (n_pairs - 1) // 2, n_pairs // 2)
    else:
        # each full matrix has n zeros, and the distance of every pair i < j twice
        n_zeros = n_groups * len(x)
        total = n_zeros + 2 * n_pairs
        ranks = ((total - 1) // 2 - n_zeros) // 2, (total // 2 - n_zeros) // 2
        low, high = _neighbors(x, metric, n_pairs, max(0, ranks[0]), max(0, ranks[1]))
        low, high = (0.0 if rank < 0 else d for rank, d in zip(ranks, (low, high), strict=True))
    median = 0.5 * (low + high)
    return median if median >= SMALLEST else _positive_mean(x, metric)


def mean_bandwidth(y_prob: ArrayLike, metric: Spread = "tv") -> float:
    """Return the exact mean distance between predictions i < j, a positive number.

    Cost: O(m n log n) time for ``tv`` and ``classwise`` (each class is sorted once), O(n² m)
    otherwise; O(n m) memory.

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Predicted probabilities.
    metric : {"tv", "euclidean", "hellinger", "classwise"}
        ``classwise``: the differences |p_ic − p_jc|, pooled over the classes.

    Returns
    -------
    float
        The mean; 1.0 if all predictions are equal or there is only one.

    Examples
    --------
    >>> from calibrant.kernels import mean_bandwidth
    >>> round(mean_bandwidth([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]]), 4)
    0.6667
    """
    x = as_rows("y_prob", y_prob)
    _check_metric(metric)
    n_pairs = len(x) * (len(x) - 1) // 2
    if n_pairs == 0:
        return 1.0
    if metric in ("tv", "classwise"):
        share = 0.5 if metric == "tv" else 1.0 / x.shape[1]
        mean = share * _sum_of_differences(x) / n_pairs
    else:
        mean = math.fsum(float(part.sum()) for part in pair_distances(metric, x)) / n_pairs
    return mean if mean >= SMALLEST else 1.0


def _check_metric(metric: Spread) -> None:
    if metric not in get_args(Spread):
        raise ValueError(
            f"`metric` must be one of {', '.join(map(repr, get_args(Spread)))}; got {metric!r}."
        )


def _neighbors(
    x: FloatArray, metric: Spread, n_pairs: int, low: int, high: int
) -> tuple[float, float]:
    """Return the distances of two 0-based ranks, which are equal or consecutive."""
    if metric == "tv" and x.shape[1] == 2 and n_pairs > limits().sorted_distances:
        line = LineDistances.of(x)
        first = line.in_order(low)
        second = first if high == low else line.in_order(high)
        if first is not None and second is not None:
            return first, second
    return neighbors_in_order(PairDistances(metric, x), n_pairs, low, high)


def _thin(x: FloatArray, max_rows: int | None) -> FloatArray:
    if max_rows is None or len(x) <= max_rows:
        return x
    return x[sizes.evenly_spaced(len(x), max_rows)]


def _check_max_rows(max_rows: int | None) -> None:
    if max_rows is not None and max_rows < 2:
        raise ValueError(f"`max_rows` must be at least 2, or None for all rows; got {max_rows}.")


def _positive_mean(x: FloatArray, metric: Spread) -> float:
    if metric == "tv" and x.shape[1] == 2:
        n_positive = len(x) * (len(x) - 1) // 2 - LineDistances.of(x).n_zeros
        mean = 0.5 * _sum_of_differences(x) / max(n_positive, 1)
        return mean if mean >= SMALLEST else 1.0
    sums, count = [0.0], 0
    for distances in pair_distances(metric, x):
        sums.append(float(distances.sum()))
        count += int(np.count_nonzero(distances))
    mean = math.fsum(sums) / max(count, 1)
    return mean if mean >= SMALLEST else 1.0


def _sum_of_differences(x: FloatArray) -> float:
    """Return Σ_c Σ_{i<j} |x_ic − x_jc|; the k-th gap of a sorted class separates k(n−k) pairs."""
    n_left = np.arange(1.0, len(x))
    parted = n_left * (len(x) - n_left)
    return float(parted @ np.diff(np.sort(x, axis=0), axis=0).sum(axis=1))
