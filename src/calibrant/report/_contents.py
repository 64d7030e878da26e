"""Everything a report shows, computed by the library: results and displays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._compare import ComparisonResult, compare
from calibrant._engine import LabelResampler, as_generator, sizes
from calibrant._execution import Parallel, Progress, Stages
from calibrant._predictions import Predictions
from calibrant._where import WhereResult, where
from calibrant.effects import MEASURES, Effect, arrange
from calibrant.methods import Aggregated
from calibrant.plots import (
    ClassContributionDisplay,
    ComparisonDisplay,
    DetectableDisplay,
    Display,
    NullDistributionDisplay,
    ReliabilityDisplay,
    SimplexDisplay,
)
from calibrant.report._settings import (
    FLOOR_PAIRS,
    FLOOR_RESAMPLES,
    Settings,
    shown_classes,
)

#: steps that every stage is divided into
_STEPS = 100


@dataclass(frozen=True, eq=False)
class ModelContents:
    """What is shown of one model."""

    predictions: Predictions
    test: CalibrationTestResult
    measures: tuple[Effect, ...]
    where: WhereResult
    reliability: tuple[ReliabilityDisplay, ...]
    null: NullDistributionDisplay
    detectable: DetectableDisplay
    contributions: Mapping[str, ClassContributionDisplay]
    simplex: SimplexDisplay | None

    @property
    def displays(self) -> dict[str, Display]:
        """All pictures by name."""
        named: dict[str, Display] = {"null": self.null, "detectable": self.detectable}
        named |= {f"reliability-{k}": one for k, one in enumerate(self.reliability)}
        named |= {f"contributions-{k}": one for k, one in enumerate(self.contributions.values())}
        return named if self.simplex is None else named | {"simplex": self.simplex}


@dataclass(frozen=True, eq=False)
class Contents:
    """What is shown of all models, and of their differences."""

    models: Mapping[str, ModelContents]
    comparison: ComparisonResult | None

    @property
    def comparison_display(self) -> ComparisonDisplay | None:
        """The picture of the differences."""
        return None if self.comparison is None else ComparisonDisplay.from_result(self.comparison)


def compute(
    models: Mapping[str, Predictions],
    groups: Any,
    settings: Settings,
    n_jobs: int | None,
    progress: Progress | None,
) -> Contents:
    """Call the library; the numbers are those that each call gives by itself."""
    several = len(models) > 1
    stages = Stages(progress, 4 * len(models) + several)
    found = {
        name: _model(predictions, groups, settings, shown_classes(predictions.n_classes,
                     len(models)), n_jobs, stages)
        for name, predictions in models.items()
    }  # fmt: skip
    comparison = None
    if several:
        comparison = compare(None, models, rng=settings.seed, n_jobs=n_jobs, progress=stages.next())
    stages.end()
    return Contents(found, comparison)


def _model(
    predictions: Predictions,
    groups: Any,
    settings: Settings,
    n_shown: int,
    n_jobs: int | None,
    stages: Stages,
) -> ModelContents:
    test = calibration_test(
        predictions,
        method=Aggregated(settings.n_resamples),
        rng=settings.seed,
        n_jobs=n_jobs,
        progress=stages.next(),
    )
    places = where(
        predictions,
        groups=groups,
        n_regions=settings.n_regions,
        min_size=settings.min_size,
        n_resamples=settings.n_resamples,
        alpha=settings.alpha,
        rng=settings.seed,
        n_jobs=n_jobs,
        progress=stages.next(),
    )
    measures = _measures(predictions, test, settings, n_jobs, stages.next())
    reliability = _reliability(predictions, places, n_shown, settings, stages.next())
    tables = ("classes", "regions", *places.groups)
    return ModelContents(
        predictions=predictions,
        test=test,
        measures=measures,
        where=places,
        reliability=reliability,
        null=NullDistributionDisplay.from_result(test),
        detectable=DetectableDisplay.from_predictions(predictions),
        contributions={
            table: ClassContributionDisplay.from_result(places, table) for table in tables
        },
        simplex=SimplexDisplay.from_result(places) if predictions.n_classes == 3 else None,
    )


def _measures(
    predictions: Predictions,
    test: CalibrationTestResult,
    settings: Settings,
    n_jobs: int | None,
    progress: Progress | None,
) -> tuple[Effect, ...]:
    n, m = predictions.n_samples, predictions.n_classes
    wanted = [one for one in MEASURES if one.in_report and one.name not in test.effects]
    if n > sizes.PAIR_ROWS and m > 2:
        wanted = [one for one in wanted if not one.over_pairs]
    resampler = LabelResampler.from_rng(as_generator(settings.seed), stream=4)
    cheap = m == 2 or n * n * m + 10 * n * m * m <= FLOOR_PAIRS
    effects = dict(test.effects)
    for done, one in enumerate(wanted, start=1):
        draws = FLOOR_RESAMPLES if cheap or not one.over_pairs else 0
        effects[one.name] = one.measure(
            predictions, Parallel(n_jobs), n_resamples=draws, resampler=resampler
        )
        if progress is not None:
            progress(done, len(wanted))
    return tuple(arrange(effects).values())


def _reliability(
    predictions: Predictions,
    places: WhereResult,
    n_shown: int,
    settings: Settings,
    progress: Progress | None,
) -> tuple[ReliabilityDisplay, ...]:
    """Return the diagrams of the event and of the other classes: all, or the worst first."""
    classes = predictions.classes
    chosen = list(classes[:1] if len(classes) == 2 else classes)
    if n_shown < len(classes):
        ranked = [finding.name for finding in places.classes]
        known = set(classes)  # the rarest of very many are taken together
        chosen = [name for name in ranked if name in known][:n_shown]
    labels = [None, *chosen]  # None is the event: the last of two classes, or the predicted label
    found = []
    for done, label in enumerate(labels, start=1):
        found.append(
            ReliabilityDisplay.from_predictions(
                predictions, label=label, n_resamples=settings.n_resamples, rng=settings.seed
            )
        )
        if progress is not None:
            progress(done, len(labels))
    return tuple(found)
