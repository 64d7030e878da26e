"""The paper's generative models and their exact errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from calibrant._native import FloatArray
from calibrant._predictions import sums_of_others
from calibrant.models._generative import GenerativeModel, check_probability


@dataclass(frozen=True)
class DirichletModel(GenerativeModel):
    """The paper's model: with probability π, a label ignores its prediction and follows β.

    g(X) ~ Dir(α) and P(Y = · | g(X)) = πβ + (1 − π)g(X); calibrated if and only if π = 0.

    Parameters
    ----------
    alpha, n_classes
        The Dirichlet distribution of the predictions; see `GenerativeModel`.
    pi : float in [0, 1], default 0
        Probability that a label ignores its prediction.
    beta : {"uniform", "first"} or array-like of shape (n_classes,), default "uniform"
        Distribution of these labels: (1/m, …, 1/m), (1, 0, …, 0) or any other.

    References
    ----------
    .. [1] D. Widmann, F. Lindsten and D. Zachariah, "Calibration tests in multi-class
       classification: a unifying framework", NeurIPS 2019, appendix "Generative models".

    Examples
    --------
    >>> from calibrant.models import DirichletModel
    >>> model = DirichletModel(alpha=0.1, n_classes=10, pi=0.5, beta="first")
    >>> y_true, y_prob = model.sample(250, rng=0)
    >>> round(model.ece(), 12)
    0.45

    On average, the total variation between predictions and truth is 0.45.
    """

    pi: float = 0.0
    beta: Literal["uniform", "first"] | npt.ArrayLike = "uniform"

    def __post_init__(self) -> None:
        """Check π and β, too; store β as its name or a tuple of floats."""
        super().__post_init__()
        object.__setattr__(self, "pi", check_probability("pi", self.pi))
        if isinstance(self.beta, str):
            if self.beta not in ("uniform", "first"):
                raise ValueError(
                    f"`beta` must be 'uniform', 'first' or a distribution; got {self.beta!r}."
                )
            return
        beta = np.asarray(self.beta, dtype=np.float64)
        if beta.shape != (self.n_classes,) or not (beta >= 0).all() or abs(beta.sum() - 1) > 1e-12:
            raise ValueError(
                f"`beta` must be {self.n_classes} non-negative numbers that sum to 1; "
                f"got {self.beta!r}. Divide by the sum."
            )
        object.__setattr__(self, "beta", tuple(beta.tolist()))

    def calibration_function(self, y_prob: npt.ArrayLike) -> FloatArray:
        """Return πβ + (1 − π)p for every row p.

        Parameters
        ----------
        y_prob : array-like of shape (n_samples, n_classes)
            Predicted probabilities.

        Returns
        -------
        array of shape (n_samples, n_classes)

        Examples
        --------
        >>> from calibrant.models import M2
        >>> M2(n_classes=2).calibration_function([[0.2, 0.8]])
        array([[0.6, 0.4]])
        """
        return self.pi * self._beta() + (1.0 - self.pi) * self._rows(y_prob)

    def ece(self) -> float:
        """Return the expected calibration error E‖P(Y = · | g(X)) − g(X)‖_TV.

        In [0, 1]; 0 means calibrated. O(m).

        Notes
        -----
        With the regularized incomplete Beta function I and α₀ = Σ_i α_i, the error is π·Σ_i
        (β_i·I(β_i; α_i, α₀ − α_i) − α_i/α₀·I(β_i; α_i + 1, α₀ − α_i)), with the total variation ½‖p
        − q‖₁. For equal α_i = a it becomes π(m − 1)/m for β = (1, 0, …, 0) and π·((m −
        1)^{m−1}/m^m)^a/(a·B(a, (m − 1)a)) for β = (1/m, …, 1/m).

        Examples
        --------
        >>> from calibrant.models import M1, M3
        >>> M1().ece(), round(M3().ece(), 4)
        (0.0, 0.7106)

        M1 is calibrated, M3 is far from it.
        """
        from scipy.special import betainc

        alpha, beta = self._alpha(), self._beta()
        rest = sums_of_others(alpha)
        above = beta * betainc(alpha, rest, beta)
        below = alpha / alpha.sum() * betainc(alpha + 1.0, rest, beta)
        return float(self.pi * (above - below).sum())

    def _beta(self) -> FloatArray:
        m = self.n_classes or 0
        if isinstance(self.beta, str):
            return np.full(m, 1.0 / m) if self.beta == "uniform" else np.eye(1, m)[0]
        return np.asarray(self.beta, dtype=np.float64)


def M1(n_classes: int = 10, alpha: float = 0.1) -> DirichletModel:  # noqa: N802 (paper's name)
    """Return the paper's calibrated model M1: labels follow the predictions.

    Parameters
    ----------
    n_classes : int, default 10
        Number of classes.
    alpha : float, default 0.1
        Concentration of the predictions, which are Dirichlet.

    Returns
    -------
    DirichletModel

    Examples
    --------
    >>> from calibrant.models import M1
    >>> M1().ece()
    0.0
    """
    return DirichletModel(alpha, n_classes)


def M2(n_classes: int = 10, alpha: float = 0.1) -> DirichletModel:  # noqa: N802 (paper's name)
    """Return the paper's model M2: half of the labels ignore the prediction and are class 0.

    Parameters
    ----------
    n_classes : int, default 10
        Number of classes.
    alpha : float, default 0.1
        Concentration of the predictions, which are Dirichlet.

    Returns
    -------
    DirichletModel

    Examples
    --------
    >>> from calibrant.models import M2
    >>> round(M2().ece(), 12)
    0.45
    """
    return DirichletModel(alpha, n_classes, pi=0.5, beta="first")


def M3(n_classes: int = 10, alpha: float = 0.1) -> DirichletModel:  # noqa: N802 (paper's name)
    """Return the paper's model M3: labels are uniform and ignore the predictions.

    Parameters
    ----------
    n_classes : int, default 10
        Number of classes.
    alpha : float, default 0.1
        Concentration of the predictions, which are Dirichlet.

    Returns
    -------
    DirichletModel

    Examples
    --------
    >>> from calibrant.models import M3
    >>> round(M3().ece(), 4)
    0.7106
    """
    return DirichletModel(alpha, n_classes, pi=1.0, beta="uniform")
