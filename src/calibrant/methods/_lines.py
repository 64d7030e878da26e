"""The families of the aggregated test for two classes, whose predictions lie on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from calibrant._engine import LabelResampler, LabelSets
from calibrant._execution import Parallel, limits, run_shared, spans
from calibrant._predictions import Predictions
from calibrant.methods._components import Components
from calibrant.methods._families import Families, full_families
from calibrant.methods._scales import FRACTIONS


@dataclass(frozen=True)
class LinePlan:
    """The choices shared by the tasks."""

    bandwidth: float
    resampler: LabelResampler
    components: Components


def line_families(
    predictions: Predictions, plan: LinePlan, sets: range, parallel: Parallel
) -> Families:
    """Compute the families exactly by sorting, a few label sets at a time; O(n log n + n·R)."""
    most = limits()
    each = most.line_sets
    size = max(each, most.line_labels // predictions.n_samples // each * each)
    tasks = [sets[part] for part in spans(len(sets), size)]
    records = run_shared(_some_sets, (predictions, plan), tasks, parallel)
    bandwidths = tuple(fraction * plan.bandwidth for fraction in FRACTIONS)
    return Families.join([Families(**record, bandwidths=bandwidths) for record in records])


def _some_sets(data: tuple[Predictions, LinePlan], sets: range) -> dict[str, Any]:
    predictions, plan = data
    label_sets = LabelSets.label_sets(predictions, plan.resampler, sets)
    one = Parallel(1)
    return full_families(predictions, plan.bandwidth, label_sets, plan.components, one).arrays
