"""Testing and describing rows that do not fit into memory, in a few passes over the files."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from calibrant._calibration_test._cluster_survey import ClusterSums
from calibrant._calibration_test._streamed_rows import STREAMED
from calibrant._calibration_test._survey import Survey
from calibrant._execution import Parallel, computation, run_shared
from calibrant._native import FloatArray
from calibrant._predictions import row_blocks_of
from calibrant.effects import (
    MEASURES,
    SKCE_MEANING,
    Effect,
    Likelihood,
    Spread,
    add_labels_at_floor,
    arrange,
    labels_at_floor,
    likelihood_scores,
    likelihood_sums,
    logit_floor,
    rows_that_weigh,
    score_interval,
    temperature_effect,
)
from calibrant.estimators import Estimator
from calibrant.io import PredictionScan
from calibrant.kernels import fixed_bandwidth
from calibrant.methods import Evidence, Method, Setting, segments_of
from calibrant.streaming import StreamingSKCE

#: rows that are processed together
_ROWS = 1 << 14
_ONE_PASS = "rows were streamed: an interval would need a second pass over the features"


class Streamed:
    """Rows in files, with the steps of `calibration_test`: a survey, then the method."""

    def __init__(self, scan: PredictionScan) -> None:
        self.scan = scan
        self.n_samples, self.n_classes = scan.n_samples, scan.n_classes
        self.remark = f"; rows are streamed from {len(scan.files)} files"
        self._survey: Survey | None = None
        self._measured: tuple[str, ...] = ()

    def check(self, method: Method) -> None:
        """Refuse a method that needs all rows in memory."""
        if not method.streams:
            raise ValueError(
                f"{type(method).__name__} needs all rows in memory; got rows that are streamed "
                "from files. Use `Aggregated()` or `AsymptoticBlock()`, estimate other errors with "
                "`calibrant.streaming`, or read all rows: `scan.read()`."
            )
        method.check_clusters(clustered=self.scan.clusters is not None)

    def computation(self, **settings: Any) -> dict[str, Any]:
        """Return a description of the computation that identifies its checkpoint records."""
        scan = self.scan
        return computation(
            files=scan.fingerprint(),  # the same files may have several names
            **scan.options.about_values(),
            columns=repr(scan.columns),
            **settings,
        )

    def test(self, method: Method, estimator: Estimator, setting: Setting) -> Evidence:
        """Run the method, with the bandwidth from the survey's sample of rows."""
        survey = self.survey(setting.parallel)
        survey.warn()
        fixed = estimator.resolve(survey.sample)
        if survey.clusters is not None:
            setting = replace(setting, coupling=survey.clusters.coupling)
        return method.stream(self.scan, fixed, setting, survey.pair_weight)

    def measure(
        self, estimator: Estimator, evidence: Evidence, setting: Setting, *, effects: bool
    ) -> tuple[float, dict[str, Effect]]:
        """Return the reported estimate, and the requested effects."""
        parallel = setting.parallel.quiet()
        survey, estimate = self.survey(parallel), evidence.estimate
        if estimate is None:
            kernel = getattr(estimator.resolve(survey.sample), "kernel", None)
            estimate = _feature_skce(self.scan, fixed_bandwidth(kernel), parallel)
        if not effects:
            return estimate, {}
        effects_of = (_skce(estimate, evidence), _temperature(self.scan, survey, parallel))
        further = {effect.name: effect for effect in effects_of} | survey.effects
        rows = survey.rows(self.scan, parallel)
        for one in MEASURES:
            effect = rows.measure(one) if one.name in STREAMED else None
            further |= {} if effect is None else {one.name: effect}
        self._measured = tuple(further)
        return estimate, arrange(further)

    def details(self, *, effects: bool) -> dict[str, Any]:
        """Return the details about the rows, for any method."""
        survey = self.survey(Parallel())
        details: dict[str, Any] = {"impossible_labels": survey.impossible}
        if effects:
            missing = [
                one.name
                for one in MEASURES
                if one.goes_with_test(self.scan) and one.name not in self._measured
            ]
            details |= {"missing_effects": missing} if missing else {}
        return details

    def survey(self, parallel: Parallel) -> Survey:
        """Return the survey of all rows, computed once."""
        if self._survey is None:
            self._survey = Survey.of(self.scan, parallel.quiet())
        return self._survey


def _temperature(scan: PredictionScan, survey: Survey, parallel: Parallel) -> Effect:
    """Return the temperature, with one pass over the rows for each step of Newton's method."""
    floor = logit_floor(survey.smallest, scan.n_classes)
    segments, at_floor = segments_of(scan), 0

    def at(beta: float) -> Likelihood:
        nonlocal at_floor
        data = (scan, floor, beta, survey.weight_scale)
        parts = run_shared(_likelihood_segment, data, segments, parallel)
        *sums, count = np.sum(list(parts), axis=0).tolist()
        at_floor = int(count)
        return Likelihood(*sums)

    def spread_at(beta: float) -> Spread:
        here = at(beta)
        data = (scan, floor, beta, survey.weight_scale)
        sums: ClusterSums | None = None
        for record in run_shared(_score_segment, data, segments, parallel):
            some = ClusterSums(record["codes"], record["sums"])
            sums = some if sums is None else sums.merge(some)
        assert sums is not None
        unit = beta * here.curvature
        return Spread.of(sums.sums[:, 0] / unit, here.expected / unit**2)

    spread = None if survey.clusters is None else spread_at
    effect = temperature_effect(at, 1.0, floor, survey.n_rows, 0.95, spread)
    return add_labels_at_floor(effect, at_floor)


def _likelihood_segment(
    data: tuple[PredictionScan, float, float, float], rows: range
) -> FloatArray:
    scan, floor, beta, scale = data
    sums = np.zeros(7)
    for part, _ in scan.parts(rows):
        if part.weights.any():
            sums[:6] += likelihood_sums(part, floor, beta, scale)
            sums[6] += labels_at_floor(rows_that_weigh(part), floor)
    return sums


def _score_segment(data: tuple[PredictionScan, float, float, float], rows: range) -> dict[str, Any]:
    """Return the scores of a temperature, summed by cluster."""
    scan, floor, beta, scale = data
    total: ClusterSums | None = None
    for part, _ in scan.parts(rows):
        assert part.clusters is not None
        scores = likelihood_scores(part, floor, beta, scale)
        here = ClusterSums.of(part.clusters, scores[:, None])
        total = here if total is None else total.merge(here)
    assert total is not None
    return {"codes": total.codes, "sums": total.sums}


def _feature_skce(scan: PredictionScan, bandwidth: float, parallel: Parallel) -> float:
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
        score_interval(estimate, error, math.nan).holding(estimate),
        SKCE_MEANING,
        error,
        _ONE_PASS if math.isnan(error) else "",
        {"center": estimate, "null_variance": math.nan},
    )
