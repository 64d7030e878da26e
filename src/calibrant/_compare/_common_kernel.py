"""One kernel for all models: errors under different kernels could not be subtracted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from calibrant._engine import sizes
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import SKCE
from calibrant.kernels import Kernel, Laplacian, Median


def common_kernel(models: Sequence[Predictions], kernel: Kernel | None) -> Kernel:
    """Return the kernel with the bandwidth of the stacked predictions of all models.

    By default a Laplacian of their median total variation distance. Cost O(N²m) for N stacked
    rows: up to 2 000 of each model, 8 000 in all.
    """
    if kernel is not None and not isinstance(kernel, Kernel):
        raise TypeError(
            "`kernel` must be a calibrant kernel, e.g. `kernels.Laplacian(0.2)`, or None; got "
            f"{kernel!r}."
        )
    rule = _of_all_rows(SKCE().kernel) if kernel is None else kernel
    return rule.resolve(np.concatenate([_some(rows.y_prob, len(models)) for rows in models]))


def _of_all_rows(kernel: Kernel) -> Kernel:
    # the rows were thinned out already: the rule need not do it again
    assert isinstance(kernel, Laplacian)
    assert isinstance(kernel.bandwidth, Median)
    return replace(kernel, bandwidth=replace(kernel.bandwidth, max_rows=None))


def _some(y_prob: FloatArray, n_models: int) -> FloatArray:
    most = max(2, min(sizes.BANDWIDTH_ROWS, sizes.ALL_BANDWIDTH_ROWS // n_models))
    return y_prob[sizes.evenly_spaced(len(y_prob), most)]
