"""The CORP reliability curve: isotonic frequencies with noise bands."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from calibrant._engine import RandomSource, as_generator, resampler_for
from calibrant._native import FloatArray, IntArray
from calibrant._output import concise
from calibrant._predictions import Predictions, as_predictions
from calibrant.binning import Banded, Bins, Quantile, check_band, drawn_frequencies
from calibrant.estimators._corp import isotonic

#: more distinct predictions are grouped into this many cells of equal counts
N_CELLS = 512


@concise
@dataclass(frozen=True, eq=False)
class CorpBand:
    """The curve and its bands at every distinct prediction, or cell of neighboring predictions.

    Parameters
    ----------
    predicted : ndarray of shape (k,)
        Distinct predictions, ascending.
    count : ndarray of shape (k,)
        Number of rows.
    observed : ndarray of shape (k,)
        The isotonic frequencies.
    low, high : ndarray of shape (k,)
        Pointwise band: it contains the curve of a calibrated model at this prediction with
        probability `confidence_level`.
    all_low, all_high : ndarray of shape (k,)
        Simultaneous band: it contains the curve at all predictions together.

    Examples
    --------
    >>> from calibrant.estimators import corp_curve
    >>> band = corp_curve([0, 1, 0, 1], [0.1, 0.2, 0.7, 0.7], rng=0).band
    >>> band.predicted, band.observed
    (array([0.1, 0.2, 0.7]), array([0.        , 0.66666667, 0.66666667]))
    """

    predicted: FloatArray
    count: IntArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    all_low: FloatArray
    all_high: FloatArray


@concise
@dataclass(frozen=True, eq=False, kw_only=True)
class CorpCurve(Banded):
    """The CORP reliability curve as arrays, one entry for each step.

    Parameters
    ----------
    count : ndarray of shape (k,)
        Number of rows in the step.
    lower, upper : ndarray of shape (k,)
        Its smallest and largest prediction.
    predicted : ndarray of shape (k,)
        Its mean prediction.
    observed : ndarray of shape (k,)
        Its frequency, which increases from step to step.
    at : ndarray of shape (k,)
        The prediction at which the step is compared with the bands: its mean, or the point
        farthest outside the simultaneous band.
    bin_low, bin_high : ndarray of shape (k,)
        Pointwise band of a calibrated model at this prediction, with probability
        `confidence_level`.
    band_low, band_high : ndarray of shape (k,)
        Simultaneous band, for all predictions together.
    band : CorpBand
        Curve and bands at every prediction.
    confidence_level : float
        Coverage of the bands.
    n_resamples : int
        Number of label sets that were drawn.

    Examples
    --------
    >>> from calibrant.estimators import corp_curve
    >>> curve = corp_curve([0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.6, 0.7, 0.9], rng=0)
    >>> curve.observed, curve.outside
    (array([0. , 0.5, 1. ]), array([0, 0, 0]))

    All three steps lie within the band of a calibrated model.
    """

    count: IntArray
    lower: FloatArray
    upper: FloatArray
    predicted: FloatArray
    observed: FloatArray
    at: FloatArray
    bin_low: FloatArray
    bin_high: FloatArray
    band_low: FloatArray
    band_high: FloatArray
    band: CorpBand
    confidence_level: float
    n_resamples: int

    def __len__(self) -> int:
        return len(self.count)

    def _columns(self) -> dict[str, Any]:
        arrays = {f.name: getattr(self, f.name) for f in fields(self) if f.type != "CorpBand"}
        columns = {name: a for name, a in arrays.items() if isinstance(a, np.ndarray)}
        return columns | {"outside": self.outside}


def corp_curve(
    y_true: Any,
    y_prob: Any = None,
    *,
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    rng: RandomSource = None,
    **data: Any,
) -> CorpCurve:
    r"""Compute the isotonic reliability curve and the band of a calibrated model.

    The curve needs no bins. Cost O(n log n + n·B) for B label sets, O(B) memory.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions
        Labels; or one `Predictions` of two classes, for example a lens such as
        ``predictions.top_label()`` or ``predictions.one_vs_rest(c)``.
    y_prob : array-like of shape (n_samples,) or (n_samples, 2)
        Probabilities of the positive class.
    confidence_level : float in (0, 1), default 0.95
        Coverage of the bands.
    n_resamples : int, default 999
        B, the number of label sets drawn from the predictions.
    rng : None, int or Generator
        Source of randomness; an integer makes the band reproducible.
    **data
        `classes`, `pos_label`, `sample_weight`, `clusters`, `normalize`: see `Predictions`.

    Returns
    -------
    CorpCurve

    Notes
    -----
    The curve is the isotonic regression of the outcomes on the predictions (ties pooled). The bands
    come from the isotonic regressions of B label sets :math:`Y_i \sim Ber(p_i)`. The pointwise band
    consists of their quantiles at each prediction. The simultaneous band is mean ± c·s: half of the
    label sets give the mean and s², their variance plus that of one label of a typical step; the
    other half gives c, the quantile of the largest standardized deviation. It is widened to contain
    the pointwise band. Under calibration the observed curve is one more draw, so both levels hold
    at every n. Above 512 distinct predictions, curve and bands use 512 cells of equal counts.

    References
    ----------
    T. Dimitriadis, T. Gneiting and A. I. Jordan, "Stable reliability diagrams for probabilistic
    classifiers", PNAS 2021.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> predictions = cal.Predictions(*model.sample(1000, rng=0))
    >>> curve = cal.estimators.corp_curve(predictions.top_label(), rng=0)
    >>> int(curve.outside.min()), int(curve.outside.max())
    (-1, 0)

    Some steps are lower than noise can explain; none is higher.
    """
    predictions = as_predictions(y_true, y_prob, **data)
    check_band(predictions, confidence_level, n_resamples)
    predictions = predictions.take(predictions.weights > 0.0)
    bins = Quantile(N_CELLS).bins(predictions)
    resampler = resampler_for(predictions, as_generator(rng), stream=3)
    drawn = drawn_frequencies(predictions, bins.ids, resampler, n_resamples)
    observed, steps = isotonic((bins.label_frequency[:, -1] * bins.weight)[None, :], bins.weight)
    largest = float(predictions.weights.max())
    band = _band(bins, observed[0], drawn, largest, confidence_level)
    return _steps(predictions, bins, steps[0], band, confidence_level, n_resamples)


def _band(
    bins: Bins, observed: FloatArray, drawn: FloatArray, largest: float, confidence_level: float
) -> CorpBand:
    curves, blocks = isotonic(drawn * bins.weight, bins.weight)
    n_resamples = len(drawn)
    rank = math.floor(0.5 * (1.0 - confidence_level) * (n_resamples + 1) + 1e-9)
    ends = np.partition(curves, [rank - 1, n_resamples - rank], axis=0)
    low, high = ends[rank - 1], ends[n_resamples - rank]
    # center and scale from one half, so that the observed curve is exchangeable with the other
    half = n_resamples // 2
    mass = np.bincount(blocks.ravel(), np.tile(bins.weight, n_resamples))[blocks[:half]]
    center = curves[:half].mean(axis=0)
    scale = np.sqrt(curves[:half].var(axis=0) + np.mean(largest / mass, axis=0) ** 2)
    farthest = np.sort(np.max(np.abs(curves[half:] - center) / scale, axis=1))
    reach = farthest[math.ceil(confidence_level * (len(farthest) + 1) - 1e-9) - 1] * scale
    return CorpBand(
        predicted=bins.mean_prediction[:, -1],
        count=bins.count,
        observed=observed,
        low=low,
        high=high,
        all_low=np.minimum(low, np.clip(center - reach, 0.0, 1.0)),
        all_high=np.maximum(high, np.clip(center + reach, 0.0, 1.0)),
    )


def _steps(
    predictions: Predictions,
    bins: Bins,
    steps: IntArray,
    band: CorpBand,
    confidence_level: float,
    n_resamples: int,
) -> CorpCurve:
    weight = np.bincount(steps, bins.weight)
    lower, upper = np.ones(len(weight)), np.zeros(len(weight))
    step_of_row, p = steps[bins.ids], predictions.y_prob[:, -1]
    np.minimum.at(lower, step_of_row, p)
    np.maximum.at(upper, step_of_row, p)
    predicted = np.bincount(steps, bins.weight * band.predicted) / weight
    excess = np.maximum(band.observed - band.all_high, band.all_low - band.observed)
    last = np.searchsorted(steps, np.arange(len(weight)), side="right") - 1
    worst = np.lexsort((excess, steps))[last]
    at = np.where(excess[worst] > 1e-9, band.predicted[worst], predicted)
    ends = zip(
        ("bin_low", "bin_high", "band_low", "band_high"),
        (band.low, band.high, band.all_low, band.all_high),
        strict=True,
    )
    return CorpCurve(
        count=np.bincount(steps, bins.count).astype(np.int64),
        lower=lower,
        upper=upper,
        predicted=predicted,
        observed=band.observed[last],
        at=at,
        band=band,
        confidence_level=float(confidence_level),
        n_resamples=n_resamples,
        **{name: np.interp(at, band.predicted, values) for name, values in ends},
    )
