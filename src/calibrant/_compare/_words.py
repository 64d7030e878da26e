"""A comparison in plain words: what the data tell apart, by how much, and what they do not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from calibrant._compare._difference import Difference
from calibrant._output import Section, Table, counted, estimate_text, facts, number, percent
from calibrant.effects import Effect

if TYPE_CHECKING:
    from calibrant._compare._result import ComparisonResult

#: measure -> its name, and what the better one is
_NAMES = {
    "skce": ("SKCE", "better calibrated"),
    "brier": ("Brier score", "better"),
    "log_loss": ("log loss", "better"),
    "accuracy": ("accuracy", "more accurate"),
}


def verdict(result: ComparisonResult) -> str:
    """Say which model is better calibrated, or how many pairs the data tell apart."""
    differences = _of(result, "skce")
    if len(differences) > 1:
        told = sum(d.better is not None for d in differences)
        return f"Calibration: the data tell {told} of {len(differences)} pairs of models apart."
    [one] = differences
    if one.better is None:
        return f"The data do not tell which of {one.first} and {one.second} is better calibrated."
    return f"{one.better} is better calibrated than {_other(one)}."


def sentences(result: ComparisonResult, measure: str) -> tuple[str, ...]:
    """Say what every pair of models differs by in a measure."""
    differences = _of(result, measure)
    return tuple(_sentence(d, len(differences)) for d in differences)


def notes(result: ComparisonResult) -> tuple[str, ...]:
    """Say what to read with care."""
    return tuple(
        f"{d.first} and {d.second}, {_NAMES[d.measure][0]}: {d.note}."
        for d in result.differences
        if d.note
    )


def sections(result: ComparisonResult) -> tuple[Section, ...]:
    """Return calibration, how it was compared, the models, and every other measure."""
    others = [
        Section(f"{_NAMES[measure][0].capitalize()}:", sentences(result, measure))
        for measure in _NAMES
        if measure != "skce"
    ]
    noted = [Section("Notes:", result.notes)] if result.notes else []
    return (
        Section(sentences=result.highlights),
        Section(table=facts(_facts(result))),
        Section(table=_model_table(result)),
        *others,
        *noted,
    )


def _of(result: ComparisonResult, measure: str) -> list[Difference]:
    return [d for d in result.differences if d.measure == measure]


def _sentence(d: Difference, n_comparisons: int) -> str:
    name, better = _NAMES[d.measure]
    if math.isnan(d.estimate):
        return f"{d.first} and {d.second}: the difference of {name} is not defined."
    if d.better is None:
        words, shown = f"{d.first} and {d.second} are not told apart: {name} differs by", d
    else:
        ahead = d if d.better == d.first else d.swapped()
        more = d.measure == "accuracy"
        shown = ahead if more else ahead.swapped()
        sense = "higher" if more else "lower"
        words = f"{d.better} is {better} than {_other(d)}: {name} {sense} by"
    text = estimate_text(shown.estimate, shown.interval.low, shown.interval.high)
    return f"{words} {text}{_pvalue(d, n_comparisons)}{_equivalence(d)}."


def _other(d: Difference) -> str:
    return d.second if d.better == d.first else d.first


def _pvalue(d: Difference, n_comparisons: int) -> str:
    if math.isnan(d.pvalue):
        return ""
    text = f", p = {number(d.pvalue)}"
    if n_comparisons == 1:
        return text
    return f"{text} ({number(d.pvalue_holm)} for all {n_comparisons} comparisons)"


def _equivalence(d: Difference) -> str:
    found = d.equivalence
    if found is None:
        return ""
    margin = number(found.margin)
    if not found.established:
        return f"; not shown to differ by less than {margin}"
    return f"; differs by less than {margin} (p = {number(found.pvalue_holm)})"


def _facts(result: ComparisonResult) -> list[tuple[str, str]]:
    level = percent(result.confidence_level, 6)
    return [
        ("data", f"{counted(result.n_samples, 'sample')}, {counted(result.n_classes, 'class')}"),
        ("kernel", f"{result.kernel}, the same for all models"),
        ("pairs", str(result.details["choice"])),
        ("intervals", f"{level}, of every comparison by itself; paired jackknife over rows"),
    ]


def _model_table(result: ComparisonResult) -> Table:
    columns = ("model", *(name for name, _ in _NAMES.values()))
    rows = (
        (name, *(_cell(effects[measure]) for measure in _NAMES))
        for name, effects in result.models.items()
    )
    return Table(tuple(rows), columns, indent="  ")


def _cell(effect: Effect) -> str:
    return estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
