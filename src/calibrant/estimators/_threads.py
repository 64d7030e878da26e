"""Many independent data sets, shared out over threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._pairs import count_jobs

if TYPE_CHECKING:
    from collections.abc import Callable

    from calibrant._typing import FloatArray


def in_slices(function: Callable[[slice], FloatArray], size: int, n_jobs: int | None) -> FloatArray:
    """Return the joined results of `function` on consecutive slices of range(size).

    The slices do not overlap, and each result depends on its slice only: the same bits come
    back for any number of threads.
    """
    n_slices = max(1, min(count_jobs(n_jobs), size))
    cuts = np.linspace(0, size, n_slices + 1).astype(int).tolist()
    slices = [slice(a, b) for a, b in pairwise(cuts)]
    if n_slices == 1:
        return function(slices[0])
    # A thread does not inherit the context, where the choice of the core is kept.
    tasks: list[Any] = [(copy_context().run, function, part) for part in slices]
    with ThreadPoolExecutor(n_slices) as pool:
        return np.concatenate([f.result() for f in [pool.submit(*task) for task in tasks]])
