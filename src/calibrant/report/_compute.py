"""Data in, the document of a report out; every number comes from a call of the library."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._engine import as_generator, resampler_for, sizes
from calibrant._execution import Parallel, Stages, single_threaded_blas
from calibrant._followup.compare import compare
from calibrant._followup.repair import RepairResult, repair
from calibrant._followup.where import where
from calibrant._native import core_info
from calibrant._output import installed_version
from calibrant._predictions import Predictions, class_rates
from calibrant.effects import MEASURES, Effect, arrange
from calibrant.methods import Aggregated
from calibrant.plots import DetectableDisplay
from calibrant.report import _figures
from calibrant.report._answers import answer
from calibrant.report._document import (
    ComparisonReport,
    Data,
    ModelReport,
    ReportDocument,
    Reproduction,
)
from calibrant.report._figures import Source
from calibrant.report._settings import (
    FLOOR_PAIRS,
    FLOOR_RESAMPLES,
    About,
    Settings,
    count_diagrams,
)

#: what numbers and pictures depend on
_LIBRARIES = ("numpy", "scipy", "matplotlib")
#: what the stages of a model take of the time, in their order, as measured for 300 000 rows of
#: three classes; a comparison takes about as long as the tests
SHARES = {"test": 3.0, "where": 4.0, "repair": 3.0, "measures": 0.5, "pictures": 1.5}
_CITATION = (
    "D. Widmann, F. Lindsten and D. Zachariah, “Calibration tests in multi-class classification: "
    "a unifying framework”, Advances in Neural Information Processing Systems 32, 2019, "
    "https://arxiv.org/abs/1910.11385"
)


@single_threaded_blas()  # whose sums depend on the number of its threads
def compute(
    models: Mapping[str, Predictions],
    groups: Any,
    settings: Settings,
    parallel: Parallel,
    title: str,
    about: About,
    origin: Mapping[str, Any],
) -> ReportDocument:
    """Run tests, localization, repair, measures and comparison, and make the pictures."""
    n_models = len(models)
    shares = [share for name, share in SHARES.items() if name != "repair" or settings.repair]
    comparing = [n_models * SHARES["test"]] if n_models > 1 else []
    stages = Stages(parallel.progress, tuple(shares * n_models + comparing))
    reports = {}
    for name, predictions in models.items():
        file = {key: origin.get(key, {}).get(name) for key in ("inputs", "checksums")}
        reports[name] = _model(predictions, groups, settings, parallel, stages, n_models, file)
    comparison = None if n_models == 1 else _compare(models, settings, parallel, stages)
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
    predictions: Predictions,
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
    draws = settings.n_resamples
    test = calibration_test(predictions, method=Aggregated(draws), progress=stages.next(), **run)
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
    measures = _measures(predictions, test, settings, replace(parallel, progress=stages.next()))
    shown = count_diagrams(predictions.n_classes, n_models)
    detectable = DetectableDisplay.from_predictions(predictions)
    source = Source(predictions, test, places, repaired, detectable, shown, settings)
    stages.next()
    return ModelReport(
        verdict=test.verdict,
        against=test.reject(),
        answers=answer(test, places, repaired, settings.limit),
        reach=detectable.reach,
        input=file["inputs"],
        checksum=file["checksums"],
        data=Data(
            n_samples=predictions.n_samples,
            n_classes=predictions.n_classes,
            weighted=predictions.sample_weight is not None,
            n_clusters=None if predictions.clusters is None else predictions.n_clusters,
            ordered=predictions.has_order,
            sha256=_fingerprint(predictions),
            classes=class_rates(predictions),
        ),
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
    """Look for a repair, if that was asked for and there is something to learn from."""
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
    predictions: Predictions, test: CalibrationTestResult, settings: Settings, parallel: Parallel
) -> tuple[Effect, ...]:
    """Return what the test measured, and every other measure of the report."""
    n, m = predictions.n_samples, predictions.n_classes
    wanted = [one for one in MEASURES if one.in_report and one.name not in test.effects]
    if n > sizes.PAIR_ROWS and m > 2:
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


def _fingerprint(predictions: Predictions) -> str:
    """Return the SHA-256 of labels, probabilities, weights and clusters, little-endian."""
    digest = hashlib.sha256()
    digest.update(np.ascontiguousarray(predictions.y_true, dtype="<i8").tobytes())
    digest.update(np.ascontiguousarray(predictions.y_prob, dtype="<f8").tobytes())
    if predictions.sample_weight is not None:
        digest.update(np.ascontiguousarray(predictions.sample_weight, dtype="<f8").tobytes())
    if predictions.clusters is not None:
        digest.update(np.ascontiguousarray(predictions.clusters, dtype="<i8").tobytes())
    return digest.hexdigest()
