"""The choice of the aggregated test's components, from the predictions and never the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._engine import LOG_FLOOR, binned, direction_terms, floored_log, sizes
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, RowSource
from calibrant.methods._class_scores import ClassMoments, ScoreScale, level_values, log_levels
from calibrant.methods._confidence import ORDERS, SmoothBasis, every_event
from calibrant.methods._decimals import find_decimals, rounding_error
from calibrant.methods._reach import ReachMoments, ranked_scores, reach_probabilities
from calibrant.methods._scales import FRACTIONS, WIDTHS, classwise_drifts, kernel_drifts

#: floors of the log score, from the sharpest to those for few decimals
FLOORS = (LOG_FLOOR, 1e-2, 1e-1)
#: a component that rounding moves by more than this fraction of its deviation is left out
TOLERANCE = 0.2
#: the same for quadratic statistics, whose mean shifts by the square of a drift
SQUARED_TOLERANCE = 0.03
#: rows examined for decimals and their drift
_ROWS = 4096


@dataclass(frozen=True)
class Components:
    """The components in use.

    Parameters
    ----------
    fractions, widths : tuple of float
        Bandwidths of the kernel family, in median distances, and of the class-wise family.
    brier : bool
    log_floor : float or None
        The floor of the log score; None leaves it out.
    score_floor : float
        The floor of the logarithm in the class scores.
    confidence, scaling, bias : bool
    reach : tuple of float
        Bandwidths of the class-wise family for the events "class at least k".
    ranked, grades : bool
        The ranked-probability direction, and the totals of the same events.
    is_ordered : bool
        Whether there are more than two ordered classes; the last three need them.
    decimals : int or None
        Decimals of the probabilities, if few enough to change the components.
    """

    fractions: tuple[float, ...] = FRACTIONS
    widths: tuple[float, ...] = WIDTHS
    brier: bool = True
    log_floor: float | None = LOG_FLOOR
    score_floor: float = LOG_FLOOR
    confidence: bool = True
    scaling: bool = True
    bias: bool = True
    reach: tuple[float, ...] = ()
    ranked: bool = False
    grades: bool = False
    is_ordered: bool = False
    decimals: int | None = None

    @property
    def note(self) -> str:
        """What was changed because of few decimals, in words; empty if nothing."""
        if self.decimals is None:
            return ""
        names = {
            "small bandwidths": self.fractions == FRACTIONS and self.widths == WIDTHS,
            "the Brier direction": self.brier,
            "the log-score direction": self.log_floor is not None,
            "local confidence": self.confidence,
            "class-wise slopes and shifts": self.scaling,
            "class totals": self.bias,
        }
        if self.is_ordered:
            names["small bandwidths"] &= self.reach == WIDTHS
            names["the ranked-probability direction"] = self.ranked
            names["totals of reaching a class"] = self.grades
        dropped = [name for name, used in names.items() if not used]
        parts = [f"left out {', '.join(dropped)}"] if dropped else []
        floor = max(self.log_floor or 0.0, self.score_floor if self.scaling else 0.0)
        if floor > LOG_FLOOR:
            parts.append(f"counted probabilities below {floor:g} as {floor:g} in logarithms")
        digits = "decimal" if self.decimals == 1 else "decimals"
        return (
            f"the probabilities have {self.decimals} {digits}: rounding alone could look like an "
            f"error at this number of rows, so the test {' and '.join(parts)}"
        )


def choose_components(source: Predictions | RowSource, log_score: bool) -> Components:
    """Choose the components, without those that the rounding of the probabilities would move.

    Examines up to 4,096 rows: evenly spaced rows in memory, or the first rows of a file. A drift
    grows with the root of the number of rows. O(m) for unrounded probabilities.
    """
    rows = _some_rows(source)
    usual = Components(log_floor=LOG_FLOOR if log_score else None)
    if rows.has_order:
        usual = replace(usual, is_ordered=True, reach=WIDTHS, ranked=True, grades=True)
    decimals = find_decimals(rows.y_prob)
    if decimals is None:
        return usual
    growth = source.n_samples / rows.n_samples
    chosen = _without_drift(rows, decimals, growth, usual)
    return usual if chosen == usual else replace(chosen, decimals=decimals)


def _some_rows(source: Predictions | RowSource) -> Predictions:
    if isinstance(source, Predictions):
        if source.n_samples <= _ROWS:
            return source
        return source.take(sizes.evenly_spaced(source.n_samples, _ROWS))
    return next(iter(source.blocks(range(min(source.n_samples, _ROWS)), _ROWS)))


def _without_drift(
    rows: Predictions, decimals: int, growth: float, usual: Components
) -> Components:
    p, weights = rows.distributions, rows.weights
    error = rounding_error(p, decimals)

    def steady(values: FloatArray) -> bool:
        scores, variance = direction_terms(p, values, weights)
        return _is_steady(float(np.sum(scores * error)) ** 2 * growth, variance)

    floors = FLOORS if usual.log_floor is not None else ()
    floor = next((one for one in floors if steady(floored_log(p, one))), None)
    moved = weights[:, None] * error
    shifts = {one: _class_shifts(p, weights, moved, growth, one) for one in FLOORS}
    scores = next((one for one in FLOORS if shifts[one][0] <= SQUARED_TOLERANCE), None)
    kernel, classwise = kernel_drifts(rows, error), classwise_drifts(p, weights, error)
    return replace(
        usual,
        # keep at least the median distance, which rounding moves least
        fractions=tuple(
            f for f in FRACTIONS if f == 1.0 or kernel[f] * growth <= SQUARED_TOLERANCE
        ),
        widths=tuple(w for w in WIDTHS if classwise[w] * growth <= SQUARED_TOLERANCE),
        brier=steady(p),
        log_floor=floor,
        score_floor=FLOORS[-1] if scores is None else scores,
        confidence=_confidence_steady(rows, error, growth),
        scaling=scores is not None,
        bias=shifts[FLOORS[-1]][1] <= TOLERANCE,
        **(_steady_order(p, weights, error, growth) if usual.is_ordered else {}),
    )


def _steady_order(
    p: FloatArray, weights: FloatArray, error: FloatArray, growth: float
) -> dict[str, Any]:
    """Return which components of ordered classes are steady under rounding."""
    q = np.clip(reach_probabilities(p), 0.0, 1.0)
    moved = reach_probabilities(error)
    drifts = classwise_drifts(q, weights, moved)
    scores, variance = direction_terms(p, ranked_scores(p), weights)
    sd = np.sqrt(ReachMoments.of(p, weights).variance)
    totals = np.divide(weights @ moved, sd, out=np.zeros_like(sd), where=sd > 0.0)
    return {
        "reach": tuple(w for w in WIDTHS if drifts[w] * growth <= SQUARED_TOLERANCE),
        "ranked": _is_steady(float(np.sum(scores * error)) ** 2 * growth, variance),
        "grades": bool(np.max(np.abs(totals)) * np.sqrt(growth) <= TOLERANCE),
    }


def _class_shifts(
    p: FloatArray, weights: FloatArray, moved: FloatArray, growth: float, floor: float
) -> tuple[float, float]:
    """Return how far rounding moves the scaling statistic and the class totals, in deviations."""
    levels = log_levels(p, floor)
    scale = ScoreScale.of(ClassMoments.of(p, weights, levels, floor), floor)
    shift = np.stack([moved.sum(axis=0), (moved * level_values(floor)[levels]).sum(axis=0)])
    excess = float(scale.quadratic(shift[None])[0] + scale.mean) * growth
    z = np.divide(shift[0], scale.sd[0], out=np.zeros(len(shift[0])), where=scale.sd[0] > 0.0)
    most = float(np.max(np.abs(z))) * np.sqrt(growth)
    return excess / np.sqrt(max(2.0 * scale.mean, 1.0)), most


def _confidence_steady(rows: Predictions, error: FloatArray, growth: float) -> bool:
    for event in every_event(rows):
        basis = SmoothBasis.of(event.variance)
        moved = rows.weights * error[np.arange(rows.n_samples), event.events]
        sums = binned(basis.groups[event.cells], moved, len(basis.functions))
        excess = np.cumsum(np.square(sums @ basis.functions))[list(ORDERS)] * growth
        deviations = np.sqrt(2.0 * (np.array(ORDERS) + 1.0))
        if np.any(excess > SQUARED_TOLERANCE * deviations):
            return False
    return True


def _is_steady(squared_shift: float, variance: float) -> bool:
    return squared_shift <= TOLERANCE**2 * variance
