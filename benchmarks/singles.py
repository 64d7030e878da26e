"""Published tests on label sets, one statistic each: what the default test is compared with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from calibrant import Predictions
    from calibrant._engine import LabelSets
    from calibrant._native import FloatArray
    from calibrant.methods import Families

#: numbers of bins of the multi-scale error
SCALES = (2, 4, 8, 16, 32, 64)
#: bandwidths among which the smooth error looks for its fixed point, and cells of the confidence
SMOOTH = (0.01, 0.02, 0.03, 0.045, 0.06, 0.08, 0.1, 0.13, 0.16, 0.2, 0.25, 0.3, 0.4)
CELLS = 200


def published_statistics(
    predictions: Predictions, label_sets: LabelSets, families: Families
) -> dict[str, FloatArray]:
    """Return the statistics (R,) of label sets without weights, large values against calibration.

    Tests of a confidence are applied to the predicted class, of two classes also to the positive
    one.
    """
    p = predictions.y_prob
    labels = np.asarray(label_sets.codes)[:, : len(label_sets)].T
    top = p.argmax(axis=1)
    found = {
        "Spiegelhalter": np.abs(families.directions["brier"]),
        "log score": np.abs(families.directions["log"]),
        "SKCE": families.kernel[-1],
        "vector scaling": families.scaling[0],
        **_of_totals(p, labels),
        **_of_classes(p, labels),
        **_of_event(p[np.arange(len(p)), top], labels == top),
    }
    if p.shape[1] == 2:
        positive = _of_event(p[:, 1], labels == 1)
        found |= {f"{name}, positive class": value for name, value in positive.items()}
    return found


def _of_totals(p: FloatArray, labels: np.ndarray) -> dict[str, FloatArray]:
    m = p.shape[1]
    totals = np.stack([np.bincount(y, minlength=m) for y in labels]) - p.sum(axis=0)
    covariance = np.diag(p.sum(axis=0)) - p.T @ p
    inverse = np.linalg.pinv(covariance, rcond=1e-8, hermitian=True)
    sd = np.sqrt(np.maximum(np.diag(covariance), 1e-12))
    return {
        "class bias": np.einsum("ra,ab,rb->r", totals, inverse, totals),
        "largest class bias": np.abs(totals / sd).max(axis=1),
    }


def _of_classes(p: FloatArray, labels: np.ndarray) -> dict[str, FloatArray]:
    """Kuiper's statistic of every class, in rows and in deviations of the class total."""
    ranges, sd = [], np.maximum(np.sqrt(np.sum(p * (1.0 - p), axis=0)), 1e-6)
    for c, q in enumerate(p.T):
        order = np.argsort(q, kind="stable")
        ranges.append(_range(np.cumsum((labels[:, order] == c) - q[order], axis=1)))
    kuiper = np.array(ranges)
    return {
        "largest class-wise Kuiper": kuiper.max(axis=0),
        "largest class-wise Kuiper in deviations": (kuiper / sd[:, None]).max(axis=0),
        "mean class-wise Kuiper": kuiper.mean(axis=0),
    }


def _range(sums: FloatArray) -> FloatArray:
    return np.asarray(np.maximum(sums.max(axis=1), 0.0) - np.minimum(sums.min(axis=1), 0.0))


def _of_event(confidence: FloatArray, hits: np.ndarray) -> dict[str, FloatArray]:
    order = np.argsort(confidence, kind="stable")
    q = confidence[order]
    residuals = hits[:, order] - q
    sums = np.pad(np.cumsum(residuals, axis=1), ((0, 0), (1, 0)))
    return {
        "Kuiper": _range(sums),
        "Hosmer–Lemeshow": _hosmer_lemeshow(q, sums),
        "ECE": np.abs(_bins(q, sums, 10)[0]).sum(axis=1),
        "multi-scale ECE": _multi_scale(q, sums, residuals),
        "Cox": _cox(q, residuals),
        "SmoothECE": _smooth(q, sums),
    }


def _bins(q: FloatArray, sums: FloatArray, count: int) -> tuple[FloatArray, np.ndarray]:
    """Return the sums of residuals in bins of equal width, and the rows of every bin."""
    starts = np.searchsorted(np.minimum((q * count).astype(int), count - 1), np.arange(count + 1))
    return sums[:, starts[1:]] - sums[:, starts[:-1]], np.diff(starts)


def _hosmer_lemeshow(q: FloatArray, sums: FloatArray) -> FloatArray:
    edges = np.linspace(0, len(q), 11).astype(int)
    variance = np.add.reduceat(q * (1.0 - q), edges[:-1])
    deviations = sums[:, edges[1:]] - sums[:, edges[:-1]]
    return np.asarray(np.sum(deviations**2 / np.maximum(variance, 1e-9), axis=1))


def _multi_scale(q: FloatArray, sums: FloatArray, residuals: FloatArray) -> FloatArray:
    squares = np.pad(np.cumsum(residuals**2, axis=1), ((0, 0), (1, 0)))
    found = []
    for count in SCALES:
        (deviations, rows), (noise, _) = _bins(q, sums, count), _bins(q, squares, count)
        error = np.sum((deviations**2 - noise) / np.maximum(rows, 1), axis=1)
        found.append((error - error.mean()) / (error.std() + 1e-12))
    return np.asarray(np.max(found, axis=0))


def _cox(q: FloatArray, residuals: FloatArray) -> FloatArray:
    logit = np.log(np.clip(q, 1e-6, 1.0) / np.clip(1.0 - q, 1e-6, 1.0))
    design = np.stack([np.ones(len(q)), logit])
    information = (design * q * (1.0 - q)) @ design.T + 1e-9 * np.eye(2)
    scores = residuals @ design.T
    return np.asarray(np.einsum("ra,ab,rb->r", scores, np.linalg.inv(information), scores))


def _smooth(q: FloatArray, sums: FloatArray) -> FloatArray:
    deviations = _bins(q, sums, CELLS)[0] / len(q)
    x = (np.arange(CELLS) + 0.5) / CELLS
    errors = []
    for width in SMOOTH:
        images = (x, -x, 2.0 - x)
        kernel = sum(np.exp(-0.5 * ((x[:, None] - y) / width) ** 2) for y in images)
        errors.append(np.abs(deviations @ (kernel / kernel.sum(axis=0)).T).sum(axis=1))
    reached = np.array(errors) <= np.array(SMOOTH)[:, None]
    first = np.where(reached.any(axis=0), reached.argmax(axis=0), len(SMOOTH) - 1)
    return np.asarray(np.array(errors)[first, np.arange(len(first))])
