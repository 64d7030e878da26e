"""A figure of the paper: a name, a title, words, and a drawing; written as SVG and as PDF."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from calibrant._output import number, replacing
from calibrant.plots import STYLE, Drawing, legend_entries, pristine, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: a machine that knows no fonts of ours draws the letters itself
_PDF: Any = {"pdf.fonttype": 42}


@dataclass(frozen=True, eq=False)
class PaperFigure:
    """What a figure is called, what it shows, and how it is drawn."""

    name: str
    title: str
    words: str
    draw: Callable[[], Figure]

    def describe(self) -> str:
        """Say in plain words what the figure shows."""
        return self.words

    def readings(self) -> dict[str, list[str]]:
        """Return nothing: thousands of data sets have no marks of their own."""
        return {}

    def plot(self) -> Drawing:
        """Draw it, under the settings of the moment."""
        figure = self.draw()
        axes = tuple(figure.axes)
        return Drawing(figure, axes[0], axes, MappingProxyType({}))

    def write(self, folder: Path) -> None:
        """Write NAME.svg and NAME.pdf, the same bytes for the same numbers."""
        folder.mkdir(parents=True, exist_ok=True)
        svg = f'<?xml version="1.0" encoding="UTF-8"?>\n{to_svg(self, prefix="f")}\n'
        with replacing(folder / f"{self.name}.svg") as stream:
            stream.write(svg.encode())
        content = io.BytesIO()
        with pristine(**STYLE, **_PDF):
            self.plot().figure.savefig(content, format="pdf", metadata={"CreationDate": None})
        with replacing(folder / f"{self.name}.pdf") as stream:
            stream.write(content.getvalue())


def legend_at_the_bottom(figure: Figure, panel: Axes, *, columns: int) -> None:
    """Say once, below all panels, what the marks of one panel are."""
    entries = legend_entries(panel)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center" if figure.get_layout_engine() else "lower center",
        ncols=columns,
    )


def logarithmic(ax: Axes) -> None:
    """Make both axes of what is drawn logarithmic, with plain numbers."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        # within two powers of ten a few more numbers; over hundreds of them every fiftieth
        decades = math.log10(high) - math.log10(max(low, 1e-320))
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if decades <= 8 * step)
        subs = (1.0, 2.0, 5.0) if decades < 2.0 else (1.0,)
        axis.set_major_locator(LogLocator(10.0**step, subs=subs, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axis.set_minor_formatter(NullFormatter())
