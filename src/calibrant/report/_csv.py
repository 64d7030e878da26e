"""The summary as one flat table for spreadsheets."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, Any

from calibrant.report._tables import floor_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

COLUMNS = (
    "model",
    "kind",
    "grouping",
    "name",
    "n_samples",
    "estimate",
    "low",
    "high",
    "if_calibrated",
    "predicted",
    "observed",
    "contribution",
    "pvalue",
    "adjusted_pvalue",
)


def to_csv(summary: Mapping[str, Any]) -> str:
    """Return one row a test, measure, class, region and group of every model.

    Texts that a spreadsheet would take for a formula get an apostrophe in front.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for name, model in summary["models"].items():
        for row in _rows(model):
            writer.writerow({key: _safe(value) for key, value in {"model": name, **row}.items()})
    return out.getvalue()


def _rows(model: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    test = model["test"]
    yield {"kind": "test", "name": test["method"], "n_samples": test["n_samples"],
           "estimate": test["statistic"], "pvalue": test["pvalue"]}  # fmt: skip
    for measure in model["measures"]:
        floor = floor_of(measure, test)
        yield {
            "kind": "measure",
            "name": measure["name"],
            "n_samples": test["n_samples"],
            "estimate": measure["estimate"],
            "low": measure["interval"]["low"],
            "high": measure["interval"]["high"],
            "if_calibrated": None if floor is None else floor["mean"],
        }
    found = model["where"]
    for findings in (found["classes"], found["regions"], *found["groups"].values()):
        for one in findings:
            yield {key: one[key] for key in one if key in COLUMNS}


def _safe(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
