"""The bandwidths of the kernel and class-wise families, and the effect of rounding on each."""

from __future__ import annotations

import numpy as np

from calibrant._engine import binned, scan, sizes
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import default_bandwidth
from calibrant.kernels import Laplacian

#: bandwidths of the kernel family, as fractions of the median distance
FRACTIONS = (1 / 16, 1 / 4, 1 / 2, 1.0)
#: bandwidths of the class-wise family, on the scale of a probability
WIDTHS = (0.05, 0.25, 1.0)
#: rows whose pairs are used
_PAIR_ROWS = 512
#: cells of a probability
_CELLS = 1000


def kernel_drifts(rows: Predictions, error: FloatArray) -> dict[float, float]:
    r"""Return how many deviations known errors (n, m) move the kernel family, by fraction.

    :math:`\sum_{i \ne j} k_{ij} \langle e_i, e_j\rangle` over the deviation
    :math:`(2\sum_{i \ne j} k_{ij}^2\, \mathrm{tr}\, \Sigma_i \Sigma_j)^{1/2}`. It grows in
    proportion to the number of rows, so 512 rows suffice. O(512² m).
    """
    some = sizes.evenly_spaced(rows.n_samples, _PAIR_ROWS)
    p, w, median = rows.distributions[some], rows.weights[some], default_bandwidth(rows.y_prob)
    moved = w[:, None] * error[some]
    product, mixed = p @ p.T, p @ (p**2).T
    spread = np.outer(w, w) ** 2 * (product - mixed - mixed.T + product**2)
    drifts = {}
    for fraction in FRACTIONS:
        k = Laplacian(fraction * median).tile(p, p)
        np.fill_diagonal(k, 0.0)
        drift, variance = float(np.sum(k * (moved @ moved.T))), float(np.sum(k**2 * spread))
        drifts[fraction] = _ratio(drift, variance) * rows.n_samples / len(some)
    return drifts


def classwise_drifts(p: FloatArray, weights: FloatArray, error: FloatArray) -> dict[float, float]:
    """Return how many deviations known errors move the class-wise family, by width.

    Assumes independent classes, which makes the deviation slightly smaller. O(n·m).

    Parameters
    ----------
    p, error : array of shape (n_samples, k)
        Probabilities of k classes, or of k other events, and their errors.
    weights : array of shape (n_samples,)
        Sample weights.
    """
    w = weights[:, None]
    cells = np.minimum(p * _CELLS, _CELLS - 1).astype(np.int64)
    moved, spread = (
        np.stack([binned(c, v, _CELLS) for c, v in zip(cells.T, values.T, strict=True)], axis=1)
        for values in (w * error, w**2 * p * (1.0 - p))
    )
    own = float(np.sum((w * error) ** 2))
    return {
        width: _ratio(_pairs(moved, 1.0 / width) - own, _pairs(spread, 2.0 / width))
        for width in WIDTHS
    }


def _pairs(values: FloatArray, rate: float) -> float:
    """Return Σ_c Σ_kl exp(−rate |x_k − x_l|) v_kc v_lc over the cells."""
    centers = (np.arange(_CELLS) + 0.5) / _CELLS
    return float(np.sum((2.0 * scan(centers, values, rate) + values) * values))


def _ratio(drift: float, half_variance: float) -> float:
    return drift / np.sqrt(2.0 * half_variance) if half_variance > 0.0 else 0.0
