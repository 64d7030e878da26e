"""Reliability of several models in one plot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import RandomSource
from calibrant._followup.compare import align
from calibrant._output import number
from calibrant._predictions import name_text
from calibrant.estimators import CorpCurve
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, write_title
from calibrant.plots._reliability import Grouping, ReliabilityDisplay, view_of
from calibrant.plots._reliability_axes import ScaleChoice, choose_scale
from calibrant.plots._reliability_marks import (
    Square,
    corners,
    draw_area,
    draw_diagonal,
    finish_strip,
    histogram,
)
from calibrant.plots._style import BLUE, GREEN, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: color, marker and dashes of every model
_LOOKS = ((BLUE, "o", "-"), (VERMILLION, "s", (0, (5, 1.5))), (GREEN, "^", (0, (1, 1))))


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityComparisonDisplay(Display):
    """The reliability curves of two or three models in one plot.

    The shaded area in a model's color contains the whole curve of a calibrated model with the same
    predictions, with probability `confidence_level`.

    Parameters
    ----------
    models : mapping from name to ReliabilityDisplay
        The diagrams of the models.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import ReliabilityComparisonDisplay
    >>> y_true, p = cal.models.TemperatureModel(0.5, 2, temperature=3.0).sample(500, rng=0)
    >>> models = {"raw": p, "scaled": cal.models.temperature_scale(p, 3.0)}
    >>> display = ReliabilityComparisonDisplay.from_predictions(y_true, models, rng=0)
    >>> print(display.describe())
    raw: 7 of 17 steps lie outside what noise explains: ... scaled: All 17 steps lie within ...
    """

    models: Mapping[str, ReliabilityDisplay]
    size: ClassVar[tuple[float, float]] = ReliabilityDisplay.size
    place: ClassVar[tuple[float, float, float, float]] = ReliabilityDisplay.place

    def __post_init__(self) -> None:
        if not 1 <= len(self.models) <= len(_LOOKS):
            raise ValueError(
                f"`models` must contain 1 to {len(_LOOKS)} models, more would be unreadable; got "
                f"{len(self.models)}. Draw the others in a second picture."
            )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        label: Any = None,
        binning: Grouping = "isotonic",
        scale: ScaleChoice = "auto",
        rng: RandomSource = None,
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        ax: Axes | None = None,
        **data: Any,
    ) -> ReliabilityComparisonDisplay:
        """Compute the curves of models on the same rows.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), or mapping from name to Predictions
            Labels, or the predictions of all models.
        y_prob : mapping from name to array-like of shape (n_samples, n_classes)
            Predicted probabilities of the models.
        label, binning, scale, confidence_level, n_resamples
            See `ReliabilityDisplay.from_predictions`.
        ax : matplotlib.axes.Axes, optional
            Also draw into these axes.
        """
        # the same random numbers for all models, which share the rows
        seed = int(rng.integers(1 << 63)) if isinstance(rng, np.random.Generator) else rng
        aligned = align(y_true, y_prob, at_least=1, **data)
        views = [view_of(predictions, label)[0] for predictions in aligned.values()]
        axes = choose_scale(scale, views, binning)
        models = {
            name: ReliabilityDisplay.from_predictions(
                predictions,
                label=label,
                binning=binning,
                scale=axes,
                confidence_level=confidence_level,
                n_resamples=n_resamples,
                rng=seed,
            )
            for name, predictions in aligned.items()
        }
        return cls(models)._drawn(ax)

    @property
    def _first(self) -> ReliabilityDisplay:
        return next(iter(self.models.values()))

    @property
    def title(self) -> str:
        """The title, in one line."""
        return f"{self._first.title}, {' and '.join(name_text(n, 20) for n in self.models)}"

    def describe(self) -> str:
        """Describe where each model leaves the band of a calibrated model."""
        return " ".join(f"{name_text(n)}: {one.describe()}" for n, one in self.models.items())

    def table(self) -> dict[str, list[Any]]:
        """Return the bins or steps of all models, with the names of the models."""
        return join_tables("model", self.models)

    def numbers(self) -> dict[str, float]:
        """Return the ECE of every model."""
        return {f"ece({name})": one.ece for name, one in self.models.items()}

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        tables = [one.reliability for one in self.models.values()]
        square = Square.around(tables, self._first.scale)
        draw_diagonal(ax, square)
        strip = ax.inset_axes((0.0, -0.21, 1.0, 0.16))
        artists: dict[str, Any] = {}
        counts = [histogram(table, square) for table in tables]
        for k, one in enumerate(self.models.values()):
            color, _, dashes = _LOOKS[k]
            artists |= _draw_model(ax, one, square, k)
            artists[f"counts_{k}"] = strip.stairs(
                counts[k], square.cells(), color=color, linestyle=dashes, linewidth=1.0
            )
        square.apply(ax)
        square.apply_across(strip)
        finish_strip(strip, ax, np.concatenate(counts))
        is_top = self._first.label is None
        ax.set_ylabel("Share of rows in which it " + ("was right" if is_top else "occurred"))
        write_title(ax, self.title)
        strip.set_xlabel(f"Predicted probability{self._first.axes_note}")
        if legend:
            legend_below(strip, self._legend(artists), columns=1)
        return (ax, strip), artists

    def _legend(self, artists: Mapping[str, Any]) -> dict[str, Any]:
        """Return a line with marker on its band for every model."""
        return {
            f"{name_text(name, 24)}, ECE {number(one.ece)}": (
                artists[f"band_{k}"], artists[f"curve_{k}"], artists[f"points_{k}"]
            )
            for k, (name, one) in enumerate(self.models.items())
        }  # fmt: skip


def _draw_model(ax: Axes, display: ReliabilityDisplay, square: Square, k: int) -> dict[str, Any]:
    color, marker, dashes = _LOOKS[k]
    table, artists = display.reliability, {}
    artists[f"band_{k}"] = draw_area(ax, table, square, color=color, alpha=0.16)
    line = table.band if isinstance(table, CorpCurve) else table
    ends = corners(line.observed)
    x, y = square.place(line.predicted)[ends], square.place(line.observed)[ends]
    width = 1.4 if isinstance(table, CorpCurve) else 0.9
    [artists[f"curve_{k}"]] = ax.plot(
        x, y, color=color, linestyle=dashes, linewidth=width, zorder=2.2
    )
    [artists[f"points_{k}"]] = ax.plot(
        square.place(table.at), square.place(table.observed), marker, color=color, markersize=4.5,
        markeredgecolor="white", markeredgewidth=0.5, zorder=3,
    )  # fmt: skip
    return artists


def join_tables(kind: str, displays: Mapping[Any, Display]) -> dict[str, list[Any]]:
    """Return the tables of some displays as one table, with their names in the column `kind`."""
    tables = {name: display.table() for name, display in displays.items()}
    columns: dict[str, list[Any]] = {kind: []}
    keys = dict.fromkeys(key for table in tables.values() for key in table)
    for name, table in tables.items():
        size = len(next(iter(table.values())))
        columns[kind] += [name_text(name)] * size
        for key in keys:
            columns.setdefault(key, []).extend(table.get(key, [None] * size))
    return columns
