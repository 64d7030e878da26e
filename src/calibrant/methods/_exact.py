"""The exact test: labels resampled from the given predictions, predictions held fixed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant._resampling import LabelResampler
from calibrant.estimators import SKCE, Estimator
from calibrant.methods._base import (
    Evidence,
    Method,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)

if TYPE_CHECKING:
    from calibrant._executors import Parallel
    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray

#: labels held in memory at once, in bytes (one byte a label up to 256 classes)
_LABEL_BYTES = 1 << 26


@dataclass(frozen=True)
class Exact(Method):
    r"""Exact Monte-Carlo test of any calibration error, valid at every sample size.

    Under the null hypothesis the labels are independent draws :math:`Y_i \sim Cat(p_i)` given
    the predictions. Labels are drawn again from the given predictions, and the observed error
    is ranked among the errors of the resampled labels:

    .. math:: p = \frac{1 + \#\{b : S_b \ge S\}}{1 + B}, \qquad P(p \le a) \le a

    for every level a, every sample size and every statistic. Kernel, bandwidth, bins and
    weights may depend on the predictions, not on the labels.

    Parameters
    ----------
    n_resamples : int, default 999
        B; the smallest p-value that can be seen is 1/(1 + B).

    Notes
    -----
    Not valid where predictions depend on earlier labels of the same data, where labels are
    clustered, or where the labels were used to fit or recalibrate the model. Cost: that of
    ``estimator.over_labels``; n = 10 000, m = 10 and the quadratic SKCE take seconds, without
    an n×n array. The draws are keyed by seed, row and resample: any number of threads gives
    the same p-value.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M3().sample(100, rng=0)  # labels ignore the predictions
    >>> result = cal.calibration_test(y_true, y_prob, estimator=cal.ECE(), rng=0)
    >>> result.pvalue  # rejected at any level from 0.001 on
    0.001
    """

    n_resamples: int = 999

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def test(self, predictions: Predictions, estimator: Estimator, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        resampler = LabelResampler.from_rng(setting.rng)
        null = self._null(predictions, estimator, resampler, setting.parallel)
        # the observed labels take the same way as the resampled ones: ties stay ties
        observed = estimator.over_labels(
            predictions, predictions.y_true[None], n_jobs=setting.parallel.n_jobs
        )
        statistic = float(observed[0])
        pvalue = monte_carlo_pvalue(statistic, null)
        details = {
            "n_resamples": self.n_resamples,
            "seed": resampler.seed,
            "monte_carlo_error": monte_carlo_error(pvalue, self.n_resamples),
        }
        return Evidence(statistic, pvalue, null, null, statistic, details)

    def _null(
        self,
        predictions: Predictions,
        estimator: Estimator,
        resampler: LabelResampler,
        parallel: Parallel,
    ) -> FloatArray:
        step = max(64, _LABEL_BYTES // max(1, predictions.n_samples) // 64 * 64)
        null = []
        for start in range(0, self.n_resamples, step):
            replicates = range(start, min(start + step, self.n_resamples))
            labels = resampler.labels(predictions.y_prob, replicates)
            if isinstance(estimator, SKCE):
                null.append(
                    estimator.over_labels(
                        predictions,
                        labels,
                        n_jobs=parallel.n_jobs,
                        executor=parallel.executor,
                        progress=parallel.progress,
                        checkpoint=parallel.checkpoint,
                    )
                )
                continue
            null.append(estimator.over_labels(predictions, labels, n_jobs=parallel.n_jobs))
            if parallel.progress is not None:
                parallel.progress(replicates.stop, self.n_resamples)
        return np.concatenate(null)
