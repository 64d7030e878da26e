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


def make_label_sets(m, count, n, seed=0):
    """Return probabilities (n, m), weights (n,) and label sets (count, n)."""
    rng = np.random.default_rng(seed)
    # with 300 classes few labels would agree: most rows take one of four
    labels = rng.integers(m, size=(count, n))
    few = rng.random((count, n)) < 0.8
    labels[few] = (m - 1 - rng.integers(min(m, 4), size=(count, n)))[few]
    return rng.dirichlet(np.full(m, 0.5), n), rng.random(n) + 0.1, labels
