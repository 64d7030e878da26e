"""Testing and describing rows in memory."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from calibrant._calibration_test._rows_needed import PLANNED
from calibrant._calibration_test._shares import effects_seconds, estimate_seconds
from calibrant._engine import resampler_for
from calibrant._execution import Parallel, Stages, computation
from calibrant._predictions import Predictions, refuse_soft
from calibrant.effects import (
    MEASURES,
    Effect,
    TemperaturePower,
    arrange,
    detectable,
    estimate_interval,
    impossible_labels,
    measure_all,
    repeated_rows,
)
from calibrant.estimators import Estimator
from calibrant.methods import Evidence, Method, Setting

#: number of label sets for the noise floors of the effects
FLOOR_RESAMPLES = 199


@dataclass(frozen=True, eq=False)
class InMemory:
    """Predictions in memory, with the steps of `calibration_test`."""

    predictions: Predictions
    #: a remark on how the rows are read
    remark: str = ""

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return self.predictions.n_samples

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return self.predictions.n_classes

    def check(self, method: Method) -> None:
        """Refuse a method that cannot handle clusters or soft labels, if there are any."""
        rows = self.predictions
        if not method.soft_labels:
            refuse_soft(rows, type(method).__name__)
        method.check_clusters(clustered=rows.n_clusters < rows.n_samples)

    def computation(self, **settings: Any) -> dict[str, Any]:
        """Return a description of the computation that identifies its checkpoint records."""
        rows = self.predictions
        together = () if rows.clusters is None else (rows.clusters,)
        data = (rows.y_true, rows.y_prob, rows.sample_weight, *together)
        return computation(*data, ordered=rows.has_order, **settings)

    def test(self, method: Method, estimator: Estimator, setting: Setting) -> Evidence:
        """Run the method."""
        return method.test(self.predictions, estimator, setting)

    def measure(
        self, estimator: Estimator, evidence: Evidence, setting: Setting, *, effects: bool
    ) -> tuple[float, dict[str, Effect]]:
        """Return the reported estimate, and the requested effects."""
        rows, known = self.predictions, evidence.estimate
        n, m = rows.n_samples, rows.n_classes
        first = estimate_seconds(estimator, n, m, known=known is not None)
        shares = [first, effects * effects_seconds(n, m)]
        stages = Stages(setting.parallel.progress, shares)
        parallel = replace(setting.parallel, progress=stages.next())
        interval = None
        if effects or known is None:
            interval = estimate_interval(estimator, rows, parallel, known=known)
        if known is None:
            known = interval.estimate if interval else estimator.estimate(rows, parallel.quiet())
        if not effects:
            return known, {}
        given = {interval.name: interval} if interval else {}
        others = [one for one in MEASURES if one.goes_with_test(rows) and not one.over_pairs]
        found = measure_all(
            rows,
            others,
            Parallel(parallel.n_jobs),
            n_resamples=FLOOR_RESAMPLES,
            resampler=None if rows.soft else resampler_for(rows, setting.rng, stream=2),
            progress=stages.next(),
        )
        return known, arrange(given | {effect.name: effect for effect in found})

    def details(self, *, effects: bool) -> dict[str, Any]:
        """Return the details about the rows, for any method."""
        impossible = impossible_labels(self.predictions)
        details: dict[str, Any] = {"impossible_labels": impossible.count}
        repeated = repeated_rows(self.predictions)
        if repeated:
            details["repeated_rows"] = repeated
        if impossible.count:
            details["impossible_rows"] = impossible.rows
        if effects:
            rows = TemperaturePower.of(self.predictions)
            seen = detectable(rows)
            details["detectable_temperature"] = seen.to_dict()
            planned = rows.rows_needed(PLANNED, seen.alpha, seen.power)
            independent = self.predictions.clusters is None  # clusters carry less information
            if independent and self.n_samples < planned < math.inf:
                details["rows_for_temperature"] = {
                    "temperature": PLANNED,
                    "n_samples": math.ceil(planned),
                }
        return details
