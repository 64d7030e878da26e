"""Cross-fitting of the candidates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibrant._followup.repair._candidates import Candidate, name_of, refusal
from calibrant._followup.repair._changes import Rows, Scores, score
from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.recalibration import Map, fit_folds, predict_folds


@dataclass(frozen=True, eq=False)
class Trial:
    """A candidate fitted to all rows and without each fold."""

    map: Any
    name: str
    whole: Any
    others: list[Any]
    scores: Scores

    def out_of_fold(self, predictions: Predictions, folds: IntArray) -> FloatArray:
        """Return each row's probabilities from the map fitted without it."""
        return predict_folds(self.others, predictions, folds)

    def describe(self, before: Scores, rows: Rows, confidence_level: float) -> Candidate:
        """Return the changes by the candidate."""
        log_loss, brier = rows.changes(before, self.scores, confidence_level)
        n_parameters = getattr(self.whole, "n_parameters", None)
        return Candidate(self.name, n_parameters, log_loss, brier)


def try_candidate(map: Any, predictions: Predictions, folds: IntArray) -> Trial | Candidate:  # noqa: A002
    """Cross-fit a map, or return a candidate that says why the rows do not allow it."""
    name, note = name_of(map), refusal(map, predictions)
    if note:
        count = map.count_parameters(predictions.n_classes) if isinstance(map, Map) else None
        return Candidate(name, count, note=note)
    whole, others = fit_folds(map, predictions, folds)
    scores = score(predictions, predict_folds(others, predictions, folds))
    return Trial(map, name, whole, others, scores)
