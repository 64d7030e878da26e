"""The five estimators of the paper, by the names of the published tables."""

from __future__ import annotations

from calibrant.binning import MedianVariance, Uniform
from calibrant.estimators import ECE, SKCE, Estimator
from calibrant.kernels import Laplacian


def paper_estimators(bandwidth: float, min_size: int) -> dict[str, Estimator]:
    """Return the estimators, with so many rows in a data-dependent bin at least.

    Examples
    --------
    >>> list(paper_estimators(0.5, 5))
    ['ECE_uniform', 'ECE_dynamic', 'SKCEb_median', 'SKCEuq_median', 'SKCEul_median']
    """
    kernel = Laplacian(bandwidth)
    return {
        "ECE_uniform": ECE(Uniform(10)),
        "ECE_dynamic": ECE(MedianVariance(min_size)),
        "SKCEb_median": SKCE(kernel, unbiased=False),
        "SKCEuq_median": SKCE(kernel),
        "SKCEul_median": SKCE(kernel, block_size=2),
    }
