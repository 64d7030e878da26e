"""Labels from any known truth, with examples of truths for power studies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from calibrant._native import FloatArray
from calibrant._predictions import softmax
from calibrant.models._generative import GenerativeModel, check_probability


@dataclass(frozen=True)
class Distorted(GenerativeModel):
    """Predictions whose labels follow any known truth.

    g(X) ~ Dir(α) and P(Y = · | g(X) = p) = truth(p).

    Parameters
    ----------
    alpha, n_classes
        The Dirichlet distribution of the predictions; see `GenerativeModel`.
    truth : callable
        Maps predictions (n_samples, n_classes) to distributions of the same shape: `Swap`,
        `LogitShift`, `Oscillation` or any function.

    Examples
    --------
    >>> from calibrant.models import Distorted, Swap
    >>> model = Distorted(1.0, 3, truth=Swap(0, 1, probability=0.5))
    >>> model.calibration_function([[0.6, 0.2, 0.2]])
    array([[0.4, 0.4, 0.2]])

    The model claims to distinguish the first two classes, but it cannot.
    """

    truth: Callable[[FloatArray], FloatArray] = field(kw_only=True)

    def calibration_function(self, y_prob: npt.ArrayLike) -> FloatArray:
        """Return truth(p) for every row p, shape (n_samples, n_classes).

        Raises `ValueError` where the truth is not a distribution.
        """
        p = self._rows(y_prob)
        q = np.asarray(self.truth(p), dtype=np.float64)
        if q.shape != p.shape or not (q >= 0).all() or not (abs(q.sum(axis=1) - 1) < 1e-6).all():
            raise ValueError(
                f"`truth` must map predictions of shape {p.shape} to non-negative rows of the "
                f"same shape that sum to 1; {self.truth!r} does not."
            )
        return q


@dataclass(frozen=True)
class Swap:
    """A truth in which two classes are swapped with a given probability s.

    q_a = (1 − s)p_a + s·p_b, q_b = (1 − s)p_b + s·p_a. The calibration error vanishes where
    p_a = p_b.

    Parameters
    ----------
    first, second : int
        Two different classes.
    probability : float in [0, 1]
        Probability s that they are swapped.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.models import Swap
    >>> Swap(0, 2, probability=1.0)(np.array([[0.7, 0.2, 0.1]])).round(6)
    array([[0.1, 0.2, 0.7]])

    The classes are always swapped: the class predicted to be likely is the unlikely one.
    """

    first: int
    second: int
    probability: float

    def __post_init__(self) -> None:
        """Check the classes and the probability."""
        if self.first == self.second or min(self.first, self.second) < 0:
            raise ValueError(
                "`first` and `second` must be two different classes, counted from 0; "
                f"got {self.first} and {self.second}."
            )
        object.__setattr__(self, "probability", check_probability("probability", self.probability))

    def __call__(self, y_prob: FloatArray) -> FloatArray:
        if max(self.first, self.second) >= y_prob.shape[1]:
            raise ValueError(f"{self!r} needs more classes; got {y_prob.shape[1]}.")
        q = y_prob.copy()
        moved = self.probability * (y_prob[:, self.second] - y_prob[:, self.first])
        q[:, self.first] += moved
        q[:, self.second] -= moved
        return q


@dataclass(frozen=True)
class LogitShift:
    """A truth in which some classes are more frequent than predicted: q_c ∝ p_c·exp(shift_c).

    This happens if class frequencies change after training (label shift).

    Parameters
    ----------
    shift : array-like of shape (n_classes,)
        Finite shifts of the logits; only their differences matter.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.models import LogitShift
    >>> LogitShift([np.log(3.0), 0.0])(np.array([[0.5, 0.5]])).round(6)
    array([[0.75, 0.25]])

    The odds of the first class are three times as large as predicted.
    """

    shift: npt.ArrayLike

    def __post_init__(self) -> None:
        """Check the shift and keep it as a tuple of floats."""
        shift = np.asarray(self.shift, dtype=np.float64)
        if shift.ndim != 1 or not np.isfinite(shift).all():
            raise ValueError(f"`shift` must be one finite number per class; got {self.shift!r}.")
        object.__setattr__(self, "shift", tuple(shift.tolist()))

    def __call__(self, y_prob: FloatArray) -> FloatArray:
        shift = np.asarray(self.shift)
        if len(shift) != y_prob.shape[1]:
            raise ValueError(f"{self!r} needs {len(shift)} classes; got {y_prob.shape[1]}.")
        with np.errstate(divide="ignore"):  # −∞ stands for a probability of 0
            return softmax(np.log(y_prob) + shift)


@dataclass(frozen=True)
class Oscillation:
    """A binary truth that oscillates around the prediction, invisible to a global direction.

    q₁ = p₁ + a·p₁(1 − p₁)·sin(2πf·p₁), a distribution for every amplitude |a| ≤ 1.

    Parameters
    ----------
    amplitude : float in [-1, 1]
        The amplitude a.
    frequency : float, default 1
        Number f of full oscillations between 0 and 1.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.models import Oscillation
    >>> Oscillation(amplitude=1.0)(np.array([[0.75, 0.25], [0.25, 0.75]])).round(4)
    array([[0.5625, 0.4375],
           [0.4375, 0.5625]])

    Both halves are over-confident, so the errors of class 1 have opposite signs.
    """

    amplitude: float
    frequency: float = 1.0

    def __post_init__(self) -> None:
        """Check amplitude and frequency."""
        if not -1 <= self.amplitude <= 1:
            raise ValueError(f"`amplitude` must be in [-1, 1]; got {self.amplitude}.")
        if not np.isfinite(self.frequency):
            raise ValueError(f"`frequency` must be finite; got {self.frequency}.")

    def __call__(self, y_prob: FloatArray) -> FloatArray:
        if y_prob.shape[1] != 2:
            raise ValueError(f"`Oscillation` needs 2 classes; got {y_prob.shape[1]}. Use `Swap`.")
        p = y_prob[:, 1]
        q = p + self.amplitude * p * (1.0 - p) * np.sin(2.0 * np.pi * self.frequency * p)
        return np.column_stack([1.0 - q, q])
