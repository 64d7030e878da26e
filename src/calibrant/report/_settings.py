"""The settings of a report."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from calibrant._output import Finite, left_out
from calibrant.binning import check_count

#: most models on one page
MAX_MODELS = 20
#: most reliability diagrams of single classes, for one model and for all together
CLASSES_OF_ONE, CLASSES_OF_ALL = 20, 40
#: number of label sets for the noise floors of errors that the test does not measure
FLOOR_RESAMPLES = 99
#: largest n²·m + 10·n·m² for the noise floor of an error over all pairs of rows
FLOOR_PAIRS = 2e9


class ReportOptions(TypedDict, total=False):
    """The options of a report, including those of `where` and `Predictions`."""

    n_resamples: int
    alpha: float
    n_regions: int
    min_size: int
    repair: bool
    limit: float | None
    dataset: str | None
    author: str | None
    date: str | datetime.date | None
    classes: Iterable[Any] | None
    pos_label: Any
    sample_weight: Any
    clusters: Any
    ordered: bool
    normalize: bool


@dataclass(frozen=True)
class Settings:
    """Everything that changes a number on the page; the options are those of `where`."""

    seed: int = field(metadata=left_out())
    n_resamples: int = 999
    alpha: Finite = 0.05
    n_regions: int = 5
    min_size: int = 20
    repair: bool = False
    limit: Finite | None = None

    def __post_init__(self) -> None:
        check_count("a report", "n_resamples", self.n_resamples, 39)  # for 95 % bands
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"`alpha` must be in (0, 1), for example 0.05; got {self.alpha!r}.")
        if self.limit is not None and not 0.0 < self.limit < 1.0:
            raise ValueError(f"`limit` must be in (0, 1), for example 0.03; got {self.limit!r}.")


@dataclass(frozen=True)
class About:
    """The user's facts about the data and the report, which are only printed."""

    dataset: str | None = None
    author: str | None = None
    date: str | None = None

    def __post_init__(self) -> None:
        for name in ("dataset", "author", "date"):
            value: Any = getattr(self, name)
            if name == "date" and isinstance(value, datetime.date):
                value = value.isoformat()
            if value is not None:
                object.__setattr__(self, name, check_line(name, value))


def check_line(name: str, text: Any) -> str:
    """Return a user's text on one line; refuse an empty one."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"`{name}` must be a non-empty string; got {text!r}.")
    return " ".join(text.split())


def count_diagrams(n_classes: int, n_models: int) -> int:
    """Return how many classes of each model get a reliability diagram."""
    return min(n_classes, CLASSES_OF_ONE, max(3, CLASSES_OF_ALL // n_models))
