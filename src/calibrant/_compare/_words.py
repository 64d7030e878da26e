"""A comparison in plain words: what the data tell apart, by how much, and what they do not."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from calibrant._compare._difference import Difference
    from calibrant._compare._result import ComparisonResult
    from calibrant.effects import Effect, Interval

#: measure -> its name, and what the better one is
_NAMES = {
    "skce": ("SKCE", "better calibrated"),
    "brier": ("Brier score", "better"),
    "log_loss": ("log loss", "better"),
    "accuracy": ("accuracy", "more accurate"),
}


def summary(result: ComparisonResult) -> str:
    """Return the verdict on calibration, then the models and all differences."""
    by_measure = {m: [d for d in result.differences if d.measure == m] for m in _NAMES}
    calibration = by_measure.pop("skce")
    lines = [_headline(calibration), *_sentences(calibration), ""]
    lines += _columns(_facts(result))
    lines += ["", *_columns(_model_table(result))]
    for measure, differences in by_measure.items():
        lines += ["", f"{_NAMES[measure][0].capitalize()}:", *_sentences(differences)]
    notes = [
        f"  {d.first} and {d.second}, {_NAMES[d.measure][0]}: {d.note}."
        for d in result.differences
        if d.note
    ]
    return "\n".join([*lines, *(["", "Notes:", *notes] if notes else [])])


def _headline(differences: Sequence[Difference]) -> str:
    told = sum(d.better is not None for d in differences)
    if len(differences) == 1:
        [one] = differences
        if one.better is None:
            return (
                f"The data do not tell which of {one.first} and {one.second} is better calibrated."
            )
        return f"{one.better} is better calibrated than {_other(one)}."
    return f"Calibration: the data tell {told} of {len(differences)} pairs of models apart."


def _sentences(differences: Sequence[Difference]) -> list[str]:
    return [f"  {_sentence(d, len(differences))}" for d in differences]


def _sentence(d: Difference, n_comparisons: int) -> str:
    name, verdict = _NAMES[d.measure]
    if math.isnan(d.estimate):
        return f"{d.first} and {d.second}: the difference of {name} is not defined."
    if d.better is None:
        words = (
            f"{d.first} and {d.second} are not told apart: {name} differs by {_number(d.estimate)}"
        )
        how = _interval(d.interval)
    else:
        ahead = d if d.better == d.first else d.swapped()
        sense = "higher" if d.measure == "accuracy" else "lower"
        sign = ahead if d.measure == "accuracy" else ahead.swapped()
        words = (
            f"{d.better} is {verdict} than {_other(d)}: {name} {sense} by {_number(sign.estimate)}"
        )
        how = _interval(sign.interval)
    return f"{words}{how}{_pvalue(d, n_comparisons)}{_equivalence(d)}."


def _other(d: Difference) -> str:
    return d.second if d.better == d.first else d.first


def _pvalue(d: Difference, n_comparisons: int) -> str:
    if math.isnan(d.pvalue):
        return ""
    text = f", p = {_number(d.pvalue)}"
    if n_comparisons == 1:
        return text
    return f"{text} ({_number(d.pvalue_holm)} for all {n_comparisons} comparisons)"


def _equivalence(d: Difference) -> str:
    found = d.equivalence
    if found is None:
        return ""
    margin = _number(found.margin)
    if not found.established:
        return f"; not shown to differ by less than {margin}"
    return f"; differs by less than {margin} (p = {_number(found.pvalue_holm)})"


def _facts(result: ComparisonResult) -> list[tuple[str, ...]]:
    percent = f"{100 * result.level:g} %"
    return [
        ("data", f"{result.n_samples} samples, {result.n_classes} classes"),
        ("kernel", f"{result.kernel}, the same for all models"),
        ("pairs", str(result.details["choice"])),
        ("intervals", f"{percent}, of every comparison by itself; paired jackknife over rows"),
    ]


def _model_table(result: ComparisonResult) -> list[tuple[str, ...]]:
    head = ("model", *(name for name, _ in _NAMES.values()))
    return [head, *((name, *_cells(found)) for name, found in _rows(result))]


def _rows(result: ComparisonResult) -> list[tuple[str, list[Effect]]]:
    return [(name, [found[m] for m in _NAMES]) for name, found in result.models.items()]


def _cells(effects: Sequence[Effect]) -> list[str]:
    return [_number(e.estimate) + _interval(e.interval) for e in effects]


def _columns(table: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  " + "  ".join(f"{cell:<{w}}" for cell, w in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]


def _interval(interval: Interval) -> str:
    return f" [{_number(interval.low)}, {_number(interval.high)}]" if interval.is_known else ""


def _number(value: float) -> str:
    return f"{value:.3g}"
