"""An experiment on simulated data sets: batch after batch, into its folder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.paper._batches import work_list
from calibrant.paper._run import run_batches
from calibrant.paper._store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from calibrant._executors import Progress
    from calibrant._typing import FloatArray
    from calibrant.paper._batches import Batch
    from calibrant.paper._store import Store


@dataclass(frozen=True)
class Plan:
    """Which data sets are simulated, and how."""

    classes: Sequence[int]
    alphas: Sequence[float]
    n_datasets: int
    seed: int
    resume: bool = False
    n_jobs: int | None = None


@dataclass(frozen=True)
class Simulation:
    """What is computed of a batch with a seed, and what the numbers of that seed depend on."""

    compute: Callable[[Batch, int], Mapping[str, FloatArray]]
    facts: Callable[[int], dict[str, object]]

    def run(
        self, folder: Path, plan: Plan, progress: Progress | None = None
    ) -> tuple[Store, list[Batch]]:
        """Compute the results of all data sets into `folder`, or what of them is missing there."""
        store = open_store(folder, self.facts(plan.seed), resume=plan.resume)
        batches = work_list(plan.classes, plan.alphas, plan.n_datasets)

        def compute(batch: Batch) -> Mapping[str, FloatArray]:
            return self.compute(batch, plan.seed)

        run_batches(compute, batches, store, n_jobs=plan.n_jobs, progress=progress)
        return store, batches
