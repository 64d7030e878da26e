"""The fitted form of all log-linear maps: softmax(W log p + b)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant._execution import single_threaded_blas
from calibrant._native import FloatArray
from calibrant._output import concise
from calibrant.recalibration._map import FittedMap


def softmax_columns(logits: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Replace logits (m, rows) by their softmax in place; return it and log Σ exp."""
    top = logits.max(axis=0)
    logits -= top
    np.exp(logits, out=logits)
    total = logits.sum(axis=0)
    logits /= total
    return logits, top + np.log(total)


@concise
@dataclass(frozen=True, eq=False)
class LogLinear(FittedMap):
    r"""A fitted map :math:`q = \mathrm{softmax}(W \log\max(p, \epsilon) + b)`.

    Cost of `predict_proba`: O(n·m), O(n·m²) for a full matrix W.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    floor : float
        The floor ε.
    slopes : ndarray of shape (), (n_classes,) or (n_classes, n_classes)
        W: a common slope, the diagonal, or the full matrix.
    intercepts : ndarray of shape (n_classes,)
        The intercepts b.
    n_parameters : int, default 0
        Number of free parameters of the fit.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import LogLinear
    >>> squared = LogLinear(2, 1e-12, np.array(2.0), np.zeros(2))
    >>> squared.predict_proba([[0.25, 0.75]])
    array([[0.1, 0.9]])

    Doubling the logits squares the odds: 1 to 3 becomes 1 to 9.
    """

    slopes: FloatArray
    intercepts: FloatArray
    n_parameters: int = 0

    @property
    def matrix(self) -> FloatArray:
        """W as a matrix, shape (n_classes, n_classes)."""
        if self.slopes.ndim == 2:
            return self.slopes
        return np.diag(np.broadcast_to(self.slopes, self.n_classes))

    @property
    def keeps_ranking(self) -> bool:
        """Whether the map keeps the ranking of the classes in every row."""
        return self.slopes.ndim == 0 and bool(self.slopes > 0) and not self.intercepts.any()

    def transform(self, block: FloatArray) -> FloatArray:
        """Return softmax(W log p + b) of some rows, class-major."""
        logits = np.maximum(block, self.floor)
        np.log(logits, out=logits)
        if self.slopes.ndim == 2:
            with single_threaded_blas():  # BLAS sums depend on the number of threads
                logits = self.slopes @ logits
        else:
            logits *= self.slopes[..., None]
        if self.intercepts.any():
            logits += self.intercepts[:, None]
        return softmax_columns(logits)[0]


@concise
@dataclass(frozen=True, eq=False)
class FittedTemperature(LogLinear):
    """A fitted temperature: the logits are divided by it.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    floor : float
        Smaller probabilities are raised to it.
    slopes : ndarray of shape ()
        The inverse of the temperature.
    intercepts : ndarray of shape (n_classes,)
        Zeros.
    n_parameters : int
        One.

    Examples
    --------
    >>> from calibrant.recalibration import Temperature
    >>> fitted = Temperature().fit([[0.2, 0.8], [0.8, 0.2], [0.8, 0.2]], [1, 0, 1])
    >>> f"{fitted.temperature:.4f}"
    '2.0000'

    One of three predictions was wrong, so the odds should be 2 to 1, the square root of 4 to 1.
    """

    @property
    def temperature(self) -> float:
        """The temperature, which divides the logits; above 1 the classifier is over-confident."""
        return 1.0 / float(self.slopes)
