"""Files inside the page, as links that need neither network nor script."""

from __future__ import annotations

import base64
import gzip
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant._document import to_json
from calibrant.report._csv import to_csv

if TYPE_CHECKING:
    from collections.abc import Mapping

#: larger files are compressed
_PLAIN = 300_000


@dataclass(frozen=True)
class Download:
    """A file in a link."""

    name: str
    what: str
    address: str
    size: str


def downloads(summary: Mapping[str, Any], limit: int) -> tuple[Download, ...]:
    """Return JSON and CSV, compressed where they are large, and none over the limit."""
    made = (
        _download("calibration.json", "JSON, every number of this page", "application/json",
                  to_json(summary, indent=None)),
        _download("calibration.csv", "CSV, measures and findings for spreadsheets", "text/csv",
                  to_csv(summary)),
    )  # fmt: skip
    return made if sum(len(one.address) for one in made) <= limit else ()


def _download(name: str, what: str, kind: str, text: str) -> Download:
    data = text.encode()
    if len(data) > _PLAIN:
        # without a time: the same bytes for the same numbers
        name, what = f"{name}.gz", f"{what}, compressed"
        kind, data = "application/gzip", gzip.compress(data, 9, mtime=0)
    address = f"data:{kind};base64,{base64.b64encode(data).decode()}"
    return Download(name, what, address, f"{max(1, round(len(data) / 1000))} kB")
