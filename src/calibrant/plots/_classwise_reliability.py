"""Reliability diagrams of single classes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import RandomSource, as_generator
from calibrant._output import counted, number
from calibrant._predictions import as_predictions, name_text
from calibrant.binning import DEFAULT, Binning, class_errors
from calibrant.plots._display import Display
from calibrant.plots._panels import Sheet, legend_entries
from calibrant.plots._reliability import Grouping, ReliabilityDisplay
from calibrant.plots._reliability_axes import ScaleChoice, choose_binning, choose_scale
from calibrant.plots._reliability_comparison import join_tables
from calibrant.plots._reliability_marks import draw_counts, noun

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: sizes in inches: a panel with its title, strip and space for ticks
_SIDE, _GAP, _TITLE, _ROW = 1.6, 0.45, 0.22, 2.5
_LEFT, _TOP, _BOTTOM = 0.72, 0.4, 0.65
_LEGEND_WIDTH = 4.5


@dataclass(frozen=True, eq=False, repr=False)
class ClasswiseReliabilityDisplay(Display):
    """Small reliability diagrams, one per class against the rest.

    With many classes, only those with the largest class-wise ECE are shown, the worst first.

    Parameters
    ----------
    panels : tuple of ReliabilityDisplay
        The diagrams of the classes shown.
    n_classes : int
        Total number of classes.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import ClasswiseReliabilityDisplay
    >>> model = cal.models.TemperatureModel(0.5, 5, temperature=2.0)  # over-confident
    >>> y_true, y_prob = model.sample(500, rng=0)
    >>> display = ClasswiseReliabilityDisplay.from_predictions(y_true, y_prob, rng=0)
    >>> [panel.label for panel in display.panels]
    [0, 1, 2, 3, 4]
    """

    panels: tuple[ReliabilityDisplay, ...]
    n_classes: int
    place: ClassVar[tuple[float, float, float, float]] = (0.0, 0.0, 1.0, 1.0)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        max_classes: int = 12,
        binning: Grouping = "auto",
        scale: ScaleChoice = "auto",
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **data: Any,
    ) -> ClasswiseReliabilityDisplay:
        """Compute the diagrams: O(n·m) to rank the classes, O(n·(m + n_resamples)) for each panel.

        Parameters
        ----------
        max_classes : int, default 12
            Most classes shown, the worst first.
        binning, scale, confidence_level, n_resamples, ax
            See `ReliabilityDisplay.from_predictions`; bands are for each class separately.
        """
        if max_classes < 1:
            raise ValueError(f"`max_classes` must be at least 1; got {max_classes}.")
        predictions = as_predictions(y_true, y_prob, **data)
        generator = as_generator(rng)
        chosen = np.arange(predictions.n_classes)
        if predictions.n_classes > max_classes:
            ranked = binning if isinstance(binning, Binning) else DEFAULT
            chosen = np.argsort(-class_errors(predictions, ranked), kind="stable")[:max_classes]
        labels = [predictions.classes[c] for c in chosen]
        axes = choose_scale(scale, map(predictions.one_vs_rest, labels), binning)
        bins = choose_binning(binning, map(predictions.one_vs_rest, labels), axes)
        panels = tuple(
            ReliabilityDisplay.from_predictions(
                predictions,
                label=label,
                binning="isotonic" if bins is None else bins,
                scale=axes,
                confidence_level=confidence_level,
                n_resamples=n_resamples,
                rng=generator,
            )
            for label in labels
        )
        return cls(panels, predictions.n_classes)._drawn(ax)

    @property
    def title(self) -> str:
        """The title, in one line."""
        shown, m = len(self.panels), self.n_classes
        if shown == m:
            return f"Reliability of {'both' if m == 2 else f'all {m}'} classes"
        return f"Reliability of the {shown} worst of {m} classes"

    def describe(self) -> str:
        """Describe which classes leave the band of a calibrated model."""
        off = [p for p in self.panels if np.any(p.reliability.outside != 0)]
        shown, what = counted(len(self.panels), "class"), noun(self.panels[0].reliability)
        if not off:
            return f"All {what}s of the {shown} shown lie within what noise explains."
        names = ", ".join(name_text(p.label) for p in off)
        return (
            f"Of the {shown} shown, {len(off)} have {what}s outside what noise explains: {names}."
        )

    def table(self) -> dict[str, list[Any]]:
        """Return the bins or steps of all panels, with the class of each."""
        return join_tables("class", {panel.label: panel for panel in self.panels})

    def _grid(self) -> tuple[int, int]:
        columns = min(len(self.panels), 4 if len(self.panels) != 3 else 3)
        return math.ceil(len(self.panels) / columns), columns

    def _size(self) -> tuple[float, float]:
        rows, columns = self._grid()
        width = _LEFT + columns * (_SIDE + _GAP)
        bottom = _BOTTOM if columns > 2 else _BOTTOM + 0.2
        return max(width, _LEGEND_WIDTH), _TOP + rows * _ROW + bottom

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        _, columns = self._grid()
        sheet = Sheet(ax, *self._size())
        artists: dict[str, list[Any]] = {}
        panels, strips = [], []
        for k, panel in enumerate(self.panels):
            left, top = _LEFT + k % columns * (_SIDE + _GAP), _TOP + k // columns * _ROW
            place = sheet.panel(left, top + _TITLE, _SIDE, _SIDE)
            strip, drawn = _draw_panel(place, panel)
            _label(place, strip, left=k % columns == 0, bottom=k + columns >= len(self.panels))
            panels.append(place)
            strips.append(strip)
            for name, artist in drawn.items():
                found = artists.setdefault(name, [])
                found.extend(artist if isinstance(artist, list) else [artist])
        sheet.write(0.12, 0.12, self.title, fontsize="large")
        if legend:
            sheet.legend(_LEFT, legend_entries(*panels), min(columns, 3))
        return (ax, *panels, *strips), artists


def _draw_panel(ax: Axes, panel: ReliabilityDisplay) -> tuple[Axes, dict[str, Any]]:
    square, artists = panel.draw_inside(ax, size=4.0)
    square.apply(ax, n_ticks=3)
    ax.set_title(f"{name_text(panel.label, 16)}, ECE {number(panel.ece)}", fontsize="small", pad=4)
    strip, artists["counts"] = draw_counts(ax, panel.reliability, square, height=0.18)
    return strip, artists


def _label(panel: Axes, strip: Axes, *, left: bool, bottom: bool) -> None:
    strip.tick_params(labelsize="x-small")
    panel.tick_params(labelleft=left)
    panel.set_ylabel("Share of rows" if left else "")
    strip.set_ylabel(strip.get_ylabel() if left else "", fontsize="x-small")
    for ax in (panel, strip):
        ax.yaxis.set_label_coords(-0.3, 0.5)
    strip.set_xlabel("Predicted probability" if bottom else "")
