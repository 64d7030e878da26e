"""Tables of a report: results as text, and measures in plain words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from calibrant._followup.compare import TITLES, ComparisonResult, Difference
from calibrant._followup.repair import Candidate, Change, Check, RepairResult
from calibrant._followup.where import Finding, share_text
from calibrant._output import (
    UNKNOWN,
    Table,
    estimate_cells,
    estimate_text,
    factor_text,
    number,
    probability_text,
    pvalue_cell,
    range_text,
)
from calibrant._predictions import ClassRate, name_text
from calibrant.binning import Reliability
from calibrant.effects import Effect, find_measure
from calibrant.estimators import CorpCurve
from calibrant.methods import family_names
from calibrant.plots import DetectableDisplay, ReliabilityComparisonDisplay, ReliabilityDisplay

T = TypeVar("T")
#: headings, with the functions that give their cells
_Columns = dict[str, Callable[[T], str]]

_SIDES = {0: "within noise", -1: "less often than predicted", 1: "more often than predicted"}


def cell(name: Any) -> str:
    """Return a user's name as one short line."""
    return name_text(name, 80)


def class_table(models: Mapping[str, Sequence[ClassRate]]) -> Table:
    """Return rows and rates of the classes, with the mean probability of every model."""
    means = ["Mean probability"] if len(models) == 1 else [f"Mean of {cell(n)}" for n in models]
    rows = tuple(
        (
            cell(same[0].name),
            f"{same[0].count:,}",
            f"{same[0].base_rate:.4f}",
            *(f"{one.mean_probability:.4f}" for one in same),
        )
        for same in zip(*models.values(), strict=True)
    )
    columns = ("Class", "Rows", "Base rate", *means)
    caption = "Classes: how often each occurs, and its average predicted probability"
    return Table(rows, columns, frozenset(range(1, len(columns))), caption)


def measure_table(models: Mapping[str, Sequence[Effect]], *, in_words: bool = True) -> Table:
    """Return every measure with interval, noise floor and meaning; several models in columns."""
    one = len(models) == 1
    table = _measures_of_one(*models.values()) if one else _measures_of_several(models)
    if in_words:
        return table
    return replace(table, rows=tuple(row[:-1] for row in table.rows), columns=table.columns[:-1])


def _measures_of_one(measures: Sequence[Effect]) -> Table:
    columns: _Columns[Effect] = {
        "Measure": _name,
        "Value": lambda one: estimate_cells(*_ends(one))[0],
        "95 % interval": lambda one: estimate_cells(*_ends(one))[1],
        "If calibrated": _floor_text,
        "In words": _meaning,
    }
    caption = "Every measure with its interval, and what a calibrated model would show"
    return _table(caption, measures, columns, {1})


def _measures_of_several(models: Mapping[str, Sequence[Effect]]) -> Table:
    rows = tuple(
        (_name(same[0]), *map(_measure_cell, same), f"{_capitalize(same[0].meaning)}.")
        for same in zip(*models.values(), strict=True)
    )
    columns = ("Measure", *map(cell, models), "In words")
    caption = "Every measure: value, 95 % interval in brackets, and what chance alone would show"
    return Table(rows, columns, caption=caption)


def _measure_cell(measure: Effect) -> str:
    text = estimate_text(measure.estimate, measure.interval.low, measure.interval.high)
    floor = measure.noise_floor
    return f"{text}; chance {number(floor.mean)}" if floor and floor.n_resamples else text


def _capitalize(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _name(measure: Effect) -> str:
    """Return the name of a measure, with its event."""
    return find_measure(measure.name).title.format(event=measure.details.get("event"))


def _meaning(measure: Effect) -> str:
    """Describe the meaning of a measured number."""
    if math.isnan(measure.estimate):
        return measure.note or "Not known from these data."
    words = find_measure(measure.name).put_into_words(measure, measure.noise_floor)
    return f"{words} {measure.note}".strip()


def _floor_text(measure: Effect) -> str:
    floor = measure.noise_floor
    if floor is None or not floor.n_resamples:
        return UNKNOWN
    return f"{number(floor.mean)} ± {number(floor.sd)}"


def reliability_table(display: ReliabilityDisplay) -> Table:
    """Return the bins or steps of a reliability diagram."""
    t = display.reliability
    what = "step" if isinstance(t, CorpCurve) else "bin"
    columns: dict[str, Callable[[int], str]] = {
        what.capitalize(): lambda k: " to ".join(map(probability_text, (t.lower[k], t.upper[k]))),
        "Rows": lambda k: f"{t.count[k]:,}",
        "Predicted": lambda k: probability_text(t.predicted[k]),
        "Observed": lambda k: number(t.observed[k]),
        "Finding": lambda k: _SIDES[int(t.outside[k])],
    }
    if isinstance(t, Reliability):
        columns["95 % interval"] = lambda k: range_text(t.interval_low[k], t.interval_high[k])
    columns[f"Calibrated, each {what}"] = lambda k: range_text(t.bin_low[k], t.bin_high[k])
    columns[f"Calibrated, all {what}s"] = lambda k: range_text(t.band_low[k], t.band_high[k])
    caption = f"{what.capitalize()}s of “{display.title}”"
    return _table(caption, range(len(t)), columns, {1, 2, 3})


def detectable_table(display: DetectableDisplay) -> Table:
    """Return how many rows are needed to detect each temperature."""
    rows = tuple(
        (factor_text(t), UNKNOWN if n is None else f"{round(n):,}")
        for t, n in zip(*display.table().values(), strict=True)
    )
    caption = f"Numbers of “{display.title}”"
    return Table(rows, ("Temperature", "Rows needed"), frozenset({0, 1}), caption)


def repair_tables(repair: RepairResult) -> list[Table]:
    """Return the evidence for a repair, or for leaving the model unchanged."""
    if repair.is_identity:
        return [candidate_table(repair)]
    return [change_table(repair), candidate_table(repair), check_table(repair)]


def candidate_table(repair: RepairResult) -> Table:
    """Return the changes by every map on unseen rows."""
    columns: _Columns[Candidate] = {
        "Map": lambda one: one.name,
        "Parameters": lambda one: UNKNOWN if one.n_parameters is None else str(one.n_parameters),
        "Log loss": lambda one: _change(one.log_loss),
        "Brier score": lambda one: _change(one.brier),
        "Note": lambda one: "chosen" if one.name == repair.chosen else one.note,
    }
    caption = "Change on unseen rows by each map, with 95 % intervals; negative is better"
    return _table(caption, repair.candidates, columns, {1})


def _change(effect: Effect | None) -> str:
    if effect is None:
        return UNKNOWN
    if effect.estimate == effect.standard_error == 0.0:  # the identity
        return "0"
    return estimate_text(effect.estimate, effect.interval.low, effect.interval.high)


def change_table(repair: RepairResult) -> Table:
    """Return the measures before and after a repair, on unseen rows."""
    columns: _Columns[Change] = {
        "Measure": lambda one: _name(one.before),
        "As it is": lambda one: _change(one.before),
        "Repaired": lambda one: _change(one.after),
    }
    return _table("Before and after, on unseen rows", repair.measures, columns, ())


def check_table(repair: RepairResult) -> Table:
    """Return the tests after a repair; that of the original model is at the top of the page."""
    after = [one for one in repair.checks if one.question != "the model as it is"]
    columns: _Columns[Check] = {
        "Test": lambda one: one.question[0].upper() + one.question[1:],
        "Rows": lambda one: f"{one.n_samples:,}",
        "p": lambda one: pvalue_cell(one.pvalue, repair.details.get("n_resamples")),
        "Direction": lambda one: one.direction or "",
    }
    return _table("Tests of calibration after the repair", after, columns, {1, 2})


def curves_table(display: ReliabilityComparisonDisplay) -> Table:
    """Return the bins or steps of several reliability diagrams."""
    parts = {name: reliability_table(one) for name, one in display.models.items()}
    columns = ("Model", *next(iter(parts.values())).columns)
    rows = tuple((name, *row) for name, part in parts.items() for row in part.rows)
    return Table(rows, columns, frozenset({2, 3, 4}), f"Numbers of “{display.title}”")


def number_table(title: str, table: Mapping[str, list[Any]], columns: Sequence[str]) -> Table:
    """Return a table of plain numbers, with names for its columns."""
    words = {True: "yes", False: "no"}
    rows = tuple(
        tuple(words[v] if isinstance(v, bool) else number(v) for v in row)
        for row in zip(*table.values(), strict=True)
    )
    numeric = frozenset(range(len(columns)))
    return Table(rows, tuple(columns), numeric, f"Numbers of “{title}”")


def component_table(details: Mapping[str, Any], n_classes: int) -> Table:
    """Return the strength of the evidence of each part of the aggregated test."""
    names = family_names(n_classes)
    rows = [
        *((names[name], number(tail)) for name, tail in details["components"].items()),
        *((f"… {name}", number(tail)) for name, tail in details["approximate_tails"].items()),
    ]
    caption = "Parts of the test: the smaller the tail, the stronger the evidence"
    return Table(tuple(rows), ("What it looks for", "Approximate tail"), frozenset({1}), caption)


def finding_table(
    caption: str,
    findings: Sequence[Finding],
    beyond: Sequence[Finding],
    kind: str,
    n_resamples: int | None = None,
) -> Table:
    """Return ranked findings of `where`: classes, regions or groups, in one view or in both."""
    other = dict(zip(map(id, findings), beyond, strict=False))
    right = bool(findings) and findings[0].target is None
    columns: _Columns[Finding] = {
        kind: lambda one: cell(one.name),
        "Rows": lambda one: f"{one.n_samples:,}",
        "Predicted": lambda one: one.rates[0],
        "Right" if right else "Occurred": lambda one: one.rates[1],
        "Part of SKCE": lambda one: number(one.contribution),
        "Share": lambda one: share_text(one.share),
        "p": lambda one: pvalue_cell(one.pvalue, n_resamples),
        "Adjusted p": lambda one: pvalue_cell(one.adjusted_pvalue, n_resamples),
    }
    if beyond:
        columns["Beyond"] = lambda one: pvalue_cell(other[id(one)].adjusted_pvalue, n_resamples)
    numeric = range(1, len(columns))
    columns["Direction"] = lambda one: one.direction or one.note
    return _table(caption, findings, columns, numeric)


def difference_table(result: ComparisonResult) -> Table:
    """Return the differences between models."""
    columns: _Columns[Difference] = {
        "Measure": lambda d: TITLES[d.measure][:1].upper() + TITLES[d.measure][1:],
        "First": lambda d: cell(d.first),
        "Second": lambda d: cell(d.second),
        "First − second": lambda d: estimate_cells(*_ends(d))[0],
        "95 % interval": lambda d: estimate_cells(*_ends(d))[1],
        "p": lambda d: pvalue_cell(d.pvalue),
        "Adjusted p": lambda d: pvalue_cell(d.pvalue_holm),
        "Better": lambda d: cell(d.better) if d.better else "no difference shown",
    }
    caption = "Differences between models on the same rows"
    return _table(caption, result.differences, columns, {3, 5, 6})


def _ends(effect: Effect | Difference) -> tuple[float, float, float]:
    return effect.estimate, effect.interval.low, effect.interval.high


def _table(caption: str, items: Iterable[T], columns: _Columns[T], numeric: Iterable[int]) -> Table:
    rows = tuple(tuple(column(one) for column in columns.values()) for one in items)
    return Table(rows, tuple(columns), frozenset(numeric), caption)
