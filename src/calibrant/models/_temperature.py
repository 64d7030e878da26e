"""Over- and under-confidence: a truth given by temperature scaling."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibrant._native import FloatArray
from calibrant._predictions import softmax
from calibrant.models._generative import GenerativeModel, check_positive


@dataclass(frozen=True)
class TemperatureModel(GenerativeModel):
    """Predictions that are over- or under-confident by a known temperature.

    g(X) ~ Dir(α) and P(Y = · | g(X) = p) ∝ p^{1/τ}: the predictions are over-confident for
    τ > 1, calibrated for τ = 1, under-confident for τ < 1.

    Parameters
    ----------
    alpha, n_classes
        The Dirichlet distribution of the predictions; see `GenerativeModel`.
    temperature : float, default 1
        The temperature τ > 0 that would calibrate the predictions.

    Examples
    --------
    >>> from calibrant.models import TemperatureModel
    >>> y_true, y_prob = TemperatureModel(0.1, 10, temperature=2.0).sample(1000, rng=0)
    >>> hits = y_prob.argmax(axis=1) == y_true
    >>> f"{hits.mean():.2f} {y_prob.max(axis=1).mean():.2f}"
    '0.50 0.66'

    The predicted class is right less often than its probability says.
    """

    temperature: float = 1.0

    def __post_init__(self) -> None:
        """Check the temperature, too."""
        super().__post_init__()
        object.__setattr__(self, "temperature", check_positive("temperature", self.temperature))

    def calibration_function(self, y_prob: npt.ArrayLike) -> FloatArray:
        """Return p^{1/τ}/Σp^{1/τ} for every row p, shape (n_samples, n_classes)."""
        return temperature_scale(self._rows(y_prob), self.temperature)


def temperature_scale(y_prob: npt.ArrayLike, temperature: float) -> FloatArray:
    """Soften (τ > 1) or sharpen (τ < 1) predictions: p^{1/τ}/Σp^{1/τ}.

    The result has rows that sum to 1; a probability of 0 stays 0. O(n·m).

    Parameters
    ----------
    y_prob : array-like of shape (n_samples, n_classes)
        Probabilities; every row needs a positive entry.
    temperature : float
        The temperature τ > 0; with 1, rows are only divided by their sums.

    Returns
    -------
    array of shape (n_samples, n_classes)

    Examples
    --------
    >>> from calibrant.models import temperature_scale
    >>> temperature_scale([[0.1, 0.9, 0.0]], 2.0).round(6)
    array([[0.25, 0.75, 0.  ]])

    Odds of nine to one become three to one.
    """
    temperature = check_positive("temperature", temperature)
    p = np.asarray(y_prob, dtype=np.float64)
    if p.ndim != 2 or not (p >= 0).all() or not np.isfinite(p).all() or not p.any(axis=1).all():
        raise ValueError(
            "`y_prob` must be non-negative rows of shape (n_samples, n_classes), each with a "
            f"positive entry; got shape {p.shape}. Pass probabilities, not logits."
        )
    largest = p.max(axis=1, keepdims=True)
    with np.errstate(divide="ignore", over="ignore"):  # −∞ stands for a probability of 0
        return softmax(np.log(p / largest) / temperature)
