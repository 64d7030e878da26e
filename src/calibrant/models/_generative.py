"""The base class of generative models: Dirichlet predictions and labels from a known truth."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from calibrant._engine import LabelResampler, RandomSource, as_generator
from calibrant._execution import limits, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import softmax, sums_of_others


@dataclass(frozen=True)
class GenerativeModel(ABC):
    """Predictions g(X) ~ Dir(α) with labels from a known calibration function.

    This is the base class of all models: a subclass defines `calibration_function` and inherits
    the rest.

    Parameters
    ----------
    alpha : float or array-like of shape (n_classes,)
        Positive concentrations. 1 spreads the predictions uniformly over the simplex; small values
        push them to its corners, like the predictions of a trained network. Any size is safe,
        even values so small that every prediction is a corner.
    n_classes : int, optional
        Number of classes; required if, and only if, `alpha` is a single number.

    Examples
    --------
    >>> from calibrant.models import GenerativeModel
    >>> class Reversed(GenerativeModel):
    ...     def calibration_function(self, y_prob):
    ...         return y_prob[:, ::-1]
    >>> y_true, y_prob = Reversed(0.1, n_classes=2).sample(1000, rng=0)
    >>> bool((y_prob.argmax(axis=1) == y_true).mean() < 0.1)
    True

    The most probable of the two classes hardly ever occurs.
    """

    alpha: float | npt.ArrayLike
    n_classes: int | None = None

    def __post_init__(self) -> None:
        """Check the concentrations and store them as a float or a tuple of floats."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim > 1 or not (np.isfinite(alpha) & (alpha >= 1e-300)).all():
            raise ValueError(
                "`alpha` must be a positive finite number (at least 1e-300) or one for each "
                f"class; got {self.alpha!r}."
            )
        n_classes = self.n_classes if alpha.ndim == 0 else len(alpha)
        if n_classes is None:
            raise ValueError(
                f"`n_classes` is needed where `alpha` is one number; got alpha={self.alpha!r}. "
                "Pass `n_classes=10`, say."
            )
        if self.n_classes not in (None, n_classes):
            raise ValueError(
                f"`n_classes` must be the length of `alpha`, {n_classes}; got {self.n_classes}. "
                "Leave it out."
            )
        if n_classes < 2:
            raise ValueError(f"`n_classes` must be at least 2; got {n_classes}.")
        kept = float(alpha) if alpha.ndim == 0 else tuple(alpha.tolist())
        object.__setattr__(self, "alpha", kept)
        object.__setattr__(self, "n_classes", int(n_classes))

    @abstractmethod
    def calibration_function(self, y_prob: npt.ArrayLike) -> FloatArray:
        """Return P(Y = · | g(X) = p) for every row p of `y_prob`, shape (n_samples, n_classes)."""

    def sample(self, n_samples: int, rng: RandomSource = None) -> tuple[IntArray, FloatArray]:
        """Draw one data set.

        Parameters
        ----------
        n_samples : int
            Number of rows.
        rng : None, int or numpy.random.Generator
            Source of randomness; the same integer gives the same data.

        Returns
        -------
        y_true : int64 array of shape (n_samples,)
            Labels.
        y_prob : float64 array of shape (n_samples, n_classes)
            Predicted probabilities.

        Examples
        --------
        >>> from calibrant.models import M2
        >>> y_true, y_prob = M2().sample(1000, rng=0)
        >>> f"{(y_true == 0).mean():.2f} {y_prob[:, 0].mean():.2f}"
        '0.53 0.09'

        The first class occurs far more often than predicted.
        """
        y_true, y_prob = self.sample_many(1, n_samples, rng)
        return y_true[0], y_prob[0]

    def sample_many(
        self, n_datasets: int, n_samples: int, rng: RandomSource = None
    ) -> tuple[IntArray, FloatArray]:
        """Draw independent data sets of equal size.

        Cost: O(n_datasets·n_samples·n_classes) time; memory of the result and a few megabytes.

        Parameters
        ----------
        n_datasets, n_samples : int
            Number of data sets, and of rows in each.
        rng : None, int or numpy.random.Generator
            Source of randomness; the same integer gives the same data.

        Returns
        -------
        y_true : int64 array of shape (n_datasets, n_samples)
        y_prob : float64 array of shape (n_datasets, n_samples, n_classes)

        Examples
        --------
        >>> from calibrant.models import M1
        >>> y_true, y_prob = M1(n_classes=3).sample_many(20, 250, rng=0)
        >>> y_true.shape, y_prob.shape
        ((20, 250), (20, 250, 3))
        """
        for name, number in (("n_datasets", n_datasets), ("n_samples", n_samples)):
            if number < 0:
                raise ValueError(f"`{name}` must not be negative; got {number}.")
        generator = as_generator(rng)
        resampler = LabelResampler.from_rng(generator)
        alpha = self._alpha()
        total = n_datasets * n_samples
        y_true = np.empty(total, dtype=np.int64)
        y_prob = np.empty((total, len(alpha)))
        for rows in spans(total, max(1, limits().model_numbers // len(alpha))):
            y_prob[rows] = sample_dirichlet(alpha, rows.stop - rows.start, generator)
            truth = self.calibration_function(y_prob[rows])
            y_true[rows] = resampler.labels(truth, range(1), first_row=rows.start)[0]
        return (
            y_true.reshape(n_datasets, n_samples),
            y_prob.reshape(n_datasets, n_samples, len(alpha)),
        )

    def mean_total_variation(self) -> float:
        """Return E‖g(X) − g(X')‖_TV, the mean distance of two independent predictions.

        In (0, 1); the bandwidth rule "mean" of the paper's simulations. O(m).

        Notes
        -----
        2·B(α₀, α₀)/α₀ · Σ_i 1/(B(α_i, α_i)·B(α₀ − α_i, α₀ − α_i)), α₀ = Σ_i α_i, with the
        total variation distance ½‖p − q‖₁. By Legendre's duplication formula this is
        1/(√π·α₀) · Σ_i h(α_i)·h(α₀ − α_i)/h(α₀), h(x) = Γ(x + ½)/Γ(x), where nothing overflows
        or cancels.

        Examples
        --------
        >>> from calibrant.models import M1
        >>> round(M1(n_classes=2, alpha=1.0).mean_total_variation(), 6)
        0.333333

        Two independent uniform numbers have a mean distance of one third.
        """
        from scipy.special import poch

        alpha = self._alpha()
        total, rest = alpha.sum(), sums_of_others(alpha)
        terms = poch(alpha, 0.5) * poch(rest, 0.5) / poch(total, 0.5)
        return float(terms.sum() / (np.sqrt(np.pi) * total))

    def _alpha(self) -> FloatArray:
        alpha = np.asarray(self.alpha, dtype=np.float64)
        return np.full(self.n_classes or 0, alpha) if alpha.ndim == 0 else alpha

    def _rows(self, y_prob: npt.ArrayLike) -> FloatArray:
        p = np.asarray(y_prob, dtype=np.float64)
        if p.ndim != 2 or p.shape[1] != self.n_classes:
            raise ValueError(
                f"`y_prob` must have shape (n_samples, {self.n_classes}); got {p.shape}. "
                "Pass one prediction as one row, and two columns for two classes."
            )
        return p


def sample_dirichlet(alpha: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """Draw rows of Dir(α) on the log scale, because gamma variates of tiny shape underflow.

    G(α) = G(α + 1)·U^{1/α} in distribution, and −log U is a standard exponential variate.
    """
    log_gamma = np.log(rng.standard_gamma(alpha + 1.0, size=(n, len(alpha))))
    log_gamma -= rng.standard_exponential(size=(n, len(alpha))) / alpha
    return softmax(log_gamma)


def check_probability(name: str, value: float) -> float:
    """Return a number in [0, 1] as a float, or raise ValueError."""
    if not 0 <= value <= 1:
        raise ValueError(f"`{name}` must be in [0, 1]; got {value}.")
    return float(value)


def check_positive(name: str, value: float) -> float:
    """Return a positive finite number as a float, or raise ValueError."""
    if not (value > 0 and np.isfinite(value)):
        raise ValueError(f"`{name}` must be positive and finite; got {value}.")
    return float(value)
