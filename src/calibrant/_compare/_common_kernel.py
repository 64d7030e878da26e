"""One kernel for all models: errors under different kernels could not be subtracted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calibrant.kernels import Kernel, Laplacian, Median

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._predictions import Predictions
    from calibrant._typing import FloatArray

#: evenly spaced rows of each model that have a say in the bandwidth, and of all models together
MODEL_ROWS, ALL_ROWS = 2000, 8000


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
    # the rows were thinned out below: the rule need not do it again
    rule = Laplacian(Median(max_rows=None)) if kernel is None else kernel
    return rule.resolve(np.concatenate([_some(rows.y_prob, len(models)) for rows in models]))


def bandwidth_of(kernel: Kernel) -> float | None:
    """Return the bandwidth of a kernel that has exactly one."""
    bandwidth = getattr(kernel, "bandwidth", None)
    return bandwidth if isinstance(bandwidth, float) else None


def _some(y_prob: FloatArray, n_models: int) -> FloatArray:
    most = max(2, min(MODEL_ROWS, ALL_ROWS // n_models))
    if len(y_prob) <= most:
        return y_prob
    return y_prob[np.linspace(0, len(y_prob) - 1, most).astype(np.int64)]
