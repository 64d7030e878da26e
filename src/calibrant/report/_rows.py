"""The rows of a model: all rows for the test, and those in memory for everything else."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass, replace

import numpy as np

from calibrant._calibration_test import PLANNED, CalibrationTestResult
from calibrant._engine import sizes
from calibrant._execution import Parallel, limits, run_shared
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions, class_rates, class_sums, join, rates_of_sums
from calibrant.effects import TemperaturePower
from calibrant.io import PredictionScan
from calibrant.methods import segments_of
from calibrant.report._document import Data


@dataclass(frozen=True, eq=False)
class Rows:
    """All rows, and those in memory: all of them, or evenly spaced ones of streamed files."""

    whole: Predictions | PredictionScan
    some: Predictions

    @classmethod
    def of(cls, whole: Predictions | PredictionScan, parallel: Parallel) -> Rows:
        """Read the rows to keep in memory, with one pass over streamed files."""
        if isinstance(whole, Predictions):
            return cls(whole, whole)
        if not whole.is_streamed:
            return cls(*2 * (whole.read().predictions,))
        return cls(whole, _sample(whole, parallel.quiet()))

    @property
    def is_streamed(self) -> bool:
        """Whether some rows are not in memory."""
        return self.whole is not self.some

    def data(self, parallel: Parallel) -> Data:
        """Describe all rows, with another pass over streamed files."""
        some = self.some
        if isinstance(self.whole, Predictions):
            rates, sha256 = class_rates(some), _fingerprint(some)
        else:
            scan = self.whole
            parts = run_shared(_segment_sums, scan, segments_of(scan), parallel.quiet())
            rates, sha256 = rates_of_sums(scan.classes, sum(parts, np.zeros(()))), None
        return Data(
            n_samples=self.whole.n_samples,
            n_sampled=len(some) if self.is_streamed else None,
            n_classes=some.n_classes,
            weighted=some.sample_weight is not None,
            n_clusters=None if some.clusters is None or self.is_streamed else some.n_clusters,
            ordered=some.has_order,
            sha256=sha256,
            classes=rates,
        )

    def reach_of(self, test: CalibrationTestResult) -> CalibrationTestResult:
        """Return a test with what it could have detected, which is missing for streamed rows."""
        if not self.is_streamed or "detectable_temperature" in test.details:
            return test
        needed = TemperaturePower.of(self.some).rows_needed(PLANNED, alpha=0.05, power=0.8)
        enough, details = needed <= self.whole.n_samples, dict(test.details)
        details["detectable_temperature"] = {"over": PLANNED if enough else None}
        if not enough and needed < math.inf:
            rows = {"temperature": PLANNED, "n_samples": math.ceil(needed)}
            details["rows_for_temperature"] = rows
        return replace(test, details=details)


def _sample(scan: PredictionScan, parallel: Parallel) -> Predictions:
    """Return evenly spaced rows, depending only on the shape of the data."""
    held = limits()
    most = max(held.fewest_report_rows, min(held.report_rows, held.report_size // scan.n_classes))
    numbers = sizes.evenly_spaced(scan.n_samples, most)
    parts = run_shared(_segment_rows, (scan, numbers), segments_of(scan), parallel)
    return join(*(part for part in parts if part is not None))


def _segment_rows(data: tuple[PredictionScan, IntArray], rows: range) -> Predictions | None:
    scan, numbers = data
    found, at = [], rows.start
    for part, _ in scan.parts(rows):
        inside = numbers[(numbers >= at) & (numbers < at + len(part))] - at
        if len(inside):
            found.append(part.take(inside))
        at += len(part)
    return join(*found) if found else None


def _segment_sums(scan: PredictionScan, rows: range) -> FloatArray:
    total = np.zeros((3, scan.n_classes))
    for part, _ in scan.parts(rows):
        total += class_sums(part)
    return total


def _fingerprint(predictions: Predictions) -> str:
    """Return the SHA-256 of labels, probabilities, weights and clusters, little-endian."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(predictions.y_true, dtype="<i8").tobytes())
    digest.update(np.ascontiguousarray(predictions.y_prob, dtype="<f8").tobytes())
    if predictions.sample_weight is not None:
        digest.update(np.ascontiguousarray(predictions.sample_weight, dtype="<f8").tobytes())
    if predictions.clusters is not None:
        digest.update(np.ascontiguousarray(predictions.clusters, dtype="<i8").tobytes())
    return digest.hexdigest()
