"""Test data for the checks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calibrant._native import FloatArray, IntArray

REPEATED = "three predictions, repeated"


class Data(NamedTuple):
    """Labels (n,) and predictions (n, m), with a description of what is special about them."""

    name: str
    y_true: IntArray
    y_prob: FloatArray


def ordinary(rng: np.random.Generator, n_classes: int, n_samples: int = 60) -> Data:
    """Return random labels and predictions without equal rows."""
    y_prob = rng.dirichlet(np.full(n_classes, 0.7), n_samples)
    return Data("random predictions", rng.integers(n_classes, size=n_samples), y_prob)


def extreme(rng: np.random.Generator, n_classes: int, n_samples: int = 60) -> list[Data]:
    """Return valid data sets that make careless code divide by 0."""
    labels = rng.integers(n_classes, size=n_samples)
    corners = np.eye(n_classes)
    uniform = np.full((n_samples, n_classes), 1.0 / n_classes)
    few = rng.dirichlet(np.ones(n_classes), 3)[rng.integers(3, size=n_samples)]
    tiny = np.full((n_samples, n_classes), 1e-300)
    tiny[:, 0] = 1.0
    return [
        Data("sure and right predictions", labels, corners[labels]),
        Data("sure and wrong predictions", labels, corners[(labels + 1) % n_classes]),
        Data("uniform predictions", labels, uniform),
        Data(REPEATED, labels, few),
        Data("labels of one class only", np.zeros_like(labels), uniform),
        Data("probabilities of 1e-300", labels, tiny),
    ]
