"""The one document that page, JSON, text and CSV are made from."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from calibrant._calibration_test import CalibrationTestResult
from calibrant._compare import ComparisonResult
from calibrant._native import core_info
from calibrant._output import Count, installed_version, left_out, number, percent
from calibrant._predictions import ClassRate, Predictions, class_rates
from calibrant._where import WhereResult
from calibrant.effects import Effect
from calibrant.io import FileFacts
from calibrant.plots import Display
from calibrant.report._contents import Contents, ModelContents
from calibrant.report._settings import Settings

#: what numbers and pictures depend on
_LIBRARIES = ("numpy", "scipy", "matplotlib")
CITATION = (
    "D. Widmann, F. Lindsten and D. Zachariah, “Calibration tests in multi-class classification: "
    "a unifying framework”, Advances in Neural Information Processing Systems 32, 2019, "
    "https://arxiv.org/abs/1910.11385"
)


@dataclass(frozen=True)
class Caption:
    """A picture in words."""

    title: str
    description: str


@dataclass(frozen=True)
class Figure(Caption):
    """A picture in words, and its numbers: columns of equal length."""

    table: Mapping[str, list[Any]]


@dataclass(frozen=True)
class DetectableFigure(Figure):
    """What could be detected; `reach` says it in one sentence."""

    reach: str = field(metadata=left_out())


@dataclass(frozen=True)
class ReliabilityFigure(Figure):
    """A reliability diagram of a class, or of the predicted label where `label` is null."""

    label: str | None
    ece: float


@dataclass(frozen=True)
class Figures:
    """The pictures of a model; the numbers of contributions are those of `where`."""

    reliability: tuple[ReliabilityFigure, ...]
    null: Figure
    detectable: DetectableFigure
    contributions: Mapping[str, Caption]
    simplex: Figure | None


@dataclass(frozen=True)
class Data:
    """Rows and classes; SHA-256 of labels (int64), probabilities and weights, little-endian."""

    n_samples: Count
    n_classes: Count
    weighted: bool
    sha256: str
    classes: tuple[ClassRate, ...]


@dataclass(frozen=True)
class ModelReport:
    """Everything about one model; `against` says whether p is at most 0.05."""

    verdict: str
    against: bool
    input: FileFacts | None
    data: Data
    test: CalibrationTestResult
    measures: tuple[Effect, ...]
    where: WhereResult
    figures: Figures


@dataclass(frozen=True)
class ComparisonReport:
    """The differences of models, and their picture."""

    result: ComparisonResult
    figure: Figure


@dataclass(frozen=True)
class Reproduction:
    """What it takes to make the report again, and what to cite."""

    command: str | None
    core: str
    versions: Mapping[str, str | None]
    citation: str


@dataclass(frozen=True)
class ReportDocument:
    """What `calibrant report --json` writes: everything the page says."""

    title: str
    seed: Count
    settings: Settings
    models: Mapping[str, ModelReport]
    comparison: ComparisonReport | None
    reproduce: Reproduction

    @property
    def several(self) -> bool:
        """Whether it is about more than one model."""
        return len(self.models) > 1

    @property
    def first(self) -> ModelReport:
        """The first model."""
        return next(iter(self.models.values()))


def report_document(
    contents: Contents, settings: Settings, title: str, origin: Mapping[str, Any]
) -> ReportDocument:
    """Return everything that was computed as one document; see docs/report.rst."""
    inputs = origin.get("inputs", {})
    comparison = None
    if contents.comparison is not None and contents.comparison_display is not None:
        comparison = ComparisonReport(contents.comparison, _figure(contents.comparison_display))
    return ReportDocument(
        title=title,
        seed=settings.seed,
        settings=settings,
        models={
            str(name): _model(model, inputs.get(name)) for name, model in contents.models.items()
        },
        comparison=comparison,
        reproduce=Reproduction(
            command=origin.get("command"),
            core=str(core_info()["core"]),
            versions={name: installed_version(name) for name in _LIBRARIES},
            citation=CITATION,
        ),
    )


def _model(model: ModelContents, given: FileFacts | Mapping[str, Any] | None) -> ModelReport:
    predictions = model.predictions
    return ModelReport(
        verdict=_verdict(model.test),
        against=model.test.reject(),
        input=FileFacts.from_dict(given) if isinstance(given, Mapping) else given,
        data=Data(
            n_samples=predictions.n_samples,
            n_classes=predictions.n_classes,
            weighted=predictions.sample_weight is not None,
            sha256=fingerprint(predictions),
            classes=class_rates(predictions),
        ),
        test=model.test,
        measures=model.measures,
        where=model.where,
        figures=_figures(model),
    )


def _verdict(test: CalibrationTestResult) -> str:
    """Return the verdict of a test, then the temperature with its interval."""
    effect = test.effects.get("temperature")
    if effect is None or np.isnan(effect.estimate):
        return test.verdict
    interval = ""
    if effect.interval.is_known:
        level = percent(effect.interval.confidence_level)
        low, high = number(effect.interval.low), number(effect.interval.high)
        interval = f" ({level} interval {low} to {high})"
    return (
        f"{test.verdict} Equivalent temperature {number(effect.estimate)}{interval}, where 1 is "
        "neither over- nor under-confident."
    )


def _figures(model: ModelContents) -> Figures:
    return Figures(
        reliability=tuple(
            ReliabilityFigure(
                *_parts(one), label=None if one.label is None else str(one.label), ece=one.ece
            )
            for one in model.reliability
        ),
        null=_figure(model.null),
        detectable=DetectableFigure(*_parts(model.detectable), reach=model.detectable.reach),
        contributions={
            name: Caption(one.title, one.describe()) for name, one in model.contributions.items()
        },
        simplex=None if model.simplex is None else _figure(model.simplex),
    )


def _figure(display: Display) -> Figure:
    return Figure(*_parts(display))


def _parts(display: Display) -> tuple[str, str, Mapping[str, list[Any]]]:
    return display.title, display.describe(), display.table()


def fingerprint(predictions: Predictions) -> str:
    """Return the SHA-256 of labels, probabilities and weights, little-endian, row by row."""
    found = hashlib.sha256()
    found.update(np.ascontiguousarray(predictions.y_true, dtype="<i8").tobytes())
    found.update(np.ascontiguousarray(predictions.y_prob, dtype="<f8").tobytes())
    if predictions.sample_weight is not None:
        found.update(np.ascontiguousarray(predictions.sample_weight, dtype="<f8").tobytes())
    return found.hexdigest()
