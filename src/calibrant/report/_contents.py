"""Everything a report shows, computed by the library: results and displays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant._calibration_test import calibration_test
from calibrant._compare import compare
from calibrant._measures import every_measure, measured
from calibrant._random import as_generator
from calibrant._resampling import LabelResampler
from calibrant._where import where
from calibrant.methods import Aggregated
from calibrant.plots import (
    ClassContributionDisplay,
    ComparisonDisplay,
    DetectableDisplay,
    NullDistributionDisplay,
    ReliabilityDisplay,
    SimplexDisplay,
)
from calibrant.report._settings import (
    FLOOR_PAIRS,
    FLOOR_RESAMPLES,
    PAIR_ROWS,
    shown_classes,
)
from calibrant.report._stages import Stages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._compare import ComparisonResult
    from calibrant._executors import Progress
    from calibrant._predictions import Predictions
    from calibrant._result import CalibrationTestResult
    from calibrant._where import WhereResult
    from calibrant.effects import Effect
    from calibrant.plots import Display
    from calibrant.report._settings import Settings

#: the order of reading: what a person understands first
MEASURES = (
    "temperature",
    "rmsce",
    "ece",
    "mce",
    "mmce",
    "ece_joint",
    "ece_adaptive",
    "kce",
    "skce",
    "accuracy",
    "brier",
    "log_loss",
)


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
        level=settings.level,
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
    known = set(test.effects)
    wanted = [one for one in every_measure() if one.name in MEASURES and one.name not in known]
    if n > PAIR_ROWS and m > 2:
        wanted = [one for one in wanted if not one.over_pairs]
    resampler = LabelResampler.from_rng(as_generator(settings.seed), stream=4)
    cheap = m == 2 or n * n * m + 10 * n * m * m <= FLOOR_PAIRS
    found = dict(test.effects)
    for one in wanted:
        draws = FLOOR_RESAMPLES if cheap or not one.over_pairs else 0
        [found[one.name]] = measured(
            predictions, [one], n_resamples=draws, resampler=resampler, n_jobs=n_jobs
        )
        if progress is not None:
            progress(len(found), len(MEASURES))
    return tuple(found[name] for name in MEASURES if name in found)


def _reliability(
    predictions: Predictions,
    places: WhereResult,
    n_shown: int,
    settings: Settings,
    progress: Progress | None,
) -> tuple[ReliabilityDisplay, ...]:
    """Return the diagrams of the predicted label and of classes: all, or the worst first."""
    classes = predictions.classes
    # of two classes the positive one is what people look at
    chosen = list(classes)[::-1] if len(classes) == 2 else list(classes)
    if n_shown < len(classes):
        chosen = [finding.name for finding in places.classes][:n_shown]
    views: list[tuple[Predictions, Any]] = [(predictions, label) for label in chosen]
    views.insert(1 if len(classes) == 2 else 0, (predictions.top_label(), None))
    found = []
    for done, (view, label) in enumerate(views, start=1):
        found.append(
            ReliabilityDisplay.from_predictions(
                view, label=label, n_resamples=settings.n_resamples, rng=settings.seed
            )
        )
        if progress is not None:
            progress(done, len(views))
    return tuple(found)
