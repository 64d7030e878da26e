"""The figures of the errors: histograms with the mean (solid) and the truth (dashed)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._output import number
from calibrant.paper._error_cells import Cells, ErrorCell
from calibrant.paper._errors import ESTIMATORS
from calibrant.paper._figure import PaperFigure, legend_at_the_bottom
from calibrant.paper._grid import MODELS, Key
from calibrant.paper._histogram import Histogram, histogram
from calibrant.plots import BLUE, INK, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAIN = {
    "ECE_uniform": "ECE",
    "SKCEb_median": "SKCE b",
    "SKCEuq_median": "SKCE uq",
    "SKCEul_median": "SKCE ul",
}
_KINDS = {
    "ECE_uniform": "ECE, uniform bins",
    "ECE_dynamic": "ECE, data-dependent bins",
    "SKCEb": "SKCE b (biased)",
    "SKCEuq": "SKCE uq (unbiased quadratic)",
    "SKCEul": "SKCE ul (unbiased linear)",
}
BETA_TEXT = {"first": "(1, 0, …, 0)", "uniform": "(1/m, …, 1/m)"}
_LINES = "Solid line: mean of the estimates; dashed line: true error."


def estimator_text(name: str) -> str:
    """Return an estimator in words.

    Examples
    --------
    >>> estimator_text("SKCEuq_mean")
    'SKCE uq (unbiased quadratic), mean bandwidth'
    """
    if name in _KINDS:
        return _KINDS[name]
    kind, _, rule = name.partition("_")
    return f"{_KINDS[kind]}, {rule} bandwidth"


def error_figures(
    cells: Cells, published: Mapping[Key, Histogram] | None = None
) -> Iterator[PaperFigure]:
    """Yield the main figure, where its cells are there, and one for each estimator, α and β."""
    published = published or {}
    n = max(len(cell.values) for cell in cells.values())
    note = " Outline: the published histograms." if published else ""
    keys = [[Key(name, 0.1, beta, 10, pi) for name in MAIN] for beta, pi in MODELS.values()]
    if all(key in cells for row in keys for key in row):
        main = [[cells[key] for key in row] for row in keys]
        words = f"Estimates on {n} data sets of 250 rows from M1, M2, M3. {_LINES}{note}"
        draw = partial(_grid, main, list(MODELS), list(MAIN.values()), published)
        yield PaperFigure("errors_comparison", "Calibration errors of three models", words, draw)
    settings = dict.fromkeys(key[1:3] for key in cells)
    for name in ESTIMATORS:
        for alpha, beta in settings:
            yield _additional(cells, name, alpha, beta, published, note, n)


def _additional(
    cells: Cells,
    name: str,
    alpha: float,
    beta: Any,
    published: Mapping[Key, Histogram],
    note: str,
    n: int,
) -> PaperFigure:
    mine = [key for key in cells if key[:3] == (name, alpha, beta)]
    classes, pis = sorted({key.n_classes for key in mine}), sorted({key.pi for key in mine})
    rows = [[cells[Key(name, alpha, beta, m, pi)] for pi in pis] for m in classes]
    title = f"{estimator_text(name)}: α = {alpha:g}, β = {BETA_TEXT[beta]}"
    words = f"{title}. Estimates on {n} data sets of 250 rows, by number of classes m and π. "
    draw = partial(
        _grid, rows, [f"m = {m}" for m in classes], [f"π = {pi:g}" for pi in pis], published
    )
    file = f"errors_{name}_alpha={alpha:g}_beta={beta}"
    return PaperFigure(file, title, f"{words}{_LINES}{note}", draw)


def _grid(
    rows: list[list[ErrorCell]],
    sides: list[str],
    tops: list[str],
    published: Mapping[Key, Histogram],
) -> Figure:
    from matplotlib.figure import Figure

    width, height = 1.75 * len(tops) + 0.45, 1.2 * len(rows) + 0.75
    figure = Figure(figsize=(width, height))
    # places in inches: laying out twenty panels by their texts would take longer than drawing
    place = {"left": 0.45 / width, "right": 1.0 - 0.1 / width, "wspace": 0.12}
    place |= {"bottom": 0.55 / height, "top": 1.0 - 0.28 / height, "hspace": 0.35}
    panels = figure.subplots(len(rows), len(tops), squeeze=False, gridspec_kw=place)
    for r, cells in enumerate(rows):
        for c, cell in enumerate(cells):
            ax = panels[r, c]
            _panel(ax, cell, published.get(cell.key))
            if r == 0:
                ax.set_title(tops[c], fontsize=7.5, loc="center")
            if c == 0:
                ax.set_ylabel(sides[r])
    legend_at_the_bottom(figure, panels[0, 0], columns=4)
    return figure


def _panel(ax: Axes, cell: ErrorCell, published: Histogram | None) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    # the range of the values decides the width: with the published one the two can be compared
    width = None if published is None else float(published.edges[1] - published.edges[0])
    ours = histogram(cell.values, width)
    ax.stairs(ours.density, ours.edges, fill=True, color=BLUE, alpha=0.5, lw=0.0, label="estimates")
    highest = float(np.max(ours.density))
    if published is not None:
        ax.stairs(published.density, published.edges, color=INK, lw=0.7, label="published")
        highest = max(highest, float(np.max(published.density)))
    ax.axvline(cell.mean, color=INK, lw=1.1, label="mean of the estimates")
    ax.axvline(cell.truth, color=VERMILLION, lw=1.1, ls="--", label="true error")
    ax.set_ylim(0.0, 1.08 * highest)
    ax.set_yticks([])
    ax.spines["left"].set_visible(False)
    ax.xaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
    ax.xaxis.set_major_formatter(FuncFormatter(_plain))
    ax.tick_params(labelsize=6.5, length=2.0)


def _plain(value: float, _position: Any = None) -> str:
    return number(value, 4)
