"""Figures of running times, ours and published, and of precision against time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from calibrant.paper._figure import PaperFigure, legend_at_the_bottom, logarithmic
from calibrant.paper._timings import Times
from calibrant.paper._work_precision import Point
from calibrant.plots import BLUE, GRAY, GREEN, VERMILLION

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLORS = (GRAY, "#e69f00", BLUE, VERMILLION, "#cc79a7", GREEN)
_MARKS = "osD^vP"
_NAMES = {
    "ECE_uniform": "ECE, uniform bins",
    "ECE_dynamic": "ECE, data-dependent bins",
    "SKCEb": "SKCE b",
    "SKCEuq": "SKCE uq",
    "SKCEul": "SKCE ul",
    "SKCE_blocks_of_16": "SKCE, blocks of 16",
}


def timing_figure(ours: Times, published: Times | None = None) -> PaperFigure:
    """Return the figure of times by number of samples, with a panel for each number of classes."""
    note = " Dashed: published, in Julia at 3.6 GHz." if published else ""
    return PaperFigure(
        "timings",
        "Time of the estimators",
        f"Seconds of one call against the number of samples, by number of classes.{note}",
        partial(_timings, ours, published or {}),
    )


def work_precision_figure(points: Mapping[tuple[str, int], Point]) -> PaperFigure:
    """Return the figure of the error of every estimator against its time."""
    sizes = sorted({n for _, n in points})
    return PaperFigure(
        "work_precision",
        "Precision against work",
        "Root mean square of estimate/truth − 1 against the seconds of one call, for "
        f"{sizes[0]} to {sizes[-1]} rows of the model M2. A line that does not fall is biased.",
        partial(_work_precision, points),
    )


def _timings(ours: Times, published: Times) -> Figure:
    from matplotlib.figure import Figure

    classes = sorted({m for _, m, _ in ours})
    figure = Figure(figsize=(2.1 * len(classes) + 0.6, 3.2), layout="constrained")
    panels = figure.subplots(1, len(classes), sharey=True, squeeze=False)[0]
    for ax, m in zip(panels, classes, strict=True):
        for k, name in enumerate(dict.fromkeys(name for name, _, _ in ours)):
            color = _COLORS[k]
            label = _NAMES[name.removesuffix("_median")]
            _times(ax, ours, name, m, color=color, marker=_MARKS[k], ms=3.0, label=label)
            _times(ax, published, name, m, color=color, ls="--", lw=0.9)
        ax.set_title(f"m = {m}", loc="center")
        ax.set_xlabel("samples")
        logarithmic(ax)
    panels[0].set_ylabel("seconds")
    legend_at_the_bottom(figure, panels[0], columns=3)
    return figure


def _times(ax: Axes, times: Times, name: str, m: int, **looks: Any) -> None:
    line = sorted((n, time) for (known, c, n), time in times.items() if (known, c) == (name, m))
    if line:
        ax.plot(*zip(*line, strict=True), **looks)


def _work_precision(points: Mapping[tuple[str, int], Point]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.0), layout="constrained")
    ax = figure.subplots()
    for k, name in enumerate(dict.fromkeys(name for name, _ in points)):
        line = [point for (known, _), point in sorted(points.items()) if known == name]
        errors, seconds = zip(*line, strict=True)
        ax.plot(seconds, errors, color=_COLORS[k], marker=_MARKS[k], ms=4.0, label=_NAMES[name])
    ax.set_xlabel("seconds of one call")
    ax.set_ylabel("relative error (root mean square)")
    logarithmic(ax)
    legend_at_the_bottom(figure, ax, columns=3)
    return figure
