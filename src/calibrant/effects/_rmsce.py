"""The debiased root-mean-square calibration error of a single event."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions, event_name, row_blocks
from calibrant.effects._clustered_rmsce import clustered_square
from calibrant.effects._event_bins import N_BINS, EventBins
from calibrant.effects._inside_bins import Square, count_parts, hides
from calibrant.effects._interval import Effect, Interval, check_confidence_level
from calibrant.effects._leave_one_out import jackknife_error
from calibrant.effects._rows import clustered_size, rows_that_weigh
from calibrant.effects._score_interval import score_interval

#: the share of a bin's weight above which leaving out the row leaves only rounding errors
_NEARLY_ALL = 1.0 - 1e-6

#: keys of the bins' `Square` in the details, and of that of finer bins
_SQUARE = ("square", "square_standard_error", "null_variance")
_FINE = ("fine_square", "fine_square_standard_error", "fine_null_variance")
RMSCE_MEANING = "typical calibration error of {event}, in probability: 0 for a calibrated model"


def rmsce(predictions: Predictions, confidence_level: float = 0.95) -> Effect:
    r"""Return the debiased root-mean-square calibration error of the positive class or top label.

    In [0, 1]; 0 means that predicted probabilities and frequencies differ no more than the noise of
    finite bins explains. The event is that of `Predictions.event`. Cost O(n·(m + log n)).

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Effect
        `details` contains the event, the square before the root, which may be negative, its
        standard error and the number of bins; the same for finer bins if these show more (see
        `upper_bound`).

    Notes
    -----
    With the probability p of `Predictions.event`, and y = 1 if the event occurred, the square over
    15 quantile bins of p (fewer if a bin would have less than 2 rows) is

    .. math:: S = \sum_b \frac{n_b}{n} \Big[(\bar p_b - \bar y_b)^2
        - \frac{\bar y_b (1 - \bar y_b)}{n_b - 1}\Big],

    and the estimate is the root of its positive part. With weights the means are weighted and
    :math:`\kappa_b/(1 - \kappa_b)`, :math:`\kappa_b = \sum w_i^2/(\sum w_i)^2`, takes the place
    of :math:`1/(n_b - 1)`. The interval is that of `score_interval` for S, with the jackknife
    standard error (bins are held fixed; a bin left with a single row or without weight is dropped)
    and the variance of a calibrated model, :math:`\sum_b (n_b/n)^2\, 2 v_b^2\, n_b/(n_b - 1)`
    with :math:`v_b = \sum p(1-p)/n_b^2`; its ends are the roots. With clusters, the square of a bin
    is the mean product of residuals in different clusters, which dependence within clusters does
    not bias, and the jackknife leaves out whole clusters.

    References
    ----------
    Kumar, Liang and Ma, "Verified uncertainty calibration", NeurIPS 2019.
    Ferro and Fricker, "A bias-corrected decomposition of the Brier score", QJRMS 2012.

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import rmsce
    >>> y_prob = [0.9] * 50 + [0.6] * 50
    >>> y_true = [1] * 35 + [0] * 15 + [1] * 30 + [0] * 20
    >>> effect = rmsce(Predictions(y_true, y_prob))
    >>> f"{effect.estimate:.3f} [{effect.interval.low:.3f}, {effect.interval.high:.3f}]"
    '0.124 [0.054, 0.254]'

    Predicted probability and frequency typically differ by 0.12, but 100 rows allow 0.05 to 0.25.
    """
    check_confidence_level(confidence_level)
    rows = rows_that_weigh(predictions)
    event = event_name(rows.classes, ranked=rows.ranked)
    if rows.n_samples < 2:
        note, details = "bins need at least two rows with positive weight; got 1", {"event": event}
        unknown, meaning = Interval.unknown(confidence_level), RMSCE_MEANING.format(event=event)
        return Effect("rmsce", math.nan, unknown, meaning, note=note, details=details)
    binned = EventBins.of(rows)
    square, n_bins = _square(rows, binned)
    whole = Whole.of(rows, binned)
    fine = _fine(rows, square.value)
    return rmsce_effect(square, fine, n_bins, event, whole, confidence_level)


@dataclass(frozen=True)
class Whole:
    """The event over all rows: mean probability, frequency, and effective number of rows."""

    predicted: float
    occurred: float
    size: float

    @classmethod
    def of(cls, rows: Predictions, binned: EventBins) -> Whole:
        """Average over rows in memory."""
        share = rows.weights / rows.weights.sum()
        occurred = float(np.clip(share @ binned.hit, 0.0, 1.0))
        size = clustered_size(rows, occurred, share * (binned.hit - occurred))
        return cls(float(share @ binned.probability), occurred, size)

    def bound(self, confidence_level: float) -> float:
        """Return the Clopper–Pearson upper bound of |mean probability − frequency|.

        It is exact for rows of equal probability and conservative for others (Hoeffding). It holds
        even if hardly any event occurred, when the spread between rows carries no information.
        """
        from scipy.special import betaincinv

        hits, misses = self.occurred * self.size, (1.0 - self.occurred) * self.size
        low = betaincinv(hits, misses + 1.0, 1.0 - confidence_level) if hits > 0.0 else 0.0
        high = betaincinv(hits + 1.0, misses, confidence_level) if misses > 0.0 else 1.0
        return float(max(high - self.predicted, self.predicted - low))


def rmsce_effect(
    square: Square,
    fine: Square | None,
    n_bins: int,
    event: str,
    whole: Whole,
    confidence_level: float = 0.95,
) -> Effect:
    """Return the `rmsce` effect from the square and, if they show more, that of finer bins."""
    root = math.sqrt(max(square.value, 0.0))
    interval = score_interval(*square, confidence_level).clip(0.0, 1.0)
    if interval.is_known:
        interval = Interval(math.sqrt(interval.low), math.sqrt(interval.high), confidence_level)
        interval = interval.holding(root)  # the square root may round outside the interval
    return Effect(
        "rmsce",
        root,
        interval,
        RMSCE_MEANING.format(event=event),
        square.error / (2.0 * root) if root > 0 else math.nan,
        "" if interval.is_known else "the bins do not vary when a row is left out: no interval",
        {
            "event": event,
            **dict(zip(_SQUARE, square, strict=True)),
            **dict(zip(_FINE, fine or (), strict=False)),
            "n_bins": n_bins,
            "predicted": whole.predicted,
            "occurred": whole.occurred,
            "effective_rows": whole.size,
        },
    )


def _square(rows: Predictions, binned: EventBins) -> tuple[Square, int]:
    """Return the debiased square and the number of bins."""
    index = rows.cluster_index
    if index is not None:
        found = clustered_square(binned, rows.weights, index)
        return Square(found.estimate, found.error, found.null_variance), found.n_bins
    table = BinTable.of(binned, rows.weights)
    error = jackknife_error(_without_row(table, binned, rows.weights))
    return Square(table.square(), error, table.null_variance()), len(table.count)


def _fine(rows: Predictions, square: float) -> Square | None:
    """Return the square of finer bins if they show an error that varies within the bins."""
    parts = count_parts(rows.n_clusters)
    if parts == 1:
        return None
    fine, _ = _square(rows, EventBins.of(rows, parts * N_BINS))
    return fine if hides(square, fine.value, fine.null_variance) else None


def upper_bound(effect: Effect, confidence_level: float = 0.95) -> float:
    """Return a one-sided upper confidence bound of the typical error, from the effect `rmsce`.

    In [0, 1]; NaN if there is no interval. It is at least the exact bound of the mean error, which
    the typical error cannot be below and which holds even for rare events. With 3,000 rows or more,
    it is at least the bound from finer bins if these show an error that varies within the bins.

    Parameters
    ----------
    effect : Effect
        The result of `rmsce`.
    confidence_level : float, default 0.95
        Confidence of the bound, above 0.5.

    Returns
    -------
    float

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import rmsce, upper_bound
    >>> y_prob = [0.9] * 50 + [0.6] * 50
    >>> y_true = [1] * 35 + [0] * 15 + [1] * 30 + [0] * 20
    >>> print(f"{upper_bound(rmsce(Predictions(y_true, y_prob))):.2f}")
    0.23

    Predicted probability and frequency typically differ by less than 0.23.
    """
    found = [
        Square(*(_known(effect.details.get(name)) for name in names))
        for names in (_SQUARE, _FINE)
        if names is _SQUARE or names[0] in effect.details
    ]
    # one end of an interval with twice the error probability
    intervals = [score_interval(*square, 2.0 * confidence_level - 1.0) for square in found]
    if not intervals[0].is_known:
        return math.nan
    high = max(one.clip(0.0, 1.0).high for one in intervals if one.is_known)
    names = ("predicted", "occurred", "effective_rows")
    mean_error = Whole(*(_known(effect.details.get(name)) for name in names)).bound(
        confidence_level
    )
    return max(math.sqrt(high), mean_error)


def _known(value: float | None) -> float:
    return math.nan if value is None else value  # None is NaN after a round trip through JSON


@dataclass(frozen=True, eq=False)
class BinTable:
    """Sums over the rows of each bin.

    Counts, Σw, Σw², Σw(p − y), Σwy and Σw²p(1 − p).
    """

    count: FloatArray
    weight: FloatArray
    squares: FloatArray
    gap: FloatArray
    hits: FloatArray
    noise: FloatArray

    @classmethod
    def of(cls, binned: EventBins, w: FloatArray, n_bins: int = 0) -> BinTable:
        """Sum up the rows of every bin."""

        def total(column: FloatArray | None) -> FloatArray:
            return np.bincount(binned.ids, column, n_bins).astype(np.float64)

        return cls(
            total(None),
            total(w),
            total(w * w),
            total(w * (binned.probability - binned.hit)),
            total(w * binned.hit),
            total(w * w * binned.probability * (1.0 - binned.probability)),
        )

    def square(self) -> float:
        """Return the debiased mean square, which may be negative."""
        return float(np.sum(self.weight * self.excess())) / float(np.sum(self.weight))

    def null_variance(self) -> float:
        """Return the variance of the square under calibration."""
        share = self.squares / self.weight**2
        parts = 2.0 * (self.noise / self.weight) ** 2 / (1.0 - share)
        return float(parts.sum() / self.weight.sum() ** 2)

    def excess(self) -> FloatArray:
        """Squared gap minus its noise, for bins of at least 2 rows."""
        accuracy = np.clip(self.hits / self.weight, 0.0, 1.0)
        share = self.squares / self.weight**2
        noise = accuracy * (1.0 - accuracy) * share / (1.0 - share)
        return np.asarray((self.gap / self.weight) ** 2 - noise)


def _without_row(table: BinTable, binned: EventBins, w: FloatArray) -> FloatArray:
    """Return the square without row i, for every i; empty if no bin would remain."""
    without = np.empty(len(w))
    for rows in row_blocks(len(w)):
        some = EventBins(binned.probability[rows], binned.hit[rows], binned.ids[rows])
        part = without_rows(table, some, w[rows])
        if part is None:
            return np.empty(0)
        without[rows] = part
    return without


def without_rows(table: BinTable, binned: EventBins, w: FloatArray) -> FloatArray | None:
    """Return the square without each of some rows; None if no bin would remain."""
    b = binned.ids
    # a bin left with one row, or almost no weight, cannot be debiased
    large = (table.count[b] > 2) & (w <= _NEARLY_ALL * table.weight[b])
    if not large.all() and len(table.count) == 1:
        return None
    parts = table.weight * table.excess()
    sums, totals = parts.sum() - parts[b], table.weight.sum() - table.weight[b]
    i, c = np.flatnonzero(large), b[large]
    left = BinTable(
        table.count[c] - 1.0,
        table.weight[c] - w[i],
        table.squares[c] - w[i] ** 2,
        table.gap[c] - w[i] * (binned.probability[i] - binned.hit[i]),
        table.hits[c] - w[i] * binned.hit[i],
        table.noise[c],
    )
    sums[i] += left.weight * left.excess()
    totals[i] += left.weight
    return np.asarray(sums / totals)
