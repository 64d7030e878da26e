"""Class priors: correction for changed class frequencies (label shift)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import check_probabilities, read
from calibrant.recalibration._likelihood import Tied, diagonal
from calibrant.recalibration._likelihood_map import LikelihoodMap
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR, check_floor
from calibrant.recalibration._minimize import Penalty, Problem

#: the iteration stops when the estimated rates change by less than this
_TOLERANCE = 1e-12
_MAX_STEPS = 10_000


@dataclass(frozen=True)
class ClassPrior(LikelihoodMap[LogLinear]):
    r"""Multiply the odds of the classes, to correct for changed base rates (label shift).

    `fit` estimates the factors by maximum likelihood; `from_rates` uses known base rates; `adapt`
    needs no labels, only the base rates of the training data. The ranking of the classes within a
    row may change. Cost: a few passes of O(n·m²).

    Parameters
    ----------
    floor : float, default 1e-12
        Smaller probabilities are raised to it.

    Notes
    -----
    If the class rates change from π to π′ while the distribution of the features within each class
    stays the same, the posterior probabilities become

    .. math:: q_c \propto p_c\, \pi'_c / \pi_c .

    References
    ----------
    M. Saerens, P. Latinne and C. Decaestecker (2002), Adjusting the outputs of a classifier to new
    a priori probabilities.

    Examples
    --------
    >>> from calibrant.recalibration import ClassPrior
    >>> rare = ClassPrior().from_rates(source=[0.5, 0.5], target=[0.9, 0.1])
    >>> rare.predict_proba([[0.5, 0.5]])
    array([[0.9, 0.1]])

    The classifier was trained on balanced classes, but the second class is rare in use.
    """

    floor: float = FLOOR

    def __post_init__(self) -> None:
        check_floor(self.floor)

    @property
    def name(self) -> str:
        """What the map is called in results and files."""
        return "class prior"

    def count_parameters(self, n_classes: int) -> int:
        """Return the number of parameters of a fit; one factor is implied by the others."""
        return n_classes - 1

    def from_rates(self, source: Sequence[float], target: Sequence[float]) -> LogLinear:
        """Return the map from the base rates of the training data to other base rates.

        Parameters
        ----------
        source, target : sequence of n_classes positive numbers
            Base rates, or counts.
        """
        old, new = _check_rates("source", source), _check_rates("target", target)
        if old.shape != new.shape:
            raise ValueError(
                "`source` and `target` must have one rate per class; got "
                f"{len(old)} and {len(new)}."
            )
        return self._fitted(np.log(new / old), len(old))

    def adapt(self, y_prob: Any, source: Sequence[float]) -> LogLinear:
        r"""Return the map to the base rates of unlabeled rows, by the EM of Saerens et al.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes)
            Predictions on data with changed rates; they must be calibrated for the original rates.
        source : sequence of n_classes positive numbers
            Base rates of the training data, or counts.

        Notes
        -----
        Iterates :math:`\pi' \leftarrow` mean of :math:`p_i \pi'/\pi`, with rows divided by their
        sums, from :math:`\pi' = \pi` to the fixed point, the maximum-likelihood rates.
        """
        table = np.maximum(check_probabilities(read(y_prob, "y_prob")), self.floor)
        old = _check_rates("source", source)
        if old.shape != table.shape[1:]:
            raise ValueError(
                f"`source` must have one rate for each of {table.shape[1]} classes; got {len(old)}."
            )
        density = table / old
        rates = old
        for _ in range(_MAX_STEPS):
            joint = density * rates
            updated = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
            change = float(np.abs(updated - rates).max())
            rates = updated
            if change <= _TOLERANCE:
                break
        return self._fitted(np.log(np.maximum(rates, self.floor) / old), len(old))

    def _problem(self, n_classes: int) -> Problem:
        """Return the family whose slopes are all 1."""
        m = n_classes
        slopes, intercepts = np.zeros((m, m)), np.eye(m)
        origin = np.repeat([1.0, 0.0], m)
        family = Tied(diagonal(m), np.concatenate([slopes, intercepts]), origin)
        return Problem(family, lambda n: Penalty(np.zeros(m), np.zeros(m)), np.zeros(m))

    def _fitted(self, theta: FloatArray, n_classes: int) -> LogLinear:
        """Return the map with these log factors."""
        shift = theta - theta.mean()
        return LogLinear(n_classes, self.floor, np.array(1.0), shift, n_classes - 1)


def _check_rates(name: str, rates: Sequence[float]) -> FloatArray:
    values = np.asarray(rates, dtype=np.float64)
    if values.ndim != 1 or len(values) < 2 or not (np.isfinite(values) & (values > 0)).all():
        raise ValueError(f"`{name}` must be one positive rate per class; got {rates!r}.")
    return np.asarray(values / values.sum())
