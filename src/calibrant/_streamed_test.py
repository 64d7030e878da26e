"""A calibration test of rows that do not fit into memory: a few passes over the files."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._bundles import run_shared
from calibrant._checkpoint import computation
from calibrant._predictions._blocks import row_blocks_of
from calibrant._predictions._probabilities import RowSumWarning, levels_to_the_user
from calibrant._result import CalibrationTestResult
from calibrant.binning import Uniform
from calibrant.effects import Effect, Interval, NoiseFloor
from calibrant.effects._rows import counted
from calibrant.effects._temperature import (
    Likelihood,
    labels_at_floor,
    likelihood_sums,
    logit_floor,
    smallest_probability,
    temperature_effect,
)
from calibrant.estimators import ECE, SKCE
from calibrant.methods import Setting
from calibrant.methods._linear_families import segments_of
from calibrant.streaming import StreamingECE, StreamingScores, StreamingSKCE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._executors import Parallel
    from calibrant._typing import FloatArray, IntArray
    from calibrant.io import PredictionScan
    from calibrant.methods import Evidence, Method

#: rows from which bandwidths are taken, evenly spaced, as the rules of the kernels do
_SAMPLE = 2000
#: rows that are looked at together
_ROWS = 1 << 14
_ONE_PASS = "rows were streamed: an interval would need a second pass over the features"
_NO_FLOOR = "rows were streamed: no noise floor"


def streamed_test(
    scan: PredictionScan,
    estimator: SKCE,
    method: Method,
    rng: np.random.Generator,
    parallel: Parallel,
    *,
    effects: bool,
    reason: str,
) -> CalibrationTestResult:
    """Return the result for files: one pass to survey them, then those of the method."""
    survey = _survey(scan, replace(parallel, progress=None))
    survey.warn()
    fixed = replace(estimator, kernel=estimator.kernel.resolve(survey.sample))
    evidence = method.stream(scan, fixed, Setting(rng, parallel), survey.n_pairs)
    estimate = evidence.estimate
    if estimate is None:
        estimate = _feature_skce(scan, fixed, replace(parallel, progress=None))
    null = evidence.null_estimates
    details = {
        **evidence.details,
        "choice": f"{reason}; rows are streamed from {len(scan.files)} files",
        "impossible_labels": survey.impossible,
    }
    return CalibrationTestResult(
        estimate=estimate,
        statistic=evidence.statistic,
        pvalue=evidence.pvalue,
        method=method,
        estimator=estimator,
        n_samples=scan.n_samples,
        n_classes=scan.n_classes,
        null_distribution=evidence.null_distribution,
        noise_floor=None if null is None else NoiseFloor.of(null),
        effects=_effects(scan, survey, estimate, evidence, parallel) if effects else {},
        details=details,
    )


def streamed_computation(scan: PredictionScan, **settings: Any) -> dict[str, Any]:
    """Describe what the records of a checkpoint belong to."""
    return computation(files=scan.fingerprint(), columns=repr(scan.columns), **settings)


@dataclass(frozen=True, eq=False)
class _Survey:
    """What one pass over all rows tells."""

    n_pairs: float
    sample: FloatArray
    divided: int
    worst: float
    impossible: int
    weight_scale: float  # Kish's effective number of rows, over the sum of the weights
    smallest: float  # positive probability
    effects: Mapping[str, Effect]

    def warn(self) -> None:
        if self.divided:
            warnings.warn(
                f"y_prob must have rows that sum to 1; rows in {self.divided} parts were divided "
                f"by their sums, off by at most {self.worst:.2g}. Pass normalize=True to do so "
                "without a warning",
                RowSumWarning,
                stacklevel=levels_to_the_user(),
            )


def _survey(scan: PredictionScan, parallel: Parallel) -> _Survey:
    n = scan.n_samples
    if n < 2:
        raise ValueError(f"a calibration test needs at least 2 rows; got {n}. Add others.")
    numbers = np.arange(n) if n <= _SAMPLE else np.linspace(0, n - 1, _SAMPLE).astype(np.int64)
    scores, ece = StreamingScores(), StreamingECE(ECE(Uniform(15)))
    samples, off, smallest = [], np.zeros(2), 1.0
    for record in run_shared(_survey_segment, (scan, numbers), segments_of(scan), parallel):
        scores.add_sums(record["scores"])
        ece.add_table(record["ece"], n)
        samples.append(record["sample"])
        smallest = min(smallest, float(record["smallest"]))
        off = np.array([off[0] + record["off"][0], max(off[1], record["off"][1])])
    count, total, squares = scores.weights
    if count < 2:
        raise ValueError(
            "a calibration test needs at least 2 rows with positive weight; got fewer. Drop rows "
            "without weight and add others."
        )
    found = scores.result()
    effects = {
        "ece": Effect(
            "ece",
            ece.result(),
            Interval.unknown(),
            "expected calibration error of the predicted label, 15 equal bins: biased upwards",
            note=_NO_FLOOR,
        ),
        "accuracy": found.accuracy,
        "brier": found.brier,
        "log_loss": found.log_loss,
    }
    sample, impossible = np.concatenate(samples), int(scores.impossible)
    return _Survey(
        n_pairs=total**2 - squares,
        sample=sample,
        divided=int(off[0]),
        worst=float(off[1]),
        impossible=impossible,
        weight_scale=total / squares,
        smallest=smallest,
        effects=effects,
    )


def _survey_segment(data: tuple[PredictionScan, IntArray], rows: range) -> dict[str, Any]:
    scan, numbers = data
    scores, ece = StreamingScores(), StreamingECE(ECE(Uniform(15)))
    sample, off, at = [np.empty((0, scan.n_classes))], np.zeros(2), rows.start
    smallest = 1.0
    for part, worst in scan.parts(rows):
        scores.update(part)
        ece.update(part.top_label())
        inside = numbers[(numbers >= at) & (numbers < at + len(part))] - at
        sample.append(part.y_prob[inside])
        off = np.array([off[0] + (worst > 0.0), max(off[1], worst)])
        if part.weights.any():
            smallest = min(smallest, smallest_probability(counted(part)))
        at += len(part)
    return {
        "scores": scores.sums(),
        "ece": ece.table(),
        "sample": np.concatenate(sample),
        "off": off,
        "smallest": smallest,
    }


def _effects(
    scan: PredictionScan, survey: _Survey, skce: float, evidence: Evidence, parallel: Parallel
) -> dict[str, Effect]:
    return {
        "skce": _skce(skce, evidence),
        "temperature": _temperature(scan, survey, parallel),
        **survey.effects,
    }


def _temperature(scan: PredictionScan, survey: _Survey, parallel: Parallel) -> Effect:
    """One pass over the rows for every temperature that Newton's method asks for."""
    floor = logit_floor(survey.smallest, scan.n_classes)
    quiet, segments, at_floor = replace(parallel, progress=None), segments_of(scan), 0

    def at(beta: float) -> Likelihood:
        nonlocal at_floor
        parts = run_shared(_likelihood_segment, (scan, floor, beta), segments, quiet)
        value, slope, curvature, count = np.sum(list(parts), axis=0).tolist()
        at_floor = int(count)
        scale = survey.weight_scale
        return Likelihood(scale * value, scale * slope, scale * curvature)

    found = temperature_effect(at, 1.0, floor, 0, 0.95)
    details = {**found.details, "labels_at_floor": at_floor} if found.details else found.details
    return replace(found, details=details)


def _likelihood_segment(data: tuple[PredictionScan, float, float], rows: range) -> FloatArray:
    scan, floor, beta = data
    sums = np.zeros(4)
    for part, _ in scan.parts(rows):
        if part.weights.any():
            sums[:3] += likelihood_sums(part, floor, beta)
            sums[3] += labels_at_floor(counted(part), floor)
    return sums


def _feature_skce(scan: PredictionScan, skce: SKCE, parallel: Parallel) -> float:
    bandwidth = float(skce.kernel.bandwidth)  # type: ignore[attr-defined]
    total = StreamingSKCE(bandwidth)
    for sums in run_shared(_feature_segment, (scan, bandwidth), segments_of(scan), parallel):
        total.add_sums(sums)
    return total.result()


def _feature_segment(data: tuple[PredictionScan, float], rows: range) -> dict[str, Any]:
    scan, bandwidth = data
    state = StreamingSKCE(bandwidth)
    for _, block in row_blocks_of(scan, rows, _ROWS):
        state.update(block)
    return state.sums()


def _skce(estimate: float, evidence: Evidence) -> Effect:
    error = float(evidence.details.get("standard_error", math.nan))
    return Effect(
        "skce",
        estimate,
        Interval.normal(estimate, error).clip(low=0.0),
        "squared kernel calibration error: 0 for a calibrated model, larger is worse",
        error,
        _ONE_PASS if math.isnan(error) else "",
        {"centre": estimate},
    )
