"""What a report is made with, apart from the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import index

from calibrant._output import Finite, left_out

#: a page with more models than this is no page
MAX_MODELS = 20
#: reliability diagrams of single classes, for one model and for all together
CLASSES_OF_ONE, CLASSES_OF_ALL = 20, 40
#: label sets behind the noise floors of errors that the test does not measure
FLOOR_RESAMPLES = 99
#: n²·m + 10·n·m² up to which the floor of an error over all pairs of rows is drawn
FLOOR_PAIRS = 2e9


@dataclass(frozen=True)
class Settings:
    """Seed, resamples and levels; everything that changes a number of the page.

    Attributes
    ----------
    seed : int
    n_resamples : int
        Label sets of tests, localization and bands.
    alpha : float
        At which something is said to stand out.
    n_regions, min_size : int
        Of `where`.
    """

    seed: int = field(metadata=left_out())
    n_resamples: int = 999
    alpha: Finite = 0.05
    n_regions: int = 5
    min_size: int = 20

    def __post_init__(self) -> None:
        try:
            count = index(self.n_resamples)
        except TypeError:
            count = 0
        if count < 39:
            raise ValueError(
                f"`n_resamples` must be an integer of 39 or more, for 95 % bands; got "
                f"{self.n_resamples!r}."
            )
        if not 0.0 < self.alpha < 1.0:
            raise ValueError(f"`alpha` must be in (0, 1), for example 0.05; got {self.alpha!r}.")


def shown_classes(n_classes: int, n_models: int) -> int:
    """Return of how many classes a diagram is drawn for every model."""
    return min(n_classes, CLASSES_OF_ONE, max(3, CLASSES_OF_ALL // n_models))
