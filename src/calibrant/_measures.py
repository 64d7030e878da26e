"""All calibration errors and scores, in one list: what `measure` prints and a report explains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.binning import MedianVariance, Uniform
from calibrant.effects import Effect, Interval, NoiseFloor
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, Estimator
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterable

    from calibrant._executors import Progress
    from calibrant._predictions import Predictions
    from calibrant._resampling import LabelResampler

#: labels held in memory at once, one byte each
LABEL_BYTES = 1 << 26


@dataclass(frozen=True)
class Measure:
    """A calibration error with its name, its meaning, and what it looks at.

    Attributes
    ----------
    name : str
    error : Estimator
    meaning : str
        In words.
    of_top_label : bool
        Whether it is an error of the predicted label only.
    over_pairs : bool
        Whether it costs a pass over all pairs of rows.
    """

    name: str
    error: Estimator
    meaning: str
    of_top_label: bool = False
    over_pairs: bool = False

    def effect(
        self,
        predictions: Predictions,
        *,
        n_resamples: int = 0,
        resampler: LabelResampler | None = None,
        n_jobs: int | None = None,
    ) -> Effect:
        """Measure; with a resampler also what a calibrated model would show."""
        seen = predictions.top_label() if self.of_top_label else predictions
        estimate = self.error.estimate(seen, n_jobs=n_jobs)
        details = {}
        if resampler is not None and n_resamples:
            floor = noise_floor(self.error, seen, resampler, n_resamples, n_jobs)
            details = {"noise_floor": floor.to_dict(), "excess": floor.excess(estimate)}
        return Effect(self.name, estimate, Interval.unknown(), self.meaning, details=details)


def every_measure(bins: int = 10, bandwidth: float | None = None) -> tuple[Measure, ...]:
    """Return all calibration errors, those over all pairs of rows first."""
    kernel = Laplacian() if bandwidth is None else Laplacian(bandwidth)
    uniform = Uniform(bins)
    return (
        Measure(
            "skce",
            SKCE(kernel),
            "squared kernel calibration error, unbiased; may be negative",
            over_pairs=True,
        ),
        Measure(
            "skce_biased",
            SKCE(kernel, unbiased=False),
            "the same, at least 0",
            over_pairs=True,
        ),
        Measure(
            "kce",
            KCE(kernel),
            "kernel calibration error of whole distributions, at least 0: root of skce_biased",
            over_pairs=True,
        ),
        Measure("skce_linear", SKCE(kernel, block_size=2), "skce of consecutive pairs only"),
        Measure("mmce", MMCE(), "kernel calibration error of the predicted label"),
        TOP_ECE,
        Measure(
            "ece_joint",
            ECE(uniform),
            f"expected calibration error of all classes together, {bins} bins of every class",
        ),
        Measure(
            "ece_adaptive",
            ECE(MedianVariance(min_size=100)),
            "expected calibration error of all classes together, bins of at least 100 rows",
        ),
        Measure(
            "mce",
            MCE(uniform),
            f"largest error of a bin and class, {bins} bins of every class",
        ),
    )


#: the error that stands beside every test
TOP_ECE = Measure(
    "ece",
    ECE(Uniform(15)),
    "expected calibration error of the predicted label, 15 equal bins: biased upwards, "
    "compare it with its noise floor",
    of_top_label=True,
)


def measured(
    predictions: Predictions,
    measures: Iterable[Measure],
    *,
    n_resamples: int = 0,
    resampler: LabelResampler | None = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> list[Effect]:
    """Return the measures of some predictions, with their noise floors if labels are drawn."""
    chosen = list(measures)
    found = []
    for done, measure in enumerate(chosen, start=1):
        found.append(
            measure.effect(predictions, n_resamples=n_resamples, resampler=resampler, n_jobs=n_jobs)
        )
        if progress is not None:
            progress(done, len(chosen))
    return found


def noise_floor(
    error: Estimator,
    predictions: Predictions,
    resampler: LabelResampler,
    n_resamples: int,
    n_jobs: int | None = None,
) -> NoiseFloor:
    """Return what a calibrated model would show, from labels drawn from the predictions."""
    step = max(1, LABEL_BYTES // predictions.n_samples)
    parts = [range(n_resamples)[i : i + step] for i in range(0, n_resamples, step)]
    null = [
        error.over_labels(predictions, resampler.labels(predictions.y_prob, part), n_jobs=n_jobs)
        for part in parts
    ]
    return NoiseFloor.of(np.concatenate(null))
