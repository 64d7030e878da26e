"""Sign flips of whole clusters: a test without assumptions on the dependence within them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from calibrant._engine import (
    FEWEST_CLUSTERS,
    LOG_FLOOR,
    FourierFeatures,
    as_generator,
    direction_terms,
    floored_log,
    two_sided_tail,
)
from calibrant._execution import limits, single_threaded_blas, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.errors import DataError, Problem
from calibrant.estimators import SKCE, default_bandwidth
from calibrant.kernels import Laplacian
from calibrant.methods._base import (
    Evidence,
    Method,
    Setting,
    check_resamples,
    monte_carlo_error,
    monte_carlo_pvalue,
)
from calibrant.methods._combination import combine, harmonic_mean, pooled_tails

#: random frequencies that replace all pairs, above the size where Aggregated stops using them
_FREQUENCIES = 128
#: rows of a tile, and sign sets that are drawn together
_TILE, _SETS = 1024, 256


@dataclass(frozen=True)
class BetweenClusters(Method):
    r"""Test clustered rows by flipping the signs of whole clusters at random.

    Rows of a cluster may depend on each other in any way; clusters are independent. The statistics
    are sums over clusters, compared with the same sums after each cluster is given a random sign.

    Parameters
    ----------
    n_resamples : int, default 999
        B, the number of sign sets; the smallest possible p-value is 1/(1 + B).

    Notes
    -----
    With :math:`H_{gh} = \sum_{i \in g, j \in h} h_{ij}` the kernel statistic is
    :math:`\sum_{g \ne h} \varepsilon_g \varepsilon_h H_{gh}` (the data have signs 1), and the Brier
    and log-score directions are :math:`\sum_g \varepsilon_g s_g / \sqrt{\sum_g s_g^2}`. They are
    combined as in `Aggregated`, and ranked among the B sets of signs.

    Valid if the residual sums of a cluster are symmetric about 0, and otherwise approximately for
    many clusters. Residuals of rare events are not symmetric: with two classes and 20 clusters of
    5 rows it rejects 8 to 14 % of calibrated models at 5 %, with ten classes 6 to 7 %. The
    default test holds its level better; use this one to check that its answer does not rest on its
    model of the dependence.

    Cost: O(n²m + G²B) for G clusters up to 4,000 rows, O(n·m·F + G·m·F·B) with F = 128 random
    frequencies above.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.TemperatureModel(0.5, 4, temperature=3.0).sample(300, rng=0)
    >>> patients = np.arange(300) // 5
    >>> method = cal.methods.BetweenClusters()
    >>> cal.calibration_test(y_true, y_prob, clusters=patients, method=method, rng=0).pvalue < 0.05
    True
    """

    n_resamples: int = 999
    accepts: ClassVar[type[Any]] = SKCE
    fits: ClassVar[str] = "the default estimator SKCE()"
    remedy: ClassVar[str] = "Leave `estimator` out."
    own_statistic: ClassVar[bool] = True
    clusters: ClassVar[bool] = True
    soft_labels: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_resamples(self.n_resamples)

    def suits(self, estimator: SKCE) -> bool:
        """Accept the default only: the components are fixed."""
        return estimator == SKCE()

    def test(self, predictions: Predictions, estimator: SKCE, setting: Setting) -> Evidence:
        """Return the evidence against calibration."""
        index = _clusters(predictions)
        signs = _signs(setting.rng, int(index.max()) + 1, self.n_resamples)
        with single_threaded_blas():  # BLAS sums depend on the number of threads
            kernel = _kernel_statistics(predictions, index, signs)
            directions = _directions(predictions, index, signs)
        tails = {"kernel": harmonic_mean(pooled_tails(kernel[None]))}
        tails |= {name: two_sided_tail(z) for name, z in directions.items()}
        combined = combine(tails, {"kernel": 1.0, "brier": 1.0, "log": 1.0})
        pvalue = monte_carlo_pvalue(float(combined[0]), combined[1:])
        details = {
            "n_resamples": self.n_resamples,
            "monte_carlo_error": monte_carlo_error(pvalue, self.n_resamples),
            "clusters": {"n_clusters": int(index.max()) + 1, "null": "signs of whole clusters"},
            **{f"{name}_z": float(z[0]) for name, z in directions.items()},
        }
        return Evidence(float(combined[0]), pvalue, combined[1:], None, None, details)


def _clusters(predictions: Predictions) -> IntArray:
    index = predictions.cluster_index
    if index is None:
        raise DataError(
            Problem.CLUSTERS, "BetweenClusters needs clusters", remedy="pass `clusters=`"
        )
    count = int(index.max()) + 1
    if count < FEWEST_CLUSTERS:
        raise DataError(
            Problem.CLUSTERS,
            f"BetweenClusters needs at least {FEWEST_CLUSTERS} clusters",
            got=str(count),
            hint="there are too few ways to choose their signs",
            remedy="add clusters",
        )
    return index


def _signs(rng: np.random.Generator, n_clusters: int, n_resamples: int) -> FloatArray:
    """Return the sign sets, shape (B + 1, G); the first has only 1, for the data."""
    drawn = as_generator(rng).integers(0, 2, size=(n_resamples, n_clusters))
    return np.vstack([np.ones(n_clusters), 2.0 * drawn - 1.0])


def _kernel_statistics(rows: Predictions, index: IntArray, signs: FloatArray) -> FloatArray:
    """Return Σ_{g≠h} ε_g ε_h H_gh for every set of signs, shape (B + 1,)."""
    bandwidth = default_bandwidth(rows.y_prob)
    if rows.n_samples <= limits().full_rows:
        matrix = _cluster_pairs(rows, index, bandwidth)
        np.fill_diagonal(matrix, 0.0)
        return np.asarray(np.einsum("bg,bg->b", signs @ matrix, signs))
    features = FourierFeatures.draw(rows.n_classes, [bandwidth], _FREQUENCIES, 0)
    n_clusters = signs.shape[1]
    width = features.n_features
    statistics = np.zeros(len(signs))
    phi = features.transform(rows.y_prob)
    residuals = rows.weighted_residuals
    order = np.argsort(index, kind="stable")
    starts = np.searchsorted(index[order], np.arange(n_clusters))
    for column in residuals.T:  # one class at a time: (G, F)
        sums = np.add.reduceat((phi * column[:, None])[order], starts, axis=0)
        assert sums.shape == (n_clusters, width)
        own = float(np.sum(sums**2))
        for some in spans(len(signs), _SETS):
            statistics[some] += np.sum((signs[some] @ sums) ** 2, axis=1) - own
    return statistics


def _cluster_pairs(rows: Predictions, index: IntArray, bandwidth: float) -> FloatArray:
    """Return H_gh, shape (G, G), tile by tile."""
    kernel, order = Laplacian(bandwidth), np.argsort(index, kind="stable")
    x, r, index = rows.y_prob[order], rows.weighted_residuals[order], index[order]
    n_clusters = int(index.max()) + 1
    starts = np.searchsorted(index, np.arange(n_clusters))
    total = np.zeros((n_clusters, n_clusters))
    for some in spans(len(x), _TILE):
        tile = kernel.tile(x[some], x) * (r[some] @ r.T)
        columns = np.add.reduceat(tile, starts, axis=1)
        np.add.at(total, index[some], columns)
    return total


def _directions(rows: Predictions, index: IntArray, signs: FloatArray) -> dict[str, FloatArray]:
    """Return Σ ε_g s_g/√Σ s_g² for every set of signs, by direction; 0 without variance."""
    p, found = rows.distributions, {}
    for name, f in (("brier", p), ("log", floored_log(p, LOG_FLOOR))):
        scores, _ = direction_terms(p, f, rows.weights)
        own = scores[np.arange(len(p)), rows.y_true]
        sums = np.bincount(index, own)
        length = float(np.sqrt(sums @ sums))
        found[name] = signs @ sums / length if length > 0.0 else np.zeros(len(signs))
    return found
