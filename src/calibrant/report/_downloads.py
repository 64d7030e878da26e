"""Downloads of a report: a flat table for spreadsheets, and links that contain whole files."""

from __future__ import annotations

import base64
import csv
import gzip
import io
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any
from unicodedata import normalize

from calibrant._output import short_form, to_plain
from calibrant.report._document import ModelReport, ReportDocument

#: larger files are compressed
_PLAIN = 300_000
COLUMNS = (
    "model", "kind", "grouping", "name", "n_samples", "estimate", "low", "high", "if_calibrated",
    "predicted", "observed", "contribution", "pvalue", "adjusted_pvalue", "beyond_pvalue",
)  # fmt: skip


def downloads(document: str, table: str, limit: int) -> list[dict[str, str]]:
    """Return links with JSON and CSV, compressed if large; none above the limit."""
    links = [
        _link("calibration.json", "JSON, every number of this page", "application/json", document),
        _link("calibration.csv", "CSV, measures and findings for spreadsheets", "text/csv", table),
    ]
    return links if sum(len(link["address"]) for link in links) <= limit else []


def _link(name: str, what: str, kind: str, text: str) -> dict[str, str]:
    data = text.encode(errors="backslashreplace")
    if len(data) > _PLAIN:
        # without a time, for reproducible bytes
        name, what = f"{name}.gz", f"{what}, compressed"
        kind, data = "application/gzip", gzip.compress(data, 9, mtime=0)
    address = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    size = f"{max(1, round(len(data) / 1000))} kB"
    return {"name": name, "what": what, "address": address, "size": size}


def to_csv(document: ReportDocument) -> str:
    """Return one row for each test, measure, class, region and group of every model.

    Texts that a spreadsheet would read as a formula are prefixed with an apostrophe.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for name, model in document.models.items():
        for row in _rows(model):
            plain = to_plain({"model": name, **row})
            writer.writerow({key: _safe(value) for key, value in plain.items()})
    return out.getvalue()


def _rows(model: ModelReport) -> Iterator[dict[str, Any]]:
    test = model.test
    yield {"kind": "test", "name": short_form(test.method), "n_samples": test.n_samples,
           "estimate": test.statistic, "pvalue": test.pvalue}  # fmt: skip
    for measure in model.measures:
        floor = measure.noise_floor
        yield {
            "kind": "measure",
            "name": measure.name,
            "n_samples": test.n_samples,
            "estimate": measure.estimate,
            "low": measure.interval.low,
            "high": measure.interval.high,
            "if_calibrated": None if floor is None else floor.mean,
        }
    for findings in model.where.tables.values():
        for one, other in zip_longest(findings, model.where.paired(findings)):
            row = one.to_dict() | {"beyond_pvalue": other and other.adjusted_pvalue}
            yield {key: value for key, value in row.items() if key in COLUMNS}


def _safe(value: Any) -> Any:
    # spreadsheets skip blanks and accept fullwidth signs
    if not isinstance(value, str):
        return value
    bare = normalize("NFKC", value).lstrip()
    if not (bare.startswith(("=", "+", "-", "@")) or value.startswith(("\t", "\r", "\n"))):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value if value == bare else f"'{value}"  # "\n+1" is not a number
