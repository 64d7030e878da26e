"""One model on the common rows: its measures, and what every row contributes to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibrant._compare._row_mean import row_mean
from calibrant._engine import Form, pair_products, row_sums, sizes
from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions, brier_scores, hits, log_losses
from calibrant.effects import (
    Effect,
    Interval,
    accuracy,
    brier,
    effective_size,
    log_loss,
    row_sum_effect,
)
from calibrant.estimators import SKCE, feature_row_sums
from calibrant.kernels import Kernel, Laplacian, Median
from calibrant.recalibration import RepairGain, repair_gain

#: evenly spaced rows whose pairs tell how much the SKCE of a calibrated model varies
_SOME = 1000
#: fewer rows are too few to fit a repair to nine tenths of them
LEAST_ROWS = 20

CALIBRATION_LOSS_MEANING = (
    "log loss that a repair would gain on rows it has not seen, in nats: 0 or less where no "
    "repair helps"
)
REFINEMENT_MEANING = "log loss that is left after the repair, in nats: what the model does not know"
_TOO_FEW = f"a repair to measure it by needs at least {LEAST_ROWS} rows that count; got {{}}"


@dataclass(frozen=True, eq=False)
class Measured:
    """A model with everything that its comparisons need: pairs are visited once per model."""

    predictions: Predictions
    pair_sums: FloatArray  # Σ_{j≠i} h_ij, shape (n,)
    some_pairs: FloatArray  # h_ij of some rows, diagonal 0
    gain: RepairGain | None  # None where rows are too few
    scores: Mapping[str, FloatArray]  # measure -> score of every row, shape (n,)
    effects: Mapping[str, Effect]

    @classmethod
    def of(
        cls,
        rows: Predictions,
        kernel: Kernel,
        pair_sums: FloatArray,
        confidence_level: float,
    ) -> Measured:
        """Measure a model whose rows all count."""
        gain = repair_gain(rows) if rows.n_samples >= LEAST_ROWS else None
        effects = _gain_effects(rows, gain, confidence_level) | {
            "log_loss": log_loss(rows, confidence_level),
            "skce": row_sum_effect(rows, pair_sums, confidence_level),
            "brier": brier(rows, confidence_level),
            "accuracy": accuracy(rows, confidence_level),
        }
        pairs = _some_pairs(kernel.forms(rows.y_prob, rows.weighted_residuals))
        return cls(rows, pair_sums, pairs, gain, _scores(rows, gain), effects)


def common_kernel(models: Sequence[Predictions], kernel: Kernel | None) -> Kernel:
    """Return one kernel for all models: errors under different ones could not be subtracted.

    By default a Laplacian of the median total variation distance of the stacked predictions. Cost
    O(N²m) for N stacked rows: up to 2 000 of each model, 8 000 in all.
    """
    if kernel is not None and not isinstance(kernel, Kernel):
        raise TypeError(
            "`kernel` must be a calibrant kernel, e.g. `kernels.Laplacian(0.2)`, or None; got "
            f"{kernel!r}."
        )
    rule = _of_all_rows(SKCE().kernel) if kernel is None else kernel
    most = max(2, min(sizes.BANDWIDTH_ROWS, sizes.ALL_BANDWIDTH_ROWS // len(models)))
    rows = sizes.evenly_spaced(models[0].n_samples, most)
    return rule.resolve(np.concatenate([model.y_prob[rows] for model in models]))


def exact_sums(rows: Predictions, kernel: Kernel, parallel: Parallel) -> FloatArray:
    """Return Σ_{j≠i} h_ij from all pairs, O(n²m), or by sorting where the kernel allows it."""
    return row_sums(kernel.forms(rows.y_prob, rows.weighted_residuals), parallel)


def approximate_sums(
    rows: Predictions, bandwidth: float, seed: int, parallel: Parallel
) -> FloatArray:
    """Return Σ_{j≠i} h_ij of random features; one seed for all models is one kernel for all."""
    return feature_row_sums(rows, bandwidth, seed, parallel)


def _of_all_rows(kernel: Kernel) -> Kernel:
    # the rows were thinned out already: the rule need not do it again
    assert isinstance(kernel, Laplacian)
    assert isinstance(kernel.bandwidth, Median)
    return replace(kernel, bandwidth=replace(kernel.bandwidth, max_rows=None))


def _some_pairs(forms: Sequence[Form]) -> FloatArray:
    some = sizes.evenly_spaced(len(forms[0].x), _SOME)
    parts = [replace(form, x=form.x[some], v=form.v[some]) for form in forms]
    total = sum(
        (pair_products(part, part) for part in parts[1:]), pair_products(parts[0], parts[0])
    )
    np.fill_diagonal(total, 0.0)
    return np.asarray(total)


def _scores(rows: Predictions, gain: RepairGain | None) -> dict[str, FloatArray]:
    unknown = np.full(rows.n_samples, math.nan)
    return {
        "calibration_loss": unknown if gain is None else gain.before - gain.after,
        "refinement": unknown if gain is None else gain.after,
        "log_loss": log_losses(rows),
        "brier": brier_scores(rows),
        "accuracy": hits(rows).astype(float),
    }


def _gain_effects(
    rows: Predictions, gain: RepairGain | None, confidence_level: float
) -> dict[str, Effect]:
    meanings = {"calibration_loss": CALIBRATION_LOSS_MEANING, "refinement": REFINEMENT_MEANING}
    if gain is None:
        unknown, note = Interval.unknown(confidence_level), _TOO_FEW.format(rows.n_samples)
        return {
            name: Effect(name, math.nan, unknown, meaning, note=note)
            for name, meaning in meanings.items()
        }
    least = gain.null_error(effective_size(rows))
    values = {"calibration_loss": gain.before - gain.after, "refinement": gain.after}
    found = {name: row_mean(rows, values[name], least) for name in meanings}
    details = {"maps": list(gain.maps), "optimism": gain.optimism}
    return {
        name: Effect(
            name,
            one.value,
            one.interval(confidence_level),
            meanings[name],
            one.error,
            one.note,
            details,
        )
        for name, one in found.items()
    }
