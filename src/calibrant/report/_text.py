"""The summary as plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant._compare import ComparisonResult
from calibrant._result import CalibrationTestResult
from calibrant._where import WhereResult
from calibrant.report._tables import Table, class_table, measure_table

if TYPE_CHECKING:
    from collections.abc import Mapping

_ROWS = 20


def to_text(summary: Mapping[str, Any]) -> str:
    """Return all sections but the pictures, in the order of the page."""
    models = summary["models"]
    several = len(models) > 1
    parts = [_heading(summary["title"], "="), _verdicts(models)]
    parts += [_heading("The data as understood"), _data(models)]
    parts += [_heading("How badly"), _table(measure_table(models), last=False)]
    for name, model in models.items():
        of = f" of {name}" if several else ""
        test = CalibrationTestResult.from_dict(model["test"])
        parts += [_heading(f"The test{of}"), test.summary()]
        parts += [_heading(f"Where{of}"), WhereResult.from_dict(model["where"]).summary()]
    if summary["comparison"] is not None:
        found = ComparisonResult.from_dict(summary["comparison"]["result"])
        parts += [_heading("Comparison of models"), found.summary()]
    parts += [_heading("How to reproduce this"), _origin(summary)]
    return "\n\n".join(parts) + "\n"


def _heading(text: str, line: str = "-") -> str:
    return f"{text}\n{line * len(text)}"


def _verdicts(models: Mapping[str, Mapping[str, Any]]) -> str:
    if len(models) == 1:
        return str(next(iter(models.values()))["verdict"])
    return "\n".join(f"{name}: {model['verdict']}" for name, model in models.items())


def _data(models: Mapping[str, Mapping[str, Any]]) -> str:
    data = next(iter(models.values()))["data"]
    weighted = ", weighted" if data["weighted"] else ""
    lines = [f"{data['n_samples']} rows, {data['n_classes']} classes{weighted}."]
    files = [model["input"]["file"] for model in models.values() if model["input"]]
    return "\n".join([*lines, *(f"File: {name}" for name in files), "",
                      _table(class_table(models))])  # fmt: skip


def _table(table: Table, last: bool = True) -> str:
    """Return a table; without its last column, if that holds sentences."""
    stop = None if last else -1
    cut = table.cut(_ROWS if last else len(table.rows))
    rows = [table.columns[:stop], *(row[:stop] for row in cut.rows)]
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    lines = [
        "  ".join(
            value.rjust(width) if k in table.numeric else value.ljust(width)
            for k, (value, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    more = [f"… and {cut.left_out} more"] if cut.left_out else []
    return "\n".join([*lines, *more])


def _origin(summary: Mapping[str, Any]) -> str:
    made = summary["reproduce"]
    versions = ", ".join(f"{name} {found}" for name, found in made["versions"].items() if found)
    settings = ", ".join(f"{name} {value}" for name, value in summary["settings"].items())
    lines = [
        f"calibrant {summary['calibrant']} ({made['core']} core), {versions}",
        f"seed {summary['seed']}, {settings}",
        *([made["command"]] if made["command"] else []),
        *(f"SHA-256 of the data{f' of {n}' if len(summary['models']) > 1 else ''}: "
          f"{m['data']['sha256']}" for n, m in summary["models"].items()),
        f"Cite: {made['citation']}",
    ]  # fmt: skip
    return "\n".join(lines)
