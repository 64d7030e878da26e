"""The work list: data sets of one number of classes and one α, a hundred at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

#: data sets that are computed, and saved, together
PER_BATCH = 100


@dataclass(frozen=True, order=True)
class Batch:
    """The data sets `start` … `stop` − 1 of predictions from Dirichlet(α, …, α)."""

    n_classes: int
    alpha: float
    start: int
    stop: int

    @property
    def name(self) -> str:
        """The name of its results."""
        return f"m{self.n_classes}-alpha{self.alpha:g}-{self.start:06d}-{self.stop:06d}"

    @property
    def work(self) -> float:
        """How long it takes, relative to others."""
        return (self.stop - self.start) * (self.n_classes + 60.0)

    def __len__(self) -> int:
        return self.stop - self.start

    def generator(self, seed: int, dataset: int, stream: int = 0) -> np.random.Generator:
        """Return the random numbers of one data set.

        They depend on the seed, the setting, the number of the data set and the stream, not on
        batches, threads or what was computed before.
        """
        alpha = int(np.float64(self.alpha).view(np.uint64))
        key = [seed, self.n_classes, alpha, dataset, stream]
        return np.random.default_rng(np.random.SeedSequence(key))


def work_list(classes: Iterable[int], alphas: Iterable[float], n_datasets: int) -> list[Batch]:
    """Return the batches of `n_datasets` data sets of every setting, the long ones first."""
    alphas = tuple(alphas)
    return [
        Batch(n_classes, alpha, start, min(start + PER_BATCH, n_datasets))
        for n_classes in sorted(classes, reverse=True)
        for alpha in alphas
        for start in range(0, n_datasets, PER_BATCH)
    ]
