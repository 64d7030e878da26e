"""A figure of the paper, which can be written as SVG and PDF."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from calibrant._output import number, replacing
from calibrant.paper._grid import MODELS, Beta, Key
from calibrant.plots import STYLE, Drawing, legend_entries, pristine, to_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: embed fonts for machines that lack them
_PDF: Any = {"pdf.fonttype": 42}
BETA_TEXT: dict[Beta, str] = {"first": "(1, 0, …, 0)", "uniform": "(1/m, …, 1/m)"}


@dataclass(frozen=True, eq=False)
class PaperFigure:
    """A figure with its name, title, description and drawing (a `Picture` of `plots`)."""

    name: str
    title: str
    words: str
    draw: Callable[[], Figure]

    def describe(self) -> str:
        """Describe what the figure shows."""
        return self.words

    def readings(self) -> dict[str, list[str]]:
        """Return nothing: thousands of data sets have no separate marks."""
        return {}

    def plot(self) -> Drawing:
        """Draw the figure with the active settings."""
        figure = self.draw()
        axes = tuple(figure.axes)
        return Drawing(figure, axes[0], axes, MappingProxyType({}))

    def write(self, folder: Path) -> None:
        """Write NAME.svg and NAME.pdf, with reproducible bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        svg = f'<?xml version="1.0" encoding="UTF-8"?>\n{to_svg(self, prefix="f")}\n'
        with replacing(folder / f"{self.name}.svg") as stream:
            stream.write(svg.encode())
        content = io.BytesIO()
        with pristine(**STYLE, **_PDF):
            self.plot().figure.savefig(content, format="pdf", metadata={"CreationDate": None})
        with replacing(folder / f"{self.name}.pdf") as stream:
            stream.write(content.getvalue())


@dataclass(frozen=True, eq=False)
class Panels:
    """The figures of an experiment with a panel for each key: the three models, each setting."""

    experiment: str
    title: str
    #: the columns of the main figure, with their headings
    main: Mapping[str, str]
    names: Sequence[str]
    name_text: Callable[[str], str]
    note: str
    #: draws a figure from rows of keys, row labels and column headings
    draw: Callable[[list[list[Key]], list[str], list[str]], Figure]

    def figures(self, keys: Collection[Key]) -> Iterator[PaperFigure]:
        """Yield the main figure, if its keys exist, and one for each name, α and β."""
        rows = [
            [Key(name, 0.1, beta, 10, pi) for name in self.main] for beta, pi in MODELS.values()
        ]
        if all(key in keys for row in rows for key in row):
            draw = partial(self.draw, rows, list(MODELS), list(self.main.values()))
            words = f"M1, M2 and M3. {self.note}"
            yield PaperFigure(f"{self.experiment}_comparison", self.title, words, draw)
        settings = dict.fromkeys((key.alpha, key.beta) for key in keys)
        for name in self.names:
            for alpha, beta in settings:
                some = [key for key in keys if key[:3] == (name, alpha, beta)]
                yield self._setting(name, alpha, beta, some)

    def _setting(self, name: str, alpha: float, beta: Beta, keys: list[Key]) -> PaperFigure:
        classes, pis = sorted({key.n_classes for key in keys}), sorted({key.pi for key in keys})
        rows = [[Key(name, alpha, beta, m, pi) for pi in pis] for m in classes]
        title = f"{self.name_text(name)}: α = {alpha:g}, β = {BETA_TEXT[beta]}"
        draw = partial(
            self.draw, rows, [f"m = {m}" for m in classes], [f"π = {pi:g}" for pi in pis]
        )
        file = f"{self.experiment}_{name}_alpha={alpha:g}_beta={beta}"
        return PaperFigure(file, title, self.note, draw)


def label_panels(panels: Any, sides: Sequence[str], tops: Sequence[str]) -> None:
    """Label the rows at their first panels, and the columns at the top."""
    for ax, text in zip(panels[:, 0], sides, strict=True):
        ax.set_ylabel(text)
    for ax, text in zip(panels[0], tops, strict=True):
        ax.set_title(text, fontsize=7.5, loc="center")


def legend_at_the_bottom(figure: Figure, panel: Axes, *, columns: int) -> None:
    """Draw a common legend below all panels."""
    entries = legend_entries(panel)
    figure.legend(
        list(entries.values()),
        list(entries),
        loc="outside lower center" if figure.get_layout_engine() else "lower center",
        ncols=columns,
    )


def logarithmic(ax: Axes) -> None:
    """Make both axes logarithmic, with plain tick labels."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    ax.set_xscale("log")
    ax.set_yscale("log")
    for axis, (low, high) in ((ax.xaxis, ax.get_xlim()), (ax.yaxis, ax.get_ylim())):
        # more tick labels within two powers of ten; every fiftieth over hundreds of them
        decades = math.log10(high) - math.log10(max(low, 1e-320))
        step = next(step for step in (1, 2, 5, 10, 20, 50, 100) if decades <= 8 * step)
        subs = (1.0, 2.0, 5.0) if decades < 2.0 else (1.0,)
        axis.set_major_locator(LogLocator(10.0**step, subs=subs, numticks=12))
        axis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        axis.set_minor_formatter(NullFormatter())
