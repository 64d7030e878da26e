"""A figure of the paper: a name, a title, words, and a drawing; written as SVG and as PDF."""

from __future__ import annotations

import io
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from calibrant.io._replace import replacing
from calibrant.plots._display import Drawing
from calibrant.plots._style import STYLE, pristine
from calibrant.plots._svg import to_svg

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
