"""Local errors of the confidence and their cost, from the smooth test alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._engine import LabelResampler, LabelSets
from calibrant._predictions import Predictions, effective_count
from calibrant.methods._base import monte_carlo_pvalue
from calibrant.methods._combination import harmonic_mean, pooled_tails
from calibrant.methods._confidence import confidence_statistics

#: number of label sets
_RESAMPLES = 199


@dataclass(frozen=True)
class LocalErrors:
    """Local errors of P(positive), or of the top label's probability if there are more classes.

    Parameters
    ----------
    pvalue : float
        Exact p-value of the smooth test with 3, 6 and 12 waves; at least 1/200.
    loss : float
        Their approximate cost in nats per row; close to 0 if they are due to chance.
    """

    pvalue: float
    loss: float

    @classmethod
    def of(cls, predictions: Predictions) -> LocalErrors:
        r"""Test the rows, always with the same random labels: O(n·m) and 200·n labels.

        Notes
        -----
        The log-likelihood ratio of a deviation along orthonormal directions with scores z is about
        :math:`\tfrac12 \sum_k z_k^2`, of which :math:`\tfrac12 \sum_k (z_k^2 - 1)` is not due to
        chance.
        """
        rows = predictions if predictions.n_classes == 2 else predictions.top_label()
        label_sets = LabelSets.label_sets(rows, LabelResampler(0), range(_RESAMPLES + 1))
        statistics = confidence_statistics(rows, label_sets)
        tails = pooled_tails(statistics)
        evidence = -harmonic_mean(tails)
        strongest = statistics[int(np.argmin(tails[:, 0])), 0]
        return cls(
            monte_carlo_pvalue(float(evidence[0]), evidence[1:]),
            float(strongest) / (2.0 * effective_count(rows.weights)),
        )
