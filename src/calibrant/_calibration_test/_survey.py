"""A survey of streamed rows in one pass, for the method, its kernel and the effects."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._calibration_test._cluster_survey import ClusterSums, ClusterSurvey
from calibrant._calibration_test._streamed_rows import StreamedRows
from calibrant._engine import sizes
from calibrant._execution import Parallel, limits, run_shared
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import assemble, event_name, levels_to_the_user
from calibrant.effects import (
    Effect,
    Interval,
    brier_remark,
    find_measure,
    logit_floor,
    rows_that_weigh,
    smallest_probability,
)
from calibrant.errors import RowSumWarning
from calibrant.estimators import OfEvent
from calibrant.io import PredictionScan
from calibrant.methods import segments_of
from calibrant.streaming import StreamingECE, StreamingScores

#: the error that is reported with every test
_ECE = find_measure("ece")
_NO_FLOOR = "rows were streamed: no noise floor"


@dataclass(frozen=True, eq=False)
class Survey:
    """The results of one pass over all rows."""

    n_rows: int  # with positive weight
    pair_weight: float
    sample: FloatArray
    divided: int  # number of parts with rows that were divided by their sums
    worst: float
    impossible: int
    weight_scale: float  # Kish's effective number of rows, over the sum of the weights
    smallest: float  # smallest positive probability
    total: float  # sum of the weights
    counts: tuple[int, ...]  # rows of positive weight in each segment
    labels: IntArray  # number of these rows by class
    effects: dict[str, Effect]
    clusters: ClusterSurvey | None = None

    @classmethod
    def of(cls, scan: PredictionScan, parallel: Parallel) -> Survey:
        """Survey all rows in one pass."""
        n = scan.n_samples
        if n < 2:
            raise ValueError(f"a calibration test needs at least 2 rows; got {n}. Add others.")
        sums, numbers = _Sums(scan), sizes.evenly_spaced(n, limits().bandwidth_rows)
        for record in run_shared(_look_at_segment, (scan, numbers), segments_of(scan), parallel):
            sums.add(record)
        count, total, squares, pair_weight = sums.scores.weights
        if count < 2:
            raise ValueError(
                "a calibration test needs at least 2 rows with positive weight; got fewer. Drop "
                "rows without weight and add others."
            )
        return cls(
            n_rows=int(count),
            pair_weight=pair_weight,
            sample=np.concatenate(sums.samples),
            divided=sums.divided,
            worst=sums.worst,
            impossible=int(sums.scores.impossible),
            weight_scale=total / squares,
            smallest=sums.smallest,
            total=total,
            counts=tuple(int(one.sum()) for one in sums.labels),
            labels=np.sum(sums.labels, axis=0).astype(np.int64),
            effects=sums.effects(),
            clusters=sums.clusters,
        )

    def rows(self, scan: PredictionScan, parallel: Parallel) -> StreamedRows:
        """Return the rows for effects that need several passes."""
        return StreamedRows(
            scan,
            tuple(segments_of(scan)),
            self.counts,
            self.total,
            self.weight_scale,
            self.labels,
            logit_floor(self.smallest, scan.n_classes),
            parallel,
            clustered=self.clusters is not None,
        )

    def warn(self) -> None:
        """Warn about rows that did not sum to 1, if any."""
        if self.divided:
            warnings.warn(
                RowSumWarning(f"rows in {self.divided} parts of the files", self.worst),
                stacklevel=levels_to_the_user(),
            )


class _Sums:
    """The sums of the records of all segments."""

    def __init__(self, scan: PredictionScan) -> None:
        self.scan = scan
        self.scores, self.ece = StreamingScores(), _event_ece()
        self.samples: list[FloatArray] = []
        self.labels: list[FloatArray] = []
        self.divided, self.worst, self.smallest = 0, 0.0, 1.0
        self.clusters: ClusterSurvey | None = None

    def add(self, record: Mapping[str, Any]) -> None:
        """Add the next segment."""
        self.scores.add_sums(record["scores"])
        self.ece.add_sums(record["ece"])
        self.samples.append(record["sample"])
        self.labels.append(record["labels"])
        divided, worst = record["off"].tolist()
        self.divided, self.worst = self.divided + int(divided), max(self.worst, worst)
        self.smallest = min(self.smallest, float(record["smallest"]))
        here = _clusters_of(record, self.scan)
        known = [one for one in (self.clusters, here) if one is not None]
        self.clusters = ClusterSurvey.join(known)

    def effects(self) -> dict[str, Effect]:
        """Return the effects that need no further pass."""
        found = self.scores.result()
        remark = brier_remark(found.brier.estimate, self.scan.n_classes)
        effects = {
            "ece": self._ece(),
            "accuracy": found.accuracy,
            "brier": replace(found.brier, details=remark),
            "log_loss": found.log_loss,
            **({} if found.rps is None else {"rps": found.rps}),
        }
        return effects if self.clusters is None else self.clusters.effects(effects)

    def _ece(self) -> Effect:
        return Effect(
            _ECE.name,
            self.ece.result(),
            Interval.unknown(),
            _ECE.describe(self.scan),
            note=_NO_FLOOR,
            details={"event": event_name(self.scan.classes)},
        )


def _clusters_of(record: Mapping[str, Any], scan: PredictionScan) -> ClusterSurvey | None:
    """Return the clusters of a record; None without clusters."""
    if "cluster_codes" not in record:
        return None
    sample = assemble(
        record["sample_labels"],
        record["sample_rows"],
        record["sample_weights"],
        scan.classes,
        clusters=record["sample_clusters"],
    )
    table = ClusterSums(record["cluster_codes"], record["cluster_sums"])
    return ClusterSurvey(table, sample)


def _event_ece() -> StreamingECE:
    """Return an accumulator of the ECE that is reported with every test."""
    assert isinstance(_ECE.estimator, OfEvent)
    return StreamingECE(_ECE.estimator.estimator)  # for rows that are already an event


def _look_at_segment(data: tuple[PredictionScan, IntArray], rows: range) -> dict[str, Any]:
    scan, numbers = data
    scores, ece = StreamingScores(), _event_ece()
    sample, off, at = [np.empty((0, scan.n_classes))], np.zeros(2), rows.start
    smallest, labels, clusters = 1.0, np.zeros(scan.n_classes), list[ClusterSurvey]()
    for part, worst in scan.parts(rows):
        scores.update(part)
        if part.clusters is not None:
            clusters = [*clusters, ClusterSurvey.of(part)]
            together = ClusterSurvey.join(clusters)
            clusters = [] if together is None else [together]
        ece.update(part.event())
        inside = numbers[(numbers >= at) & (numbers < at + len(part))] - at
        sample.append(part.y_prob[inside])
        off = np.array([off[0] + (worst > 0.0), max(off[1], worst)])
        if part.weights.any():
            some = rows_that_weigh(part)
            smallest = min(smallest, smallest_probability(some))
            labels += np.bincount(some.y_true, minlength=scan.n_classes)
        at += len(part)
    return {
        "scores": scores.sums(),
        "ece": ece.sums(),
        "sample": np.concatenate(sample),
        "off": off,
        "smallest": smallest,
        "labels": labels,
        **(clusters[0].to_record() if clusters else {}),
    }
