"""Data sets of the paper's models that share their predictions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._native import FloatArray, IntArray
from calibrant.models import sample_dirichlet
from calibrant.paper._grid import Mixture


@dataclass(frozen=True, eq=False)
class Draw:
    """Predictions (n, m) and, for every mixture, labels: (n_mixtures, n)."""

    y_prob: FloatArray
    labels: IntArray


def draw(
    n_classes: int,
    alpha: float,
    mixtures: Sequence[Mixture],
    n_samples: int,
    rng: np.random.Generator,
) -> Draw:
    """Draw predictions from Dirichlet(α, …, α), and labels for every mixture.

    A row has one label from its prediction, one from (1/m, …, 1/m) and one uniform number; it
    takes a label from β where that number is below π. Mixtures share all three, so that they
    differ by as little as they can; each of them alone is what the paper draws.
    """
    y_prob = sample_dirichlet(np.full(n_classes, alpha), n_samples, rng)
    predicted = LabelResampler.from_rng(rng).labels(y_prob, range(1))[0].astype(np.int64)
    others = {
        "first": np.zeros(n_samples, np.int64),
        "uniform": rng.integers(n_classes, size=n_samples),
    }
    chance = rng.random(n_samples)
    labels = [np.where(chance < mix.pi, others[mix.beta], predicted) for mix in mixtures]
    return Draw(y_prob, np.stack(labels))
