"""The settings of the paper's simulations, and data sets drawn from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from calibrant._engine import LabelResampler
from calibrant._native import FloatArray, IntArray
from calibrant.models import DirichletModel, sample_dirichlet

Beta = Literal["first", "uniform"]

#: rows of a data set, and number of data sets of a cell
N_SAMPLES = 250

CLASSES = (2, 10, 100, 1000)
BETAS: tuple[Beta, ...] = ("first", "uniform")
PIS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Key(NamedTuple):
    """The key of a mean or a curve: the estimator or test, and the model, as published."""

    name: str
    alpha: float
    beta: Beta
    n_classes: int
    pi: float


@dataclass(frozen=True, order=True)
class Mixture:
    """The distribution of labels: with probability `pi` β, else the prediction."""

    beta: Beta
    pi: float

    def model(self, n_classes: int, alpha: float) -> DirichletModel:
        """Return the generative model with Dirichlet(α, …, α) predictions."""
        return DirichletModel(alpha, n_classes, pi=self.pi, beta=self.beta)


#: the three models of the paper's main figures: β and π, with α = 0.1 and ten classes
MODELS: dict[str, tuple[Beta, float]] = {
    "M1": ("uniform", 0.0),
    "M2": ("first", 0.5),
    "M3": ("uniform", 1.0),
}
#: the mixtures of the simulated errors
MIXTURES = tuple(Mixture(beta, pi) for beta in BETAS for pi in PIS)


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

    A row has one label from its prediction, one from (1/m, …, 1/m) and one uniform number. Its
    label comes from β if this number is below π. All mixtures share the three numbers, so that they
    differ as little as possible; each mixture alone has the paper's distribution.
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
