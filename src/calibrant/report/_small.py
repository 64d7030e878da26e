"""The reliability diagram of a card: the same plot, with fewer decorations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.plots import Drawing, ReliabilityDisplay

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: size in inches, for one model and for each of several
LARGE, SMALL = (4.0, 4.6), (2.25, 2.2)
_LONG_TICKS = 0.22


@dataclass(frozen=True, eq=False)
class SmallReliability:
    """A reliability diagram without title and legend; the large one counts rows."""

    display: ReliabilityDisplay
    is_large: bool

    @property
    def title(self) -> str:
        """The title, in one line."""
        return self.display.title

    def describe(self) -> str:
        """Describe what is shown."""
        return self.display.describe()

    def readings(self) -> dict[str, list[str]]:
        """Return descriptions of single marks."""
        return self.display.readings()

    def plot(self) -> Drawing:
        """Draw the plot."""
        drawing = self.display.plot(
            self._axes(), legend=False, counts=self.is_large, intervals=self.is_large
        )
        drawing.ax.set_title("")
        drawing.ax.set_ylabel("Right" if self.display.label is None else "Occurred")
        drawing.axes[-1].set_xlabel(f"Predicted{self.display.axes_note}")
        if not self.is_large and self.display.scale == "logit":
            lowest = drawing.axes[-1]
            lowest.set_xticks(lowest.get_xticks()[1::2])  # all would overlap
        return drawing

    def _axes(self) -> Axes:
        from matplotlib.figure import Figure

        width, height = LARGE if self.is_large else SMALL
        left, margins = (0.55, 0.7) if self.is_large else (0.5, 0.58)
        # tick labels such as 0.9999 are longer
        wider = _LONG_TICKS if self.display.scale == "logit" else 0.0
        left, side = left + wider, width - margins - wider
        figure = Figure(figsize=(width, height))
        top = 0.1
        return figure.add_axes(
            (left / width, 1.0 - (side + top) / height, side / width, side / height)
        )
