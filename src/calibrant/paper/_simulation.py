"""Experiments on simulated data sets, in batches of a hundred with the same setting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from calibrant._execution import Progress, limits, still_wanted
from calibrant._native import FloatArray
from calibrant.models import DirichletModel
from calibrant.paper._grid import N_SAMPLES, Draw, Mixture, draw
from calibrant.paper._run import Part, run_parts


@dataclass(frozen=True, order=True)
class Batch:
    """The data sets `start` … `stop` − 1 of predictions from Dirichlet(α, …, α)."""

    n_classes: int
    alpha: float
    start: int
    stop: int

    @property
    def part(self) -> Part:
        """The batch as a part of an experiment."""
        name = f"m{self.n_classes}-alpha{self.alpha:g}-{self.start:06d}-{self.stop:06d}"
        return Part(name, len(self) * (self.n_classes + 60.0), self)

    def __len__(self) -> int:
        return self.stop - self.start

    def generator(self, seed: int, dataset: int, stream: int = 0) -> np.random.Generator:
        """Return the random generator of one data set.

        It depends on the seed, the setting, the number of the data set and the stream, not on
        batches, threads or previous computations.
        """
        alpha = int(np.float64(self.alpha).view(np.uint64))
        key = [seed, self.n_classes, alpha, dataset, stream]
        return np.random.default_rng(np.random.SeedSequence(key))


def work_list(classes: Iterable[int], alphas: Iterable[float], n_datasets: int) -> list[Batch]:
    """Return the batches of `n_datasets` data sets for every setting, the longest first."""
    alphas, size = tuple(alphas), limits().paper_batch
    return [
        Batch(n_classes, alpha, start, min(start + size, n_datasets))
        for n_classes in sorted(classes, reverse=True)
        for alpha in alphas
        for start in range(0, n_datasets, size)
    ]


@dataclass(frozen=True)
class Plan:
    """The plan of a simulation: settings, number of data sets, and seed."""

    classes: Sequence[int]
    alphas: Sequence[float]
    n_datasets: int
    seed: int
    resume: bool = False
    n_jobs: int | None = None


@dataclass(frozen=True)
class Simulation:
    """The computation for a data set, and the facts that its numbers depend on.

    `dataset` maps data, the theoretical mean distance of two predictions, and a random generator to
    a table of shape (mixtures, columns).
    """

    mixtures: tuple[Mixture, ...]
    dataset: Callable[[Draw, float, np.random.Generator], FloatArray]
    facts: Callable[[], dict[str, object]]

    def run(
        self, folder: Path, plan: Plan, progress: Progress | None = None
    ) -> dict[Batch, FloatArray]:
        """Return the results of all batches, computing those that are not yet in `folder`."""
        batches = work_list(plan.classes, plan.alphas, plan.n_datasets)
        facts = {
            "seed": plan.seed,
            "n_samples": N_SAMPLES,
            "mixtures": [[mixture.beta, mixture.pi] for mixture in self.mixtures],
            **self.facts(),
        }
        results = run_parts(
            lambda part: self.compute(part.content, plan.seed),
            [batch.part for batch in batches],
            folder,
            facts,
            resume=plan.resume,
            n_jobs=plan.n_jobs,
            progress=progress,
        )
        return dict(zip(batches, results, strict=True))

    def compute(self, batch: Batch, seed: int) -> FloatArray:
        """Return the tables of a batch, shape (data sets, mixtures, columns)."""
        mean_distance = DirichletModel(batch.alpha, batch.n_classes).mean_total_variation()
        tables = []
        for number in range(batch.start, batch.stop):
            still_wanted()
            rng = batch.generator(seed, number)
            data = draw(batch.n_classes, batch.alpha, self.mixtures, N_SAMPLES, rng)
            rng = batch.generator(seed, number, stream=1)
            tables.append(self.dataset(data, mean_distance, rng))
        return np.stack(tables)
