"""One model on the common rows: its measures, and each row's contribution to them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from calibrant._engine import Form, pair_products, row_sums, sizes
from calibrant._execution import Parallel, limits
from calibrant._followup.compare._row_mean import row_mean
from calibrant._native import FloatArray
from calibrant._predictions import (
    Predictions,
    brier_scores,
    hits,
    log_losses,
    replace_parts,
)
from calibrant.effects import (
    Effect,
    Interval,
    RepairGain,
    accuracy,
    brier,
    calibration_loss_effect,
    log_loss,
    null_variance,
    row_sum_effect,
)
from calibrant.estimators import SKCE, feature_row_sums, inside_sums
from calibrant.kernels import Kernel, RadialKernel
from calibrant.methods import LocalErrors

#: evenly spaced rows whose pairs give the variance of a calibrated model's SKCE
_SOME = 1000
#: evenly spaced rows that are searched for local errors
_LOCAL_ROWS = 20_000
#: upper limit of a loss, as for the maps behind a calibration loss
_LARGEST_LOSS = -math.log(1e-12)

REFINEMENT_MEANING = "log loss that is left after a repair, in nats: what the model does not know"


@dataclass(frozen=True, eq=False)
class Measured:
    """A model with everything that its comparisons need, so that pairs are visited only once."""

    predictions: Predictions
    pair_sums: FloatArray  # Σ_{j≠i} h_ij, shape (n,)
    some_pairs: FloatArray  # h_ij of some rows, diagonal 0
    gain: RepairGain | None  # None if there are too few rows
    scores: Mapping[str, FloatArray]  # measure -> score of every row, shape (n,)
    effects: Mapping[str, Effect]
    inside: FloatArray | None = None  # Σ_{i≠j} h_ij in every cluster
    left: LocalErrors | None = None  # errors that the repair leaves; unknown with clusters

    @classmethod
    def of(
        cls,
        rows: Predictions,
        kernel: Kernel,
        pair_sums: FloatArray,
        confidence_level: float,
    ) -> Measured:
        """Measure a model whose rows all have positive weight."""
        gain = RepairGain.of(rows)
        inside = None if rows.clusters is None else inside_sums(rows, kernel)
        scores = _scores(rows, gain)
        calibration = calibration_loss_effect(rows, gain, confidence_level)
        effects = {
            "calibration_loss": calibration,
            "refinement": _refinement(rows, scores["refinement"], calibration, confidence_level),
            "log_loss": log_loss(rows, confidence_level),
            "skce": row_sum_effect(
                rows,
                pair_sums,
                confidence_level,
                null_variance=null_variance(rows, kernel),
                inside=inside,
            ),
            "brier": brier(rows, confidence_level),
            "accuracy": accuracy(rows, confidence_level),
        }
        pairs = _some_pairs(kernel.forms(rows.y_prob, rows.weighted_residuals))
        return cls(rows, pair_sums, pairs, gain, scores, effects, inside, _left(rows, gain))


def common_kernel(models: Sequence[Predictions], kernel: Kernel | None) -> Kernel:
    """Return one kernel for all models, because errors with different kernels are not comparable.

    By default a Laplacian of the median total variation distance of the stacked predictions. Cost
    O(N²m) for N stacked rows: up to 2,000 of each model, 8,000 in all.
    """
    if kernel is not None and not isinstance(kernel, Kernel):
        raise TypeError(
            "`kernel` must be a calibrant kernel, e.g. `kernels.Laplacian(0.2)`, or None; got "
            f"{kernel!r}."
        )
    rule = _of_all_rows(SKCE().kernel) if kernel is None else kernel
    most = max(2, min(limits().bandwidth_rows, limits().all_bandwidth_rows // len(models)))
    rows = sizes.evenly_spaced(models[0].n_samples, most)
    return rule.resolve(np.concatenate([model.y_prob[rows] for model in models]))


def exact_sums(rows: Predictions, kernel: Kernel, parallel: Parallel) -> FloatArray:
    """Return Σ_{j≠i} h_ij from all pairs, O(n²m), or by sorting if the kernel allows it."""
    return row_sums(kernel.forms(rows.y_prob, rows.weighted_residuals), parallel)


def approximate_sums(
    rows: Predictions, bandwidth: float, seed: int, parallel: Parallel
) -> FloatArray:
    """Return Σ_{j≠i} h_ij from random features; with the same seed all models share a kernel."""
    return feature_row_sums(rows, bandwidth, seed, parallel)


def _of_all_rows(kernel: Kernel) -> Kernel:
    # the rows are already a sample, so the rule should use all of them
    assert isinstance(kernel, RadialKernel)
    rule: Any = kernel.bandwidth
    every = replace(rule, max_rows=None) if hasattr(rule, "max_rows") else rule
    return replace(kernel, bandwidth=every)


def _some_pairs(forms: Sequence[Form]) -> FloatArray:
    some = sizes.evenly_spaced(len(forms[0].x), _SOME)
    parts = [replace(form, x=form.x[some], v=form.v[some]) for form in forms]
    total = sum(
        (pair_products(part, part) for part in parts[1:]), pair_products(parts[0], parts[0])
    )
    np.fill_diagonal(total, 0.0)
    return np.asarray(total)


def _scores(rows: Predictions, gain: RepairGain | None) -> dict[str, FloatArray]:
    losses = log_losses(rows)
    gained = np.full(rows.n_samples, math.nan) if gain is None else gain.chosen[0]
    return {
        "calibration_loss": gained,
        "refinement": np.minimum(losses, _LARGEST_LOSS) - gained,
        "log_loss": losses,
        "brier": brier_scores(rows),
        "accuracy": hits(rows).astype(float),
    }


def _left(rows: Predictions, gain: RepairGain | None) -> LocalErrors | None:
    if gain is None or rows.clusters is not None:
        return None
    some = sizes.evenly_spaced(len(rows), _LOCAL_ROWS)
    few = rows.take(some)
    return LocalErrors.of(replace_parts(few, y_prob=gain.repair(some, few.y_prob)))


def _refinement(
    rows: Predictions, losses: FloatArray, calibration: Effect, confidence_level: float
) -> Effect:
    if math.isnan(calibration.estimate):
        unknown = Interval.unknown(confidence_level)
        return Effect("refinement", math.nan, unknown, REFINEMENT_MEANING, note=calibration.note)
    mean = row_mean(rows, losses)
    return Effect(
        "refinement",
        mean.value,
        mean.interval(confidence_level).clip(low=0.0),
        REFINEMENT_MEANING,
        mean.error,
        mean.note,
    )
