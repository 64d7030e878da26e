"""What a report is made with, apart from the data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from calibrant._output import Finite, left_out
from calibrant.binning import check_count

#: models on one page
MAX_MODELS = 20
#: reliability diagrams of single classes, for one model and for all together
CLASSES_OF_ONE, CLASSES_OF_ALL = 20, 40
#: label sets behind the noise floors of errors that the test does not measure
FLOOR_RESAMPLES = 99
#: n²·m + 10·n·m² up to which the floor of an error over all pairs of rows is drawn
FLOOR_PAIRS = 2e9


class ReportOptions(TypedDict, total=False):
    """The options of `where` and `Predictions` that a report passes on."""

    n_resamples: int
    alpha: float
    n_regions: int
    min_size: int
    classes: Iterable[Any] | None
    pos_label: Any
    sample_weight: Any
    clusters: Any
    normalize: bool


@dataclass(frozen=True)
class Settings:
    """Everything that changes a number of the page; the options are those of `where`."""

    seed: int = field(metadata=left_out())
    n_resamples: int = 999
    alpha: Finite = 0.05
    n_regions: int = 5
    min_size: int = 20

    def __post_init__(self) -> None:
        check_count("a report", "n_resamples", self.n_resamples, 39)  # for 95 % bands
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"`alpha` must be in (0, 1), for example 0.05; got {self.alpha!r}.")


def count_diagrams(n_classes: int, n_models: int) -> int:
    """Return how many classes of each model get a reliability diagram."""
    return min(n_classes, CLASSES_OF_ONE, max(3, CLASSES_OF_ALL // n_models))
