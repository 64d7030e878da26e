"""Computation of the document of a report, by calls of the library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._engine import as_generator, resampler_for
from calibrant._execution import Parallel, Stages, limits, single_threaded_blas
from calibrant._followup.compare import compare
from calibrant._followup.repair import RepairResult, repair
from calibrant._followup.where import where
from calibrant._native import core_info
from calibrant._output import installed_version
from calibrant._predictions import Predictions
from calibrant.effects import MEASURES, Effect, arrange
from calibrant.io import PredictionScan
from calibrant.methods import Aggregated
from calibrant.plots import DetectableDisplay
from calibrant.report import _figures
from calibrant.report._answers import answer
from calibrant.report._document import (
    ComparisonReport,
    ModelReport,
    ReportDocument,
    Reproduction,
)
from calibrant.report._figures import Source
from calibrant.report._rows import Rows
from calibrant.report._settings import (
    FLOOR_PAIRS,
    FLOOR_RESAMPLES,
    About,
    Settings,
    count_diagrams,
)
from calibrant.report._shares import TEST, stage_shares

#: libraries that numbers and plots depend on
_LIBRARIES = ("numpy", "scipy", "matplotlib")
_CITATION = (
    "D. Widmann, F. Lindsten and D. Zachariah, “Calibration tests in multi-class classification: "
    "a unifying framework”, Advances in Neural Information Processing Systems 32, 2019, "
    "https://arxiv.org/abs/1910.11385"
)


@single_threaded_blas()  # BLAS sums depend on the number of threads
def compute(
    models: Mapping[str, Predictions | PredictionScan],
    groups: Any,
    settings: Settings,
    parallel: Parallel,
    title: str,
    about: About,
    origin: Mapping[str, Any],
) -> ReportDocument:
    """Run tests, localization, repair, measures and comparison, and draw the plots."""
    n_models = len(models)
    n_classes = next(iter(models.values())).n_classes
    shares = stage_shares(n_classes, count_diagrams(n_classes, n_models), repair=settings.repair)
    comparing = [n_models * shares[0]] if n_models > 1 else []
    stages = Stages(parallel.progress, shares * n_models + comparing)
    reports, in_memory = {}, {}
    for name, model in models.items():
        rows = Rows.of(model, parallel)
        in_memory[name] = rows.some
        file = {key: origin.get(key, {}).get(name) for key in ("inputs", "checksums")}
        reports[name] = _model(rows, groups, settings, parallel, stages, n_models, file)
    comparison = None if n_models == 1 else _compare(in_memory, settings, parallel, stages)
    stages.end()
    return ReportDocument(
        title=title,
        about=about,
        seed=settings.seed,
        settings=settings,
        models=reports,
        comparison=comparison,
        reproduce=Reproduction(
            command=origin.get("command"),
            core=str(core_info()["core"]),
            versions={name: installed_version(name) for name in _LIBRARIES},
            citation=_CITATION,
        ),
    )


def _model(
    rows: Rows,
    groups: Any,
    settings: Settings,
    parallel: Parallel,
    stages: Stages,
    n_models: int,
    file: Mapping[str, Any],
) -> ModelReport:
    run: dict[str, Any] = {
        "rng": settings.seed, "n_jobs": parallel.n_jobs, "executor": parallel.executor
    }  # fmt: skip
    predictions, draws = rows.some, settings.n_resamples
    test = calibration_test(rows.whole, method=Aggregated(draws), progress=stages.next(), **run)
    stages.correct(TEST * test.details.get("n_resamples", draws) / draws)  # the test may stop early
    places = where(
        predictions,
        groups=groups,
        n_regions=settings.n_regions,
        min_size=settings.min_size,
        n_resamples=draws,
        alpha=settings.alpha,
        progress=stages.next(),
        **run,
    )
    repaired = _repair(predictions, groups, settings, parallel, stages)
    measures = _measures(rows, test, settings, replace(parallel, progress=stages.next()))
    shown = count_diagrams(predictions.n_classes, n_models)
    detectable = DetectableDisplay.from_predictions(predictions)
    source = Source(predictions, test, places, repaired, detectable, shown, settings)
    stages.next()
    return ModelReport(
        verdict=test.verdict,
        against=test.reject(),
        answers=answer(rows.reach_of(test), places, repaired, settings.limit),
        reach=detectable.reach,
        input=file["inputs"],
        checksum=file["checksums"],
        data=rows.data(parallel),
        test=test,
        measures=measures,
        where=places,
        repair=repaired,
        figures={picture.name: tuple(picture.make(source)) for picture in _figures.PICTURES},
    )


def _repair(
    predictions: Predictions,
    groups: Any,
    settings: Settings,
    parallel: Parallel,
    stages: Stages,
) -> RepairResult | None:
    """Return the repair, if requested and possible."""
    if not settings.repair:
        return None
    progress = stages.next()
    if len(np.unique(predictions.y_true[predictions.weights > 0.0])) < 2:
        return None
    return repair(
        predictions,
        groups=groups,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
        n_jobs=parallel.n_jobs,
        progress=progress,
    )


def _compare(
    models: Mapping[str, Predictions], settings: Settings, parallel: Parallel, stages: Stages
) -> ComparisonReport:
    result = compare(
        None,
        models,
        rng=settings.seed,
        n_jobs=parallel.n_jobs,
        executor=parallel.executor,
        progress=stages.next(),
    )
    figures = {picture.name: tuple(picture.make(result)) for picture in _figures.COMPARISONS}
    return ComparisonReport(result, figures)


def _measures(
    rows: Rows, test: CalibrationTestResult, settings: Settings, parallel: Parallel
) -> tuple[Effect, ...]:
    """Return the effects of the test, and all other measures of the report.

    The other measures need all rows in memory.
    """
    predictions = rows.some
    n, m = predictions.n_samples, predictions.n_classes
    wanted = [one for one in MEASURES if one.in_report and one.name not in test.effects]
    if rows.is_streamed:
        wanted = []
    elif n > limits().pair_rows and m > 2:
        wanted = [one for one in wanted if not one.over_pairs]
    resampler = resampler_for(predictions, as_generator(settings.seed), stream=4)
    cheap = m == 2 or n * n * m + 10 * n * m * m <= FLOOR_PAIRS
    effects = dict(test.effects)
    if "skce" in effects and test.noise_floor is not None:
        floor = {"noise_floor": test.noise_floor.to_dict()}
        effects["skce"] = replace(effects["skce"], details={**effects["skce"].details, **floor})
    for done, one in enumerate(wanted, start=1):
        draws = FLOOR_RESAMPLES if cheap or not one.over_pairs else 0
        effects[one.name] = one.measure(
            predictions, parallel.quiet(), n_resamples=draws, resampler=resampler
        )
        if parallel.progress is not None:
            parallel.progress(done, len(wanted))
    return tuple(arrange(effects).values())
