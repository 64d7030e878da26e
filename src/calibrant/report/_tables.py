"""Tables of a page: the numbers of the document as text, and measures in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from calibrant._compare import ComparisonResult
from calibrant._output import UNKNOWN, Table, estimate_text, number, range_text
from calibrant._predictions import name_text
from calibrant._where import Finding, chance_text, share_text
from calibrant.effects import Effect, NoiseFloor, find_measure
from calibrant.methods import FAMILY_NAMES
from calibrant.report._document import Figure, ModelReport

#: longer names are cut in tables
_LONGEST = 80
_SIDES = {0: "within noise", -1: "less often than predicted", 1: "more often than predicted"}


def cell(name: Any) -> str:
    """Return a name that a user gave as one line."""
    return name_text(name, _LONGEST)


def class_table(models: Mapping[str, ModelReport]) -> Table:
    """Return rows and rates of the classes, with the mean probability of every model."""
    means = ["Mean probability"] if len(models) == 1 else [f"Mean of {cell(n)}" for n in models]
    rows = tuple(
        (
            cell(same[0].name),
            str(same[0].count),
            f"{same[0].base_rate:.4f}",
            *(f"{one.mean_probability:.4f}" for one in same),
        )
        for same in zip(*(model.data.classes for model in models.values()), strict=True)
    )
    columns = ("Class", "Rows", "Base rate", *means)
    caption = "Classes: how often each occurs, and how probable it is predicted on average"
    return Table(rows, columns, frozenset(range(1, len(columns))), caption)


def measure_table(models: Mapping[str, ModelReport], *, in_words: bool = True) -> Table:
    """Return every measure with interval, noise floor and meaning; of several models in columns."""
    several = len(models) > 1
    table = _measures_of_several(models) if several else _measures_of_one(*models.values())
    if in_words:
        return table
    rows = tuple(row[:-1] for row in table.rows)
    return Table(rows, table.columns[:-1], table.numeric, table.caption)


def _measures_of_one(model: ModelReport) -> Table:
    rows = []
    for measure in model.measures:
        floor = noise_floor(measure, model)
        rows.append(
            (
                _name(measure),
                number(measure.estimate),
                range_text(measure.interval.low, measure.interval.high),
                _floor_text(floor),
                _meaning(measure, floor),
            )
        )
    columns = ("Measure", "Value", "95 % interval", "If calibrated", "In words")
    caption = "Every measure with its interval, and what a calibrated model would show"
    return Table(tuple(rows), columns, frozenset({1}), caption)


def _measures_of_several(models: Mapping[str, ModelReport]) -> Table:
    rows = []
    for same in zip(*(model.measures for model in models.values()), strict=True):
        cells = [
            _measure_cell(measure, noise_floor(measure, model))
            for measure, model in zip(same, models.values(), strict=True)
        ]
        words = same[0].meaning
        rows.append((_name(same[0]), *cells, f"{words[:1].upper()}{words[1:]}."))
    columns = ("Measure", *(cell(name) for name in models), "In words")
    caption = "Every measure: value, 95 % interval in brackets, and what chance alone would show"
    return Table(tuple(rows), columns, caption=caption)


def _measure_cell(measure: Effect, floor: NoiseFloor | None) -> str:
    text = estimate_text(measure.estimate, measure.interval.low, measure.interval.high)
    chance = floor is not None and floor.n_resamples
    return f"{text}; chance {number(floor.mean)}" if floor and chance else text


def _name(measure: Effect) -> str:
    """Return what a measure is called, with the event that it looks at."""
    return find_measure(measure.name).title.format(event=measure.details.get("event"))


def _meaning(measure: Effect, floor: NoiseFloor | None) -> str:
    """Say what a measured number means, in plain words."""
    if math.isnan(measure.estimate):
        return measure.note or "Not known from these data."
    return f"{find_measure(measure.name).put_into_words(measure, floor)} {measure.note}".strip()


def noise_floor(measure: Effect, model: ModelReport) -> NoiseFloor | None:
    """Return the noise floor of a measure, which for the SKCE is that of the test."""
    return model.test.noise_floor if measure.name == "skce" else measure.noise_floor


def _floor_text(floor: NoiseFloor | None) -> str:
    if floor is None or not floor.n_resamples:
        return UNKNOWN
    return f"{number(floor.mean)} ± {number(floor.sd)}"


def reliability_table(figure: Figure) -> Table:
    """Return the bins of a reliability diagram."""
    t = figure.table
    rows = tuple(
        (
            range_text(t["lower"][k], t["upper"][k]),
            str(t["count"][k]),
            number(t["predicted"][k]),
            number(t["observed"][k]),
            _SIDES[t["outside"][k]],
            range_text(t["interval_low"][k], t["interval_high"][k]),
            range_text(t["bin_low"][k], t["bin_high"][k]),
            range_text(t["band_low"][k], t["band_high"][k]),
        )
        for k in range(len(t["count"]))
    )
    columns = ("Bin", "Rows", "Predicted", "Observed", "Finding", "95 % interval",
               "Calibrated, each bin", "Calibrated, all bins")  # fmt: skip
    return Table(rows, columns, frozenset({1, 2, 3}), f"Bins of “{figure.title}”")


def number_table(figure: Figure, columns: Sequence[str]) -> Table:
    """Return a table of plain numbers, with names for its columns."""
    rows = tuple(
        tuple("yes" if v is True else "no" if v is False else number(v) for v in row)
        for row in zip(*figure.table.values(), strict=True)
    )
    numeric = frozenset(range(len(columns)))
    return Table(rows, tuple(columns), numeric, f"Numbers of “{figure.title}”")


def component_table(details: Mapping[str, Any]) -> Table:
    """Return how strongly each part of the aggregated test spoke."""
    rows = [
        *((FAMILY_NAMES[name], number(tail)) for name, tail in details["components"].items()),
        *((f"… {name}", number(tail)) for name, tail in details["approximate_tails"].items()),
    ]
    caption = "Parts of the test: the smaller the tail, the stronger the evidence"
    return Table(tuple(rows), ("What it looks for", "Approximate tail"), frozenset({1}), caption)


def finding_table(
    caption: str, findings: Sequence[Finding], beyond: Sequence[Finding], kind: str
) -> Table:
    """Return ranked findings of `where`: classes, regions or groups, in one view or in both."""
    rows = tuple(
        (
            cell(one.name),
            str(one.n_samples),
            chance_text(one.predicted),
            chance_text(one.observed),
            number(one.contribution),
            share_text(one.share),
            number(one.pvalue),
            number(one.adjusted_pvalue),
            *([] if other is None else [number(other.adjusted_pvalue)]),
            one.direction or one.note,
        )
        for one, other in zip_longest(findings, beyond)
    )
    what = "Right" if findings[0].target is None else "Occurred"
    second = ("Beyond",) if beyond else ()
    columns = (kind, "Rows", "Predicted", what, "Part of SKCE", "Share", "p", "Adjusted p",
               *second, "Direction")  # fmt: skip
    return Table(rows, columns, frozenset(range(1, len(columns) - 1)), caption)


def difference_table(result: ComparisonResult) -> Table:
    """Return the differences of models."""
    names = {"skce": "SKCE", "brier": "Brier score", "log_loss": "Log loss", "accuracy": "Accuracy"}
    rows = tuple(
        (
            names[d.measure],
            cell(d.first),
            cell(d.second),
            number(d.estimate),
            range_text(d.interval.low, d.interval.high),
            number(d.pvalue),
            number(d.pvalue_holm),
            cell(d.better) if d.better else "not told apart",
        )
        for d in result.differences
    )
    columns = ("Measure", "First", "Second", "First − second", "95 % interval", "p", "Adjusted p",
               "Better")  # fmt: skip
    return Table(rows, columns, frozenset({3, 5, 6}), "Differences of models on the same rows")
