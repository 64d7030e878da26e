"""The sums of all label sets, for each view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from calibrant._engine import LabelResampler
from calibrant._execution import Parallel, Stages, Ticker
from calibrant._followup.where._few_classes import Plan, few_class_statistics
from calibrant._followup.where._label_sets import (
    FEW_CLASSES,
    LabelSetSums,
    View,
    many_class_statistics,
)


def label_set_sums(
    views: Sequence[View],
    resamplers: Sequence[LabelResampler],
    n_resamples: int,
    parallel: Parallel,
) -> list[LabelSetSums]:
    """Compute the sums of all label sets, view by view."""
    stages = Stages(parallel.progress, [1.0] * len(views))
    sets = range(n_resamples + 1)
    found = [
        view_sums(view, resampler, sets, replace(parallel, progress=stages.next()))
        for view, resampler in zip(views, resamplers, strict=True)
    ]
    stages.end()
    return found


def view_sums(
    view: View, resampler: LabelResampler, sets: range, parallel: Parallel
) -> LabelSetSums:
    """Compute the sums of some label sets of a view."""
    if view.predictions.n_classes > FEW_CLASSES:
        return many_class_statistics(view, resampler, sets, parallel)
    plan = Plan.make(view, resampler)
    ticker = Ticker(parallel.progress, plan.steps(sets, parallel))
    return few_class_statistics(plan, sets, parallel, ticker)
