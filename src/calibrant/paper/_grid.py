"""The settings of the paper's simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from calibrant.models import DirichletModel

Beta = Literal["first", "uniform"]

#: rows of a data set, and data sets of a cell
N_SAMPLES = 250
N_DATASETS = 10_000

CLASSES = (2, 10, 100, 1000)
ALPHAS = (0.1, 1.0)
BETAS: tuple[Beta, ...] = ("first", "uniform")
PIS = (0.0, 0.25, 0.5, 0.75, 1.0)


class Key(NamedTuple):
    """What names a mean or a curve: the estimator or test, and the model; as published."""

    name: str
    alpha: float
    beta: Beta
    n_classes: int
    pi: float


@dataclass(frozen=True, order=True)
class Mixture:
    """How labels arise: with probability `pi` from β, else from the prediction."""

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
#: what the labels of the simulated errors follow
MIXTURES = tuple(Mixture(beta, pi) for beta in BETAS for pi in PIS)
