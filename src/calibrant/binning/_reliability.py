"""The numbers of a reliability diagram: predicted and observed frequencies with noise bands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from calibrant._engine import RandomSource, as_generator, resampler_for
from calibrant._native import FloatArray, IntArray
from calibrant._output import concise
from calibrant._predictions import Predictions, as_predictions
from calibrant.binning._bands import (
    Banded,
    clopper_pearson,
    consistency_bands,
    drawn_frequencies,
    drawn_together,
)
from calibrant.binning._base import Binning, check_count
from calibrant.binning._bins import Bins, freeze
from calibrant.binning._uniform import Uniform

#: the bins of the top-label ECE reported with every test
DEFAULT = Uniform(15)


@concise
@dataclass(frozen=True, eq=False, kw_only=True)
class Reliability(Banded):
    """The numbers of a reliability diagram, one entry per non-empty bin, as read-only arrays.

    Parameters
    ----------
    bins : Bins
        The table that the binned errors are computed from.
    lower, upper : ndarray of shape (k,)
        The edges of the bins, or the smallest and largest prediction if the binning has no edges.
    predicted : ndarray of shape (k,)
        Mean predicted probability of the last class; NaN if a bin has no weight.
    observed : ndarray of shape (k,)
        Frequency of the last class.
    interval_low, interval_high : ndarray of shape (k,)
        Clopper–Pearson interval around `observed`.
    bin_low, bin_high : ndarray of shape (k,)
        Pointwise band: the range of a calibrated model's frequency in this bin, with probability
        `confidence_level`.
    band_low, band_high : ndarray of shape (k,)
        Simultaneous band, for all bins together.
    confidence_level : float
        Coverage of the intervals and bands.
    n_resamples : int
        Number of label sets that were drawn.

    Notes
    -----
    `to_frame` has one row for each bin. Its columns are ``count``, the arrays above, and
    ``outside`` (−1, 0 or 1).

    Examples
    --------
    >>> from calibrant.binning import Uniform, reliability
    >>> table = reliability([0, 0, 0, 1], [0.125, 0.125, 0.75, 0.75], binning=Uniform(2), rng=0)
    >>> table.predicted, table.observed, table.outside
    (array([0.125, 0.75 ]), array([0. , 0.5]), array([0, 0]))

    Both frequencies lie within the band of a calibrated model.

    >>> table.to_frame("pandas")["observed"].to_list()
    [0.0, 0.5]
    """

    bins: Bins
    lower: FloatArray
    upper: FloatArray
    predicted: FloatArray
    observed: FloatArray
    interval_low: FloatArray
    interval_high: FloatArray
    bin_low: FloatArray
    bin_high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    confidence_level: float
    n_resamples: int

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.bins)

    @property
    def count(self) -> IntArray:
        """Rows of each bin."""
        return self.bins.count

    @property
    def at(self) -> FloatArray:
        """The predictions at which frequencies are compared with the bands: the bin means."""
        return self.predicted

    def _columns(self) -> dict[str, Any]:
        skipped = ("bins", "confidence_level", "n_resamples")
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.name not in skipped}
        return {"count": self.bins.count} | arrays | {"outside": self.outside}


def reliability(
    y_true: Any,
    y_prob: Any = None,
    *,
    binning: Binning = DEFAULT,
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    classes: Iterable[Any] | None = None,
    pos_label: Any = None,
    sample_weight: Any = None,
    clusters: Any = None,
    normalize: bool = False,
    rng: RandomSource = None,
) -> Reliability:
    r"""Compare predicted probabilities with observed frequencies and noise bands, bin by bin.

    Cost: O(n·B) time for B resamples; memory of a fixed block and O(k·B) for k bins.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions` of two classes, for example a lens such as
        ``predictions.top_label()`` or ``predictions.one_vs_rest(c)``.
    y_prob : array-like of shape (n_samples,) or (n_samples, 2)
        Probabilities of the positive class.
    binning : Binning, default Uniform(15)
        How predictions are binned; the ECE with the same binning uses the same bins.
    confidence_level : float in (0, 1), default 0.95
        Coverage of the intervals and bands.
    n_resamples : int, default 999
        B, the number of label sets drawn from the predictions.
    classes, pos_label, sample_weight, clusters, normalize
        See `Predictions`.
    rng : None, int or Generator
        Source of randomness; an integer makes the bands reproducible.

    Returns
    -------
    Reliability

    Notes
    -----
    The bars around a frequency are Clopper–Pearson intervals; with weights they use the
    effective number of rows :math:`(\sum w)^2 / \sum w^2` of the bin. The bands show where the
    frequencies of a calibrated model would lie: labels :math:`Y_i \sim Ber(p_i)` are drawn B times
    from the same predictions. At every n, the pointwise band contains the frequency of a single bin
    with probability `confidence_level` or more, and the wider simultaneous band those of all bins
    together. With clusters, the bars use the number of independent rows that would determine the
    frequency equally well (Korn and Graubard), and the drawn labels of a cluster depend on each
    other to the same degree as the observed ones.

    References
    ----------
    J. Bröcker and L. A. Smith, "Increasing the reliability of reliability diagrams", Weather and
    Forecasting 2007.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.binning import Uniform, reliability
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> predictions = cal.Predictions(*model.sample(1000, rng=0))
    >>> table = reliability(predictions.top_label(), binning=Uniform(5), rng=0)
    >>> table.outside
    array([ 0, -1, -1, -1])

    In three of four bins, the predicted label is right less often than noise can explain.
    """
    predictions = as_predictions(
        y_true,
        y_prob,
        classes=classes,
        pos_label=pos_label,
        sample_weight=sample_weight,
        clusters=clusters,
        normalize=normalize,
    )
    return reliabilities([predictions], binning, confidence_level, n_resamples, rng)[0]


def reliabilities(
    views: Sequence[Predictions],
    binning: Binning,
    confidence_level: float,
    n_resamples: int,
    rng: RandomSource,
) -> list[Reliability]:
    """Return the `reliability` tables of several views of the same rows.

    Views without weights and clusters share the random numbers of their labels, because drawing
    these takes most of the time.
    """
    if not isinstance(binning, Binning):
        raise ValueError(
            f"`binning` must be a binning, for example `Uniform(15)`; got {binning!r}."
        )
    for view in views:
        check_band(view, confidence_level, n_resamples)
    tables = [binning.bins(view) for view in views]
    generator = as_generator(rng)
    resamplers = [resampler_for(views[0], generator, stream=3)]
    if views[0].sample_weight is None and views[0].clusters is None:
        ids = [bins.ids for bins in tables]
        every = drawn_together(views, ids, resamplers[0], n_resamples)
    else:
        # with clusters, each view has its own dependence between labels
        resamplers += [resampler_for(view, as_generator(rng), stream=3) for view in views[1:]]
        every = [
            drawn_frequencies(view, bins.ids, resampler, n_resamples)
            for view, bins, resampler in zip(views, tables, resamplers, strict=True)
        ]
    return [
        _table(view, bins, drawn, confidence_level)
        for view, bins, drawn in zip(views, tables, every, strict=True)
    ]


def _table(
    predictions: Predictions, bins: Bins, drawn: FloatArray, confidence_level: float
) -> Reliability:
    bands = consistency_bands(predictions, bins.ids, confidence_level, drawn)
    lower, upper = _edges(predictions, bins)
    observed = bins.label_frequency[:, -1]
    rows = _effective_rows(predictions, bins)
    low, high = clopper_pearson(observed * rows, rows, confidence_level)
    return Reliability(
        bins=bins,
        lower=lower,
        upper=upper,
        predicted=bins.mean_prediction[:, -1],
        observed=observed,
        interval_low=low,
        interval_high=high,
        confidence_level=float(confidence_level),
        n_resamples=len(drawn),
        **bands,
    )


def class_errors(predictions: Predictions, binning: Binning = DEFAULT) -> FloatArray:
    """Return the ECE of every class against the rest, (m,); O(n·m) time, O(n) memory."""
    errors = np.empty(predictions.n_classes)
    weights = predictions.weights / predictions.weights.sum()
    pair = np.empty((predictions.n_samples, 2))
    for c in range(predictions.n_classes):
        pair[:, 1] = predictions.y_prob[:, c]
        pair[:, 0] = 1.0 - pair[:, 1]
        gap = weights * (pair[:, 1] - (predictions.y_true == c))
        errors[c] = np.abs(np.bincount(binning.assign(pair), gap)).sum()
    return errors


def check_band(predictions: Predictions, confidence_level: float, n_resamples: Any) -> None:
    """Refuse more than two classes, and too few label sets for a band."""
    if predictions.n_classes != 2:
        raise ValueError(
            f"a reliability table needs two classes; got {predictions.n_classes}. Apply a "
            "lens to the predictions first: `predictions.top_label()` or "
            "`predictions.one_vs_rest(c)`."
        )
    if not 0.0 < confidence_level < 1.0:
        raise ValueError(
            f"`confidence_level` must be in (0, 1), for example 0.95; got {confidence_level!r}."
        )
    # the smallest and largest resample give the widest possible interval
    least = int(np.ceil(2.0 / (1.0 - confidence_level) - 1e-9)) - 1
    check_count(f"a {100 * confidence_level:g} % band", "n_resamples", n_resamples, least)


def _edges(predictions: Predictions, bins: Bins) -> tuple[FloatArray, FloatArray]:
    if bins.lower is not None and bins.upper is not None:
        return bins.lower, bins.upper
    lower, upper = np.full(len(bins), np.inf), np.full(len(bins), -np.inf)
    np.minimum.at(lower, bins.ids, predictions.y_prob[:, -1])
    np.maximum.at(upper, bins.ids, predictions.y_prob[:, -1])
    return lower, upper


def _effective_rows(predictions: Predictions, bins: Bins) -> FloatArray:
    rows = _weighted_rows(predictions, bins)
    index = predictions.cluster_index
    return rows if index is None else _clustered_rows(predictions, bins, index, rows)


def _clustered_rows(
    predictions: Predictions, bins: Bins, index: IntArray, rows: FloatArray
) -> FloatArray:
    """Return the effective number of rows of every bin, given the variation between clusters.

    It is p(1 − p) divided by the variance of the frequency between clusters, with Student's t for
    few clusters. If a bin has a single frequency, every cluster counts as one row.
    """
    from scipy.special import ndtri, stdtrit

    n_bins = len(bins)
    frequency = bins.label_frequency[:, -1]
    away = predictions.weights * ((predictions.y_true == 1) - frequency[bins.ids])
    cells, inverse = np.unique(index * n_bins + bins.ids, return_inverse=True)
    sums = np.bincount(inverse, away)
    clusters = np.bincount(cells % n_bins, minlength=n_bins).astype(np.float64)
    squares = np.bincount(cells % n_bins, sums**2, n_bins)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = clusters / (clusters - 1.0) * squares / bins.weight**2
        student = stdtrit(np.maximum(clusters - 1.0, 1.0), 0.975)
        known = frequency * (1.0 - frequency) / variance * (ndtri(0.975) / student) ** 2
    flat = ~np.isfinite(known) | (known <= 0.0)
    return np.minimum(rows, np.maximum(np.where(flat, clusters, known), 1.0))


def _weighted_rows(predictions: Predictions, bins: Bins) -> FloatArray:
    if predictions.sample_weight is None:
        return bins.weight
    squares = np.bincount(bins.ids, predictions.sample_weight**2)
    divisor = np.where(squares > 0.0, squares, np.nan)
    return np.asarray(bins.weight**2 / divisor)
