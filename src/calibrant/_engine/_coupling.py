r"""How strongly the labels of a cluster depend on each other, estimated from the residuals.

Coupled label sets draw labels by a race: class c arrives after :math:`E_c / p_c` with standard
exponential :math:`E_c`, and the first class wins, so every label is exactly :math:`Cat(p)` (the
Gumbel trick). With probability λ a row uses the exponentials of its cluster, otherwise its own.
Two rows of a cluster then share their noise with probability :math:`\lambda^2`, which can be
estimated from the residuals:

.. math:: \hat\lambda^2 = \frac{\sum_{i<j} w_i w_j\, r_i \cdot r_j}
    {\sum_{i<j} w_i w_j (s_{ij} - p_i \cdot p_j)}, \qquad
    s_{ij} = \sum_c \Big(\sum_d \max\big(\tfrac{p_{id}}{p_{ic}}, \tfrac{p_{jd}}{p_{jc}}\big)
    \Big)^{-1}

over pairs in the same cluster.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from calibrant._execution import limits, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions

#: minimum number of clusters for estimating the dependence within them
FEWEST_CLUSTERS = 10
#: standard errors that are added to the estimate of λ²
STANDARD_ERRORS = 2.0
#: below this many standard deviations under independence, λ is treated as 0
WITHIN_NOISE = 0.5
#: most entries of the rows used to estimate λ
_SIZE = 1 << 22
#: most pairs of rows whose agreement is computed, and entries of a block of them
_PAIRS, _BLOCK = 1 << 18, 1 << 18


@dataclass(frozen=True)
class Coupling:
    """How the labels of clustered rows are drawn, with the reason.

    Parameters
    ----------
    n_clusters : int
        Number of clusters.
    largest : float
        Share of the rows in the largest cluster.
    estimate : float
        λ, the probability that a row uses the noise of its cluster; NaN if no cluster has two
        rows.
    error : float
        Standard error of λ² by the cluster jackknife.
    used : float
        The λ of the label sets: an upper value, or 0 for independent rows.
    design_effect : float
        Variance of the Brier direction between clusters over that of independent rows.
    reason : str
        The reason for `used`.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(3).sample(200, rng=0)
    >>> patients = [number // 4 for number in range(200)]
    >>> rows = cal.Predictions(y_true, y_prob, clusters=patients)
    >>> setting = cal.methods.Setting(np.random.default_rng(0))
    >>> coupling = setting.coupling_of(rows)
    >>> coupling.n_clusters
    50
    """

    n_clusters: int
    largest: float
    estimate: float
    error: float
    used: float
    design_effect: float
    reason: str


def estimate_coupling(predictions: Predictions) -> Coupling:
    """Estimate λ from the residuals of clustered rows; O(n·m + pairs·m log m).

    The agreement is computed for at most 2¹⁸ pairs of at most 100,000 rows, chosen only by their
    numbers.
    """
    if predictions.clusters is None:
        raise ValueError("a coupling needs clusters; got none.")
    sizes = np.unique(predictions.clusters, return_counts=True)[1]
    return coupling_of(cluster_sample(predictions), len(sizes), int(sizes.max()), int(sizes.sum()))


def coupling_of(rows: Predictions, n_clusters: int, largest: int, n_samples: int) -> Coupling:
    """Estimate λ from a sample of whole clusters of a larger data set."""
    share = largest / n_samples
    if largest < 2:
        reason = "every cluster has one row: rows are independent"
        return Coupling(n_clusters, share, math.nan, math.nan, 0.0, 1.0, reason)
    moments = _Moments.of(rows)
    if n_clusters < FEWEST_CLUSTERS:
        reason = f"fewer than {FEWEST_CLUSTERS} clusters: full dependence is assumed"
        return Coupling(n_clusters, share, math.nan, math.nan, 1.0, moments.design_effect, reason)
    if not moments.agreement.sum() > 0.0:
        reason = "the predictions leave the labels of a cluster nothing to agree on"
        return Coupling(n_clusters, share, math.nan, math.nan, 0.0, moments.design_effect, reason)
    square, error = moments.ratio(), moments.error()
    known = (n_clusters, share, math.sqrt(min(max(square, 0.0), 1.0)), error)
    if moments.products.sum() <= WITHIN_NOISE * math.sqrt(moments.variance):
        reason = "the labels of a cluster agree no more often than independent ones: λ is 0"
        return Coupling(*known, 0.0, moments.design_effect, reason)
    upper = math.sqrt(min(max(square + STANDARD_ERRORS * error, 0.0), 1.0))
    reason = "the labels of a cluster depend on each other: λ² plus two standard errors"
    return Coupling(*known, upper, moments.design_effect, reason)


def cluster_sample(predictions: Predictions) -> Predictions:
    """Return the rows of the clusters used to estimate λ, or all rows."""
    codes = predictions.clusters
    assert codes is not None
    most = sample_rows(predictions.n_classes)
    if len(codes) <= most:
        return predictions
    return predictions.take(codes <= sample_limit(codes, most))


def sample_rows(n_classes: int) -> int:
    """Return the largest number of rows used to estimate λ."""
    return max(1000, min(limits().coupling_rows, _SIZE // n_classes))


def sample_limit(codes: IntArray, most: int) -> int:
    """Return the largest code such that all clusters up to it have at most `most` rows in total.

    The first `FEWEST_CLUSTERS` are always kept.
    """
    found, counts = np.unique(codes, return_counts=True)
    kept = max(int(np.searchsorted(np.cumsum(counts), most, side="right")), FEWEST_CLUSTERS)
    return int(found[min(kept, len(found)) - 1])


@dataclass(frozen=True, eq=False)
class _Moments:
    """Sums over the pairs within every cluster, shape (G,), and over all clusters."""

    products: FloatArray  # Σ w w r·r
    agreement: FloatArray  # Σ w w (s − p·p)
    variance: float  # of the sum of the products, for independent rows
    design_effect: float

    @classmethod
    def of(cls, rows: Predictions) -> _Moments:
        index = rows.cluster_index
        assert index is not None
        n_clusters = int(index.max()) + 1
        p, weight = rows.distributions, rows.weights / rows.weights.max()
        r = -p
        r[np.arange(len(p)), rows.y_true] += 1.0
        r *= weight[:, None]
        sums = np.stack([np.bincount(index, column, n_clusters) for column in r.T], axis=1)
        own = np.bincount(index, np.einsum("ic,ic->i", r, r), n_clusters)
        products = 0.5 * (np.einsum("gc,gc->g", sums, sums) - own)
        agreement, variance = _pair_moments(p, weight, index, n_clusters)
        along = np.einsum("ic,ic->i", r, p)
        between = np.bincount(index, along, n_clusters)
        total = float(along @ along)
        effect = float(between @ between) / total if total > 0.0 else math.nan
        return cls(products, agreement, variance, effect)

    def ratio(self) -> float:
        """Return λ², not clipped."""
        return float(self.products.sum() / self.agreement.sum())

    def error(self) -> float:
        """Return the cluster jackknife standard error of λ²."""
        telling = self.agreement > 0.0
        left = self.agreement.sum() - self.agreement[telling]
        if np.count_nonzero(telling) < 2 or not np.all(left > 0.0):
            return 1.0
        without = (self.products.sum() - self.products[telling]) / left
        count = len(without)
        return float(np.sqrt((count - 1) / count * np.sum((without - without.mean()) ** 2)))


def _pair_moments(
    p: FloatArray, weight: FloatArray, index: IntArray, n_clusters: int
) -> tuple[FloatArray, float]:
    """Return Σ w w (s − p·p) of every cluster, and the variance of Σ w w r·r of all."""
    # shuffle the rows of a cluster, so that pairs at small lags represent all pairs
    shuffled = np.random.default_rng(0).permutation(len(p))
    order = shuffled[np.argsort(index[shuffled], kind="stable")]
    sizes = np.bincount(index, minlength=n_clusters)
    pairs = min(_PAIRS, _SIZE // p.shape[1])
    lags = max(1, min(int(sizes.max()) - 1, pairs // len(p)))
    agreement, spread, seen = np.zeros(n_clusters), np.zeros(n_clusters), np.zeros(n_clusters)
    for lag in range(1, lags + 1):
        first, second = order[:-lag], order[lag:]
        same = index[first] == index[second]
        first, second = first[same], second[same]
        for part in spans(len(first), max(1, _BLOCK // p.shape[1])):
            i, j = first[part], second[part]
            ww, g = weight[i] * weight[j], index[i]
            inner = np.einsum("ic,ic->i", p[i], p[j])
            agreement += np.bincount(g, ww * (shared_agreement(p[i], p[j]) - inner), n_clusters)
            spread += np.bincount(g, ww**2 * _covariance_products(p[i], p[j], inner), n_clusters)
            seen += np.bincount(g, ww, n_clusters)
    totals = np.bincount(index, weight, n_clusters) ** 2 - np.bincount(index, weight**2, n_clusters)
    scale = np.divide(0.5 * totals, seen, out=np.zeros(n_clusters), where=seen > 0.0)
    return np.maximum(scale * agreement, 0.0), float(np.sum(scale * spread))


def shared_agreement(p: FloatArray, q: FloatArray) -> FloatArray:
    r"""Return the probability that two rows with the same exponentials draw the same class.

    Parameters
    ----------
    p, q : array of shape (n_pairs, n_classes)
        Rows sum to 1.

    Notes
    -----
    With the classes ordered by q/p, :math:`\sum_d \max(p_d/p_c, q_d/q_c)` is
    :math:`\sum_{d \le c} p_d / p_c + \sum_{d > c} q_d / q_c`, so a pair costs O(m log m).

    Examples
    --------
    >>> import numpy as np
    >>> p, q = np.array([[0.7, 0.3]]), np.array([[0.4, 0.6]])
    >>> shared_agreement(p, q).round(12), shared_agreement(p, p).round(12)
    (array([0.7]), array([1.]))
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(p > 0.0, q / p, np.inf)
        order = np.argsort(ratio, axis=1, kind="stable")
        p, q = np.take_along_axis(p, order, 1), np.take_along_axis(q, order, 1)
        below = np.cumsum(p, axis=1)
        above = np.cumsum(q[:, ::-1], axis=1)[:, ::-1] - q
        share = 1.0 / (below / p + above / q)
    # a class with probability 0 in one row is never drawn by both
    return np.asarray(np.sum(np.where((p > 0.0) & (q > 0.0), share, 0.0), axis=1))


def _covariance_products(p: FloatArray, q: FloatArray, inner: FloatArray) -> FloatArray:
    """Return tr(Σ_p Σ_q) of every pair, Σ_p = diag(p) − p pᵀ."""
    mixed = np.einsum("ic,ic->i", p * q, p + q)
    return np.asarray(inner - mixed + inner**2)
