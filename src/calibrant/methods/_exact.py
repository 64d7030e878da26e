"""The exact test, which resamples labels from the given predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from calibrant._engine import BATCH, LabelResampler, couple, sizes
from calibrant._execution import Parallel, Stages
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import Estimator, pairs_visited
from calibrant.methods._base import (
    Evidence,
    Method,
    Rates,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)
from calibrant.methods._clusters import describe_clusters
from calibrant.methods._sequential import Stopping, check_stop_after


@dataclass(frozen=True)
class Exact(Method):
    r"""Exact Monte Carlo test of any calibration error, valid at every sample size.

    Under the null hypothesis the labels are independent draws :math:`Y_i \sim Cat(p_i)` given
    the predictions. The test draws labels from the predictions and ranks the observed error
    among the errors of the resampled labels:

    .. math:: p = \frac{1 + \#\{b : S_b \ge S\}}{1 + B}, \qquad P(p \le a) \le a

    for every level a, every sample size and every statistic. Kernel, bandwidth, bins and
    weights may depend on the predictions, not on the labels.

    Parameters
    ----------
    n_resamples : int, default 999
        B, the number of label sets; the smallest possible p-value is 1/(1 + B).
    stop_after : int, optional
        Stop early if the evidence is weak: at draw L, once this many errors reach the observed one
        with L ≤ 5·`stop_after`. Then p = `stop_after`/L, valid at every level (Besag and Clifford,
        1991; the proof is in :doc:`/growth`). 0 draws all B. The default is 20 if there are at
        least 10⁶ probabilities n·m, else 0. ``n_resamples`` in the details is the number of draws.

    Notes
    -----
    Not valid if predictions depend on earlier labels of the same data, or if the labels were used
    to fit or recalibrate the model. With clusters, the drawn labels of a cluster depend on each
    other, and the test is approximate (see :doc:`/howto/clusters`). Cost: that of
    ``estimator.over_labels``; n = 10,000, m = 10 and the quadratic SKCE take seconds, without
    an n×n array. The draws are keyed by seed, row and resample, so the p-value does not depend on
    the number of threads.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M3().sample(100, rng=0)  # labels ignore the predictions
    >>> result = cal.calibration_test(y_true, y_prob, estimator=cal.ECE(), rng=0)
    >>> result.pvalue  # rejected at any significance of at least 0.001
    0.001
    """

    n_resamples: int = 999
    stop_after: int | None = None
    clusters: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)
        check_stop_after(self.stop_after)

    def cost(self, estimator: Estimator, n_samples: int, rates: Rates) -> float:
        """Return the seconds for all label sets; known only for the SKCE."""
        pairs = pairs_visited(estimator, n_samples)
        if rates.n_classes == 2 and not math.isnan(pairs):
            return n_samples * self.n_resamples * rates.line
        return pairs * (2.0 * rates.pair + self.n_resamples * rates.label)

    def test(self, predictions: Predictions, estimator: Estimator, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        coupling, parallel = setting.coupling_of(predictions), setting.parallel
        resampler = couple(LabelResampler.from_rng(setting.rng), coupling)
        rule = Stopping.choose(self.stop_after, predictions.y_prob.size, self.n_resamples)
        details: dict[str, Any] = {"seed": resampler.seed}
        # set 0 has the observed labels: the same code path for all sets keeps ties exact
        estimates = np.empty(0)
        looks = () if rule is None else rule.looks
        edges = [0, *(look + 1 for look in looks), self.n_resamples + 1]
        stages = Stages(parallel.progress, [1 + b - a for a, b in pairwise(edges)])
        for look in (*looks, self.n_resamples):
            sets, stage = range(len(estimates), look + 1), replace(parallel, progress=stages.next())
            more = self._estimates(predictions, estimator, resampler, sets, stage)
            estimates = np.concatenate([estimates, more])
            statistic, null = float(estimates[0]), estimates[1:]
            draws = rule.stops_at(statistic, null) if rule and look in looks else None
            if rule and draws is not None:
                stages.end()
                details |= rule.details(draws, self.n_resamples) | describe_clusters(coupling)
                null = null[:draws]
                return Evidence(statistic, rule.stop_after / draws, null, null, statistic, details)
        stages.end()
        pvalue = monte_carlo_pvalue(statistic, null)
        details |= {
            "n_resamples": self.n_resamples,
            "monte_carlo_error": monte_carlo_error(pvalue, self.n_resamples),
            **describe_clusters(coupling),
        }
        return Evidence(statistic, pvalue, null, null, statistic, details)

    def _estimates(
        self,
        predictions: Predictions,
        estimator: Estimator,
        resampler: LabelResampler,
        sets: range,
        parallel: Parallel,
    ) -> FloatArray:
        """Return the estimates of some label sets; set 0 is observed, set b is draw b − 1."""
        estimates = [np.empty(0)]
        batches = sizes.replicate_batches(len(sets), predictions.n_samples, BATCH)
        stages = Stages(parallel.progress, [len(batch) for batch in batches])
        for batch in batches:
            some = sets[batch.start : batch.stop]
            drawn = range(max(some.start - 1, 0), some.stop - 1)
            labels = resampler.draw(predictions, drawn)
            if some.start == 0:
                observed = predictions.y_true[None].astype(labels.dtype)
                labels = np.concatenate([observed, labels])
            stage = replace(parallel, progress=stages.next())
            estimates.append(estimator.over_labels(predictions, labels, stage))
        stages.end()
        return np.concatenate(estimates)
