"""Consistency resampling of predictions and labels, the paper's test C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._execution import Parallel, run_shared
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.estimators import BinnedEstimator, Estimator
from calibrant.methods._base import (
    Evidence,
    Method,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)

#: entries of the resampled predictions that one task holds at a time
_TASK_SIZE = 1 << 20


@dataclass(frozen=True)
class ConsistencyResampler:
    """Draw data sets from a calibrated model: rows with replacement, then labels from the rows.

    Sample weights travel with their rows. Cost O(n·m) per data set.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> sure = cal.Predictions([0, 1, 1], [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> resample = cal.methods.ConsistencyResampler().sample(sure, np.random.default_rng(0))
    >>> bool((resample.y_true == resample.y_prob[:, 1]).all())
    True

    The labels of a resample follow the predictions: the model was wrong about row 1, but no
    resample is.
    """

    def sample(self, predictions: Predictions, rng: np.random.Generator) -> Predictions:
        """Return one data set of the same size.

        Parameters
        ----------
        predictions : Predictions
            The data to resample; its labels are not used.
        rng : numpy.random.Generator
            Source of randomness.

        Returns
        -------
        Predictions
        """
        n = predictions.n_samples
        rows = predictions.take(rng.integers(n, size=n))
        labels = LabelResampler.from_rng(rng).labels(rows.y_prob, range(1))[0]
        return rows.with_labels(labels.astype(np.int64))


@dataclass(frozen=True)
class Consistency(Method):
    r"""Rank an estimate among those of consistency resamples, the paper's test C.

    .. warning::

       Its level is not the nominal one. Resamples repeat rows, and a binned error is biased upwards
       more on the data, where all predictions are different, than on resamples. With
       ``ECE(Uniform(n))`` at 5 % it rejects .38 (n = 20), .81 (n = 50) and 1.00 (n = 250) of
       *calibrated* models with ten classes and Dirichlet(.1) predictions; with two classes about
       .05–.08. `Exact` always holds its level.

    Parameters
    ----------
    n_resamples : int, default 1000
        Number of resamples.

    Notes
    -----
    Each resample draws n rows with replacement and labels :math:`Y \sim Cat(p)` for them; bins and
    bandwidths are recomputed for each resample. The p-value is
    :math:`(1 + \#\{T_b \ge T\})/(1 + B)`, with the Monte Carlo error in the details. Every resample
    has its own random stream, so results do not depend on the number of threads. Cost:
    `n_resamples` estimates.

    References
    ----------
    Bröcker, Smith, "Increasing the reliability of reliability diagrams", Weather and Forecasting
    2007; Vaicenavicius et al., "Evaluating model calibration in classification", AISTATS 2019.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> from calibrant.methods import Consistency, Setting
    >>> rng = np.random.default_rng(0)
    >>> coin = cal.Predictions(rng.integers(2, size=200), rng.random(200))
    >>> evidence = Consistency(n_resamples=199).test(coin, cal.ECE(), Setting(rng))
    >>> evidence.pvalue  # the smallest possible p-value of 199 resamples
    0.005
    """

    fits: ClassVar[str] = "any estimator"

    n_resamples: int = 1000

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def test(self, predictions: Predictions, estimator: Estimator, setting: Setting) -> Evidence:
        """Return the evidence; the null distribution contains the estimates of the resamples."""
        parallel = setting.parallel
        estimate = estimator.estimate(predictions, parallel.quiet())
        # one seed per resample, so that a resample does not depend on the task that draws it
        seeds = setting.rng.integers(1 << 63, size=(self.n_resamples, 2))
        per_task = max(1, min(50, _TASK_SIZE // predictions.y_prob.size))
        tasks = [seeds[i : i + per_task] for i in range(0, len(seeds), per_task)]
        parts = run_shared(_null_estimates, (predictions, estimator), tasks, parallel)
        null = np.concatenate(list(parts))
        pvalue = monte_carlo_pvalue(estimate, null)
        details = {
            "n_resamples": self.n_resamples,
            "monte_carlo_error": monte_carlo_error(pvalue, self.n_resamples),
            "null_mean": float(null.mean()),
            "null_sd": float(null.std(ddof=1)) if len(null) > 1 else 0.0,
        }
        return Evidence(estimate, pvalue, null, null, estimate, details)


def _null_estimates(data: tuple[Predictions, Estimator], seeds: IntArray) -> FloatArray:
    predictions, estimator = data
    resampler = ConsistencyResampler()
    sets = [resampler.sample(predictions, np.random.default_rng(seed)) for seed in seeds]
    if isinstance(estimator, BinnedEstimator) and predictions.sample_weight is None:
        y_true = np.stack([one.y_true for one in sets])
        return estimator.many(y_true, np.stack([one.y_prob for one in sets]), Parallel(1))
    return np.array([estimator.estimate(one, Parallel(1)) for one in sets], dtype=np.float64)
