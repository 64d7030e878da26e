"""The registry of a report's plots, which the document, the page and the JSON read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from calibrant._calibration_test import CalibrationTestResult
from calibrant._followup.compare import ComparisonResult
from calibrant._followup.repair import RepairResult
from calibrant._followup.where import WhereResult, region_of
from calibrant._output import Table, left_out
from calibrant._predictions import Predictions, name_text
from calibrant.plots import (
    ClassContributionDisplay,
    ComparisonDisplay,
    DetectableDisplay,
    Display,
    NullDistributionDisplay,
    ReliabilityComparisonDisplay,
    ReliabilityDisplay,
    SimplexDisplay,
)
from calibrant.report import _tables as tables
from calibrant.report._settings import Settings

T = TypeVar("T")
#: one at a time, side by side, or each collapsed above the table of its numbers
Layout = Literal["switch", "cards", "folded"]


@dataclass(frozen=True, eq=False)
class Figure:
    """A plot in words, the numbers that it quotes, and those that it draws as equal columns.

    `label` names its class or grouping; `stands_out` says whether it shows something that noise
    does not explain.
    """

    title: str
    description: str
    label: str
    stands_out: bool
    numbers: Mapping[str, float]
    table: Mapping[str, list[Any]]
    rows: Table = field(metadata=left_out())
    display: Display = field(metadata=left_out())


@dataclass(frozen=True, eq=False)
class Source:
    """The data behind the plots of one model."""

    predictions: Predictions
    test: CalibrationTestResult
    where: WhereResult
    repair: RepairResult | None
    detectable: DetectableDisplay
    n_diagrams: int
    settings: Settings


@dataclass(frozen=True)
class Picture(Generic[T]):
    """A kind of plot: its name, its section and layout, and the function that creates it."""

    name: str
    section: str
    layout: Layout
    make: Callable[[T], Iterable[Figure]]


def _figure(display: Display, rows: Table, label: str = "", stands_out: bool = False) -> Figure:
    return Figure(
        title=display.title,
        description=display.describe(),
        label=label,
        stands_out=stands_out,
        numbers=display.numbers(),
        table=display.table(),
        rows=rows,
        display=display,
    )


def _numbers(display: Display, *columns: str) -> Table:
    return tables.number_table(display.title, display.table(), columns)


def _reliability(source: Source) -> Iterable[Figure]:
    """Create the diagram of the event, then those of the classes: all, or the worst first."""
    classes = source.predictions.classes
    chosen = list(classes[:1] if len(classes) == 2 else classes)
    if source.n_diagrams < len(classes):
        known = set(classes)  # the rarest of very many classes are pooled
        ranked = [finding.name for finding in source.where.classes if finding.name in known]
        chosen = ranked[: source.n_diagrams]
    draws, seed = source.settings.n_resamples, source.settings.seed
    labels = (None, *chosen)  # None is the event
    displays = ReliabilityDisplay.several(source.predictions, labels, n_resamples=draws, rng=seed)
    for display in displays:
        name = "predicted label" if display.label is None else name_text(display.label)
        outside = bool(np.any(display.reliability.outside))
        yield _figure(display, tables.reliability_table(display), name, outside)


def _null(source: Source) -> Iterable[Figure]:
    display = NullDistributionDisplay.from_result(source.test)
    yield _figure(display, _numbers(display, "From", "To", "Draws"))


def _detectable(source: Source) -> Iterable[Figure]:
    yield _figure(source.detectable, tables.detectable_table(source.detectable))


def _simplex(source: Source) -> Iterable[Figure]:
    if source.predictions.n_classes == 3:
        display = SimplexDisplay.from_result(source.where)
        yield _figure(display, _numbers(display, *(name_text(n, 40) for n in display.table())))


def _contributions(source: Source) -> Iterable[Figure]:
    where = source.where
    named = {"classes": where.classes, "regions": where.regions, **where.groups}
    for key, findings in named.items():
        title, kind = {
            "classes": ("Classes", "Class"),
            "regions": _regions(where),
        }.get(key, (f"Groups of {name_text(key)}", "Group"))
        display = ClassContributionDisplay.from_result(where, key)
        caption = f"{title}, strongest evidence first"
        beyond = where.paired(findings)
        rows = tables.finding_table(caption, findings, beyond, kind, where.n_resamples)
        yield _figure(display, rows, title, any(one in where.significant for one in findings))


def _regions(where: WhereResult) -> tuple[str, str]:
    """Return the title of the regions, and the probability that defines them."""
    what = region_of(where.regions[0].target) if where.regions else "confidence"
    return f"Regions of {what}", what[0].upper() + what[1:]


def _repair(source: Source) -> Iterable[Figure]:
    """Create reliability diagrams before and after the repair, on unseen rows."""
    repair, settings = source.repair, source.settings
    if repair is None or repair.is_identity or repair.repaired is None:
        return
    before = source.predictions.take(source.predictions.weights > 0.0)
    display = ReliabilityComparisonDisplay.from_predictions(
        {"as it is": before, "repaired": repair.repaired},
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    yield _figure(display, tables.curves_table(display))


def _comparison(result: ComparisonResult) -> Iterable[Figure]:
    yield _figure(ComparisonDisplay.from_result(result), tables.difference_table(result))


#: of every model
PICTURES: tuple[Picture[Source], ...] = (
    Picture("reliability", "reliability", "switch", _reliability),
    Picture("repair", "repair", "cards", _repair),
    Picture("null", "test", "cards", _null),
    Picture("detectable", "test", "cards", _detectable),
    Picture("simplex", "where", "cards", _simplex),
    Picture("contributions", "where", "folded", _contributions),
)
#: of all models together
COMPARISONS: tuple[Picture[ComparisonResult], ...] = (
    Picture("comparison", "comparison", "cards", _comparison),
)
