"""The mean embedding test: a χ² statistic from the witness at chosen locations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np

from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import UCME
from calibrant.methods._base import Evidence, Method, Setting

#: directions with less than this fraction of the largest variance are dropped
TOLERANCE = 1e-10


@dataclass(frozen=True)
class CME(Method):
    r"""Test whether the witness is zero at all J locations of a UCME, using its χ² limit.

    Cost O(nJm + nJ²), linear in n. Its level is right only for very large samples: with three
    classes, predictions uniform on the simplex and random locations, a 5 % test rejected .43
    (n = 50, J = 10), .16 (n = 50, J = 3) and .12 (n = 250, J = 10) of calibrated models.
    Hotelling's F, in the details, corrects a small part of this; `Exact` with the same `UCME`
    holds its level.

    Notes
    -----
    With the terms :math:`z_i \in R^J` of the witness, their mean and their sample covariance S,
    the statistic is :math:`n\,\bar z^\top S^{-1} \bar z`, compared with χ² with J degrees of
    freedom. Directions whose variance is below 1e-10 of the largest (duplicate locations) are
    dropped, and so are their degrees of freedom. Sample weights, divided by their mean, multiply
    the terms.

    The locations must not depend on the labels, and should be drawn at random if the test is to
    detect every kind of miscalibration; there is no good default. Locations far from all
    predictions detect nothing.

    References
    ----------
    Chwialkowski, Ramdas, Sejdinovic, Gretton, "Fast two-sample testing with analytic
    representations of probability measures", NeurIPS 2015.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> from calibrant.methods import CME, Setting
    >>> rng = np.random.default_rng(0)
    >>> coin = cal.Predictions(rng.integers(2, size=500), rng.random(500))
    >>> ucme = cal.UCME(cal.kernels.Gaussian(0.3), [([0.9, 0.1], 0), ([0.1, 0.9], 0)])
    >>> evidence = CME().test(coin, ucme, Setting(rng))
    >>> evidence.pvalue < 1e-6  # evidence against calibration
    True
    """

    accepts: ClassVar[type[Any]] = UCME
    fits: ClassVar[str] = "UCME"
    remedy: ClassVar[str] = "Pass `UCME(kernel, locations)`."

    def default_estimator(self) -> NoReturn:
        """Refuse to choose locations, because they determine what the test can detect."""
        raise ValueError(
            "CME needs an estimator with test locations; got none. Pass `estimator=UCME(kernel, "
            "[(point, class), ...])`, a few points of the simplex near your predictions, chosen "
            "without the labels, e.g. `kernels.Gaussian(0.3)` and 10 held-out predictions."
        )

    def test(self, predictions: Predictions, estimator: UCME, setting: Setting) -> Evidence:
        """Return the evidence; the details contain the degrees of freedom and Hotelling's p."""
        from scipy.special import chdtrc, fdtrc

        n, n_locations = predictions.n_samples, len(estimator.locations)
        predictions.require_rows(n_locations + 1, f"CME with {n_locations} locations")
        weights = predictions.weights
        terms = estimator.deviations(predictions) * (weights / weights.mean())[:, None]
        mean = terms.mean(axis=0)
        statistic, rank = _quadratic_form(mean, terms)
        f = statistic * (n - rank) / ((n - 1) * rank) if rank else 0.0
        details = {
            "n_locations": n_locations,
            "degrees_of_freedom": rank,
            "hotelling_pvalue": float(fdtrc(rank, n - rank, f)) if rank else 1.0,
            "mean_deviations": mean.tolist(),
        }
        pvalue = float(chdtrc(rank, statistic)) if rank else 1.0
        return Evidence(statistic, pvalue, estimate=float(np.mean(mean**2)), details=details)


def _quadratic_form(mean: FloatArray, terms: FloatArray) -> tuple[float, int]:
    # n·z̄ᵀS⁻¹z̄ on the directions with variance, and their number
    covariance = np.atleast_2d(np.cov(terms, rowvar=False, ddof=1))
    variances, directions = np.linalg.eigh(covariance)
    # the variance of a constant column is of the size of its rounding
    rounding = np.finfo(float).eps ** 2 * len(terms) * float(np.max(terms**2, initial=0.0))
    keep = variances > max(TOLERANCE * float(variances[-1]), rounding)
    if not keep.any():
        if np.max(np.abs(mean)) > 0.0:
            raise ValueError(
                "the deviations have no variance at any location, so the χ² limit says nothing; "
                f"their means are {mean.tolist()}. Use other locations, or `Exact()`."
            )
        return 0.0, 0
    scores = directions[:, keep].T @ mean
    return float(len(terms) * np.sum(scores**2 / variances[keep])), int(np.count_nonzero(keep))
