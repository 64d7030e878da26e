"""The figures of the errors: histograms with the mean (solid) and the truth (dashed)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from calibrant._output import number
from calibrant.paper._errors import ESTIMATORS, Cells, ErrorCell
from calibrant.paper._figure import Panels, PaperFigure, label_panels, legend_at_the_bottom
from calibrant.paper._grid import Key
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
    """Yield the main figure, if its cells exist, and one for each estimator, α and β."""
    n = max(len(cell.values) for cell in cells.values())
    note = (
        f"Estimates on {n} data sets of 250 rows. Solid line: mean of the estimates; dashed line: "
        f"true error.{' Outline: the published histograms.' if published else ''}"
    )
    title, draw = "Calibration errors of three models", partial(_grid, cells, published or {})
    return Panels("errors", title, MAIN, ESTIMATORS, estimator_text, note, draw).figures(cells)


def _grid(
    cells: Cells,
    published: Mapping[Key, Histogram],
    rows: list[list[Key]],
    sides: list[str],
    tops: list[str],
) -> Figure:
    from matplotlib.figure import Figure

    width, height = 1.75 * len(tops) + 0.45, 1.2 * len(rows) + 0.75
    figure = Figure(figsize=(width, height))
    # fixed positions in inches, because an automatic layout of twenty panels is slow
    place = {"left": 0.45 / width, "right": 1.0 - 0.1 / width, "wspace": 0.12}
    place |= {"bottom": 0.55 / height, "top": 1.0 - 0.28 / height, "hspace": 0.35}
    panels = figure.subplots(len(rows), len(tops), squeeze=False, gridspec_kw=place)
    for ax, key in zip(panels.flat, chain(*rows), strict=True):
        _panel(ax, cells[key], published.get(key))
    label_panels(panels, sides, tops)
    legend_at_the_bottom(figure, panels[0, 0], columns=4)
    return figure


def _panel(ax: Axes, cell: ErrorCell, published: Histogram | None) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    # use the published width, so that the two histograms are comparable
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
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value, 4)))
    ax.tick_params(labelsize=6.5, length=2.0)
