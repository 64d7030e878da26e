"""What a repair gains: the log loss of every row as predicted, and repaired out of fold."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._execution import single_threaded_blas
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration._cross_fit import fit_folds
from calibrant.recalibration._folds import assign_folds
from calibrant.recalibration._identity import Identity
from calibrant.recalibration._log_linear import LogLinear
from calibrant.recalibration._map import FLOOR
from calibrant.recalibration._temperature import Temperature
from calibrant.recalibration._vector_scaling import VectorScaling

#: of more classes a map for each is not tried: its curvature would be a matrix of 600 columns
_MOST_CLASSES = 300


@dataclass(frozen=True, eq=False)
class RepairGain:
    """Each row's log loss before and after a repair that was fitted to other rows.

    Attributes
    ----------
    before : ndarray of shape (n_samples,)
        As predicted; probabilities are at least 1e-12.
    after : ndarray of shape (n_samples,)
        Repaired by the map of all other folds.
    optimism : float
        How much more the repair gains on average on the rows of its fit: about k/n for k
        parameters.
    maps : tuple of str
        The map that was chosen for each fold.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.recalibration import RepairGain
    >>> gain = RepairGain(np.array([0.5, 0.25]), np.array([0.25, 0.25]), 0.0, ("temperature",))
    >>> gain.rows.mean()
    np.float64(0.125)

    The repair gains an eighth of a nat a row.
    """

    before: FloatArray
    after: FloatArray
    optimism: float
    maps: tuple[str, ...]

    @property
    def rows(self) -> FloatArray:
        """What every row gains; its mean is the calibration loss."""
        return self.before - self.after

    def null_error(self, n: float, other: RepairGain | None = None) -> float:
        r"""Return how far calibrated models move the mean gain, or the difference of two, from 0.

        The gain of a calibrated model on n rows is :math:`(\chi^2_k/2 - k)/n`: its mean −k/2n is
        the cost of the fit, its variance k/2n². Both are known from the optimism, k/n. Where every
        row gains nearly nothing the variation among rows misses them.
        """
        cost, its = self.optimism / 2.0, 0.0 if other is None else other.optimism / 2.0
        return math.sqrt((cost + its) / n + (cost - its) ** 2)


def repair_gain(
    predictions: Predictions, *, n_folds: int = 10, seed: int = 0, folds: IntArray | None = None
) -> RepairGain:
    """Return what a repair gains on rows that it has not seen.

    For each fold a temperature and a penalized vector scaling are fitted to all other folds. On
    those rows, the second one is preferred where its log loss is smaller by more than one
    standard error, after Akaike's correction for the effective number of parameters. Labels of a
    fold thus never reach its own repair, and the mean of `before` − `after` is an honest estimate
    of what the repair is worth. Deterministic. Cost: that of two cross-fits and 2·n_folds passes
    of O(n·m).

    Parameters
    ----------
    predictions : Predictions
    n_folds : int, default 10
        At most the number of rows.
    seed : int, default 0
        For `assign_folds`; the same labels give the same folds.
    folds : ndarray of shape (n_samples,), optional
        The fold of each row, in place of `n_folds` and `seed`.

    Returns
    -------
    RepairGain

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.models import TemperatureModel
    >>> from calibrant.recalibration import repair_gain
    >>> sample = TemperatureModel(0.5, 3, temperature=2.0).sample(500, rng=0)
    >>> gain = repair_gain(Predictions(*sample))
    >>> print(f"{gain.before.mean():.2f} {gain.after.mean():.2f}")
    1.01 0.91

    The model loses 0.1 nats a row because its logits are twice too large.
    """
    numbers = assign_folds(predictions.y_true, n_folds, seed) if folds is None else folds
    with single_threaded_blas():  # sums of a BLAS depend on the number of its threads
        return _gain(predictions, numbers)


def _gain(predictions: Predictions, numbers: IntArray) -> RepairGain:
    weight = predictions.weights
    logs = np.log(np.maximum(np.ascontiguousarray(predictions.y_prob.T), FLOOR))
    before = _label_losses(_identity(predictions), logs, predictions.y_true)
    candidates = _candidates(predictions, numbers)
    after, maps = np.empty(len(before)), []
    for fold in range(int(numbers.max()) + 1):
        own = numbers == fold
        losses, name = _best(candidates, fold + 1, logs, predictions, np.where(own, 0.0, weight))
        after[own] = losses[own]
        maps.append(name)
    fitted = _best(candidates, 0, logs, predictions, weight)[0]
    optimism = float(np.average(after - fitted, weights=weight))
    return RepairGain(before, after, max(optimism, 0.0), tuple(maps))


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A map fitted to all rows, then without each fold."""

    name: str
    maps: list[LogLinear]
    n_effective: float


def _identity(predictions: Predictions) -> LogLinear:
    return Identity().fit_predictions(predictions)


def _candidates(predictions: Predictions, folds: IntArray) -> list[_Candidate]:
    whole, others = fit_folds(Temperature(), predictions, folds)
    found = [_Candidate(Temperature().name, [whole, *others], 1.0)]
    if predictions.n_classes > _MOST_CLASSES:
        return found
    whole, others = fit_folds(VectorScaling(), predictions, folds)
    effective = VectorScaling().effective_parameters(whole, predictions)
    return [*found, _Candidate(VectorScaling().name, [whole, *others], effective)]


def _best(
    candidates: list[_Candidate],
    fit: int,
    logs: FloatArray,
    predictions: Predictions,
    weight: FloatArray,
) -> tuple[FloatArray, str]:
    """Return the losses of all rows under the simplest map that no other clearly beats."""
    size = float(weight.sum() ** 2 / (weight @ weight))
    best, *others = candidates
    losses = _label_losses(best.maps[fit], logs, predictions.y_true)
    for other in others:
        its = _label_losses(other.maps[fit], logs, predictions.y_true)
        mean, error = _mean_and_error(losses - its, weight)
        # Akaike: every parameter makes the loss of its own rows smaller by 1/n than that of others
        if mean - (other.n_effective - best.n_effective) / size > error:
            best, losses = other, its
    return losses, best.name


def _mean_and_error(values: FloatArray, weight: FloatArray) -> tuple[float, float]:
    total = float(weight.sum())
    mean = float(weight @ values) / total
    return mean, float(np.linalg.norm(weight * (values - mean))) / total


def _label_losses(fitted: LogLinear, logs: FloatArray, labels: IntArray) -> FloatArray:
    """Return −log of the label's repaired probability, from log-probabilities (m, n)."""
    logits = logs * fitted.slopes[..., None] + fitted.intercepts[:, None]
    own = logits[labels, np.arange(len(labels))]
    logits -= (top := logits.max(axis=0))
    return np.asarray(np.log(np.exp(logits, out=logits).sum(axis=0)) + top - own)
