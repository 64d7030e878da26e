"""Data that tests share, read-only, so that no test can disturb another."""

from typing import NamedTuple

import numpy as np


class Sample(NamedTuple):
    """Labels, predictions and weights; read-only, so that no test can disturb another."""

    y: np.ndarray
    P: np.ndarray
    w: np.ndarray


def make_sample(seed, n, m, alpha=0.7):
    rng = np.random.default_rng(seed)
    sample = Sample(rng.integers(m, size=n), rng.dirichlet(np.full(m, alpha), n), rng.random(n))
    for array in sample:
        array.flags.writeable = False
    return sample
