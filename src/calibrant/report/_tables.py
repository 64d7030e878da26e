"""Tables of a page: the numbers of the summary as text, nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calibrant.plots._text import name_text, percent
from calibrant.report._words import (
    NAMES,
    floor_text,
    interval_text,
    meaning,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

#: longer names are cut in tables
_LONGEST = 80
#: tables of more rows can be searched
SEARCHED = 50


@dataclass(frozen=True)
class Table:
    """Caption, columns and rows of text.

    Attributes
    ----------
    caption : str
    columns : tuple of str
        Names; those of numbers are in `numeric`.
    rows : tuple of tuples of str
    numeric : frozenset of int
        Which columns hold numbers.
    left_out : int
        Rows that are not shown.
    """

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: frozenset[int] = frozenset()
    left_out: int = 0

    @property
    def searched(self) -> bool:
        """Whether there are so many rows that one would search."""
        return len(self.rows) > SEARCHED

    def cut(self, limit: int) -> Table:
        """Return the first rows."""
        if len(self.rows) <= limit:
            return self
        return replace(self, rows=self.rows[:limit], left_out=len(self.rows) - limit)


def cell(name: Any) -> str:
    """Return a name that a user gave as one line."""
    return name_text(name, _LONGEST)


def class_table(models: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return rows and rates of the classes, with the mean probability of every model."""
    first = next(iter(models.values()))["data"]["classes"]
    means = ["Mean probability"] if len(models) == 1 else [f"Mean of {cell(n)}" for n in models]
    rows = tuple(
        (
            cell(one["name"]),
            str(one["count"]),
            f"{one['base_rate']:.4f}",
            *(f"{m['data']['classes'][k]['mean_probability']:.4f}" for m in models.values()),
        )
        for k, one in enumerate(first)
    )
    columns = ("Class", "Rows", "Base rate", *means)
    caption = "Classes: how often each occurs, and how probable it is predicted on average"
    return Table(caption, columns, rows, frozenset(range(1, len(columns))))


def measure_table(models: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return every measure with interval, noise floor and meaning; of several models in columns."""
    if len(models) > 1:
        return _measures_of_several(models)
    [model] = models.values()
    rows = []
    for measure in model["measures"]:
        floor = floor_of(measure, model["test"])
        rows.append(
            (
                NAMES.get(measure["name"], measure["name"]),
                shown(measure["estimate"]),
                interval_text(measure["interval"]),
                floor_text(floor),
                meaning(measure, floor),
            )
        )
    columns = ("Measure", "Value", "95 % interval", "If calibrated", "In words")
    caption = "Every measure with its interval, and what a calibrated model would show"
    return Table(caption, columns, tuple(rows), frozenset({1}))


def _measures_of_several(models: Mapping[str, Mapping[str, Any]]) -> Table:
    rows = []
    for same in zip(*(model["measures"] for model in models.values()), strict=True):
        cells = [
            _measured_cell(measure, floor_of(measure, model["test"]))
            for measure, model in zip(same, models.values(), strict=True)
        ]
        name, words = same[0]["name"], same[0]["meaning"]
        rows.append((NAMES.get(name, name), *cells, f"{words[:1].upper()}{words[1:]}."))
    columns = ("Measure", *(cell(name) for name in models), "In words")
    caption = "Every measure: value, 95 % interval in brackets, and what chance alone would show"
    return Table(caption, columns, tuple(rows))


def _measured_cell(measure: Mapping[str, Any], floor: Mapping[str, Any] | None) -> str:
    interval = measure["interval"]
    text = shown(measure["estimate"])
    if interval["low"] is not None:
        text += f" [{shown(interval['low'])}, {shown(interval['high'])}]"
    if floor is not None and floor["n_resamples"]:
        text += f"; chance {shown(floor['mean'])}"
    return text


def floor_of(measure: Mapping[str, Any], test: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the noise floor of a measure, which for the SKCE is that of the test."""
    if measure["name"] == "skce":
        floor: Mapping[str, Any] | None = test["noise_floor"]
        return floor
    found: Mapping[str, Any] | None = measure["details"].get("noise_floor")
    return found


def reliability_table(figure: Mapping[str, Any]) -> Table:
    """Return the bins of a reliability diagram."""
    t = figure["table"]
    verdicts = {0: "within noise", -1: "less often than predicted", 1: "more often than predicted"}
    rows = tuple(
        (
            f"{shown(t['lower'][k])} to {shown(t['upper'][k])}",
            str(t["count"][k]),
            shown(t["predicted"][k]),
            shown(t["observed"][k]),
            verdicts[t["outside"][k]],
            _range(t["interval_low"][k], t["interval_high"][k]),
            _range(t["bin_low"][k], t["bin_high"][k]),
            _range(t["band_low"][k], t["band_high"][k]),
        )
        for k in range(len(t["count"]))
    )
    columns = ("Bin", "Rows", "Predicted", "Observed", "Finding", "95 % interval",
               "Calibrated, each bin", "Calibrated, all bins")  # fmt: skip
    return Table(f"Bins of “{figure['title']}”", columns, rows, frozenset({1, 2, 3}))


def number_table(figure: Mapping[str, Any], columns: Sequence[str]) -> Table:
    """Return a table of plain numbers, with names for its columns."""
    values = list(figure["table"].values())
    rows = tuple(
        tuple("yes" if v is True else "no" if v is False else shown(v) for v in row)
        for row in zip(*values, strict=True)
    )
    return Table(f"Numbers of “{figure['title']}”", tuple(columns), rows,
                 frozenset(range(len(columns))))  # fmt: skip


def component_table(test: Mapping[str, Any]) -> Table:
    """Return how strongly each part of the aggregated test spoke."""
    from calibrant.methods._aggregated import FAMILY_NAMES

    details = test["details"]
    rows = [
        (FAMILY_NAMES[name], shown(tail)) for name, tail in details.get("components", {}).items()
    ]
    rows += [
        (f"… {name}", shown(tail)) for name, tail in details.get("approximate_tails", {}).items()
    ]
    return Table("Parts of the test: the smaller the tail, the stronger the evidence",
                 ("What it looks for", "Approximate tail"), tuple(rows),
                 frozenset({1}))  # fmt: skip


def finding_table(caption: str, findings: Sequence[Mapping[str, Any]], kind: str) -> Table:
    """Return ranked findings of `where`: classes, regions or groups."""
    from calibrant._where._result import Finding

    what = "Occurred" if kind == "Class" else "Right"
    rows = tuple(
        (
            cell(one["name"]),
            str(one["n_samples"]),
            shown(one["predicted"]),
            shown(one["observed"]),
            shown(one["contribution"]),
            percent(round(100 * one["share"]) / 100) if one["share"] is not None else "–",
            shown(one["pvalue"]),
            shown(one["adjusted_pvalue"]),
            Finding.from_dict(one).direction or one["note"],
        )
        for one in findings
    )
    columns = (kind, "Rows", "Predicted", what, "Part of SKCE", "Share", "p", "Adjusted p",
               "Direction")  # fmt: skip
    return Table(caption, columns, rows, frozenset(range(1, 8)))


def difference_table(result: Mapping[str, Any]) -> Table:
    """Return the differences of models."""
    from calibrant._compare import ComparisonResult

    found = ComparisonResult.from_dict(result)
    names = {"skce": "SKCE", "brier": "Brier score", "log_loss": "Log loss", "accuracy": "Accuracy"}
    rows = tuple(
        (
            names[d.measure],
            cell(d.first),
            cell(d.second),
            shown(d.estimate),
            interval_text(d.interval.to_dict()),
            shown(d.pvalue),
            shown(d.pvalue_holm),
            cell(d.better) if d.better else "not told apart",
        )
        for d in found.differences
    )
    columns = ("Measure", "First", "Second", "First − second", "95 % interval", "p", "Adjusted p",
               "Better")  # fmt: skip
    return Table("Differences of models on the same rows", columns, rows, frozenset({3, 5, 6}))


def _range(low: Any, high: Any) -> str:
    return "–" if low is None else f"{shown(low)} to {shown(high)}"
