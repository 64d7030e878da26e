"""The marks of reliability diagrams: bands, points with intervals, counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import percent
from calibrant.binning import Reliability
from calibrant.plots._style import BLUE, GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: where a bin is: inside, below and above the band
LABELS = {
    0: ("inside", "within noise"),
    -1: ("below", "less often than predicted"),
    1: ("above", "more often than predicted"),
}


def draw_bands(ax: Axes, table: Reliability) -> dict[str, Any]:
    """Draw where the frequencies of a calibrated model are, bin by bin."""
    confidence = percent(table.confidence_level)
    return {
        "all_bins": _boxes(
            ax,
            table,
            table.band_low,
            table.band_high,
            0.22,
            f"calibrated, all bins ({confidence})",
        ),
        "each_bin": _boxes(
            ax,
            table,
            table.bin_low,
            table.bin_high,
            0.45,
            f"calibrated, each bin ({confidence})",
        ),
    }


def draw_points(ax: Axes, table: Reliability, *, intervals: bool, size: float = 5.0) -> Any:
    """Draw the bins; color and shape say whether and where they leave the band."""
    artists: dict[str, Any] = {}
    looks = {0: ("o", ink()), -1: ("v", VERMILLION), 1: ("^", BLUE)}
    known = np.isfinite(table.observed)
    if intervals:
        artists["intervals"] = ax.vlines(
            table.predicted[known],
            table.interval_low[known],
            table.interval_high[known],
            colors=[looks[int(side)][1] for side in table.outside[known]],
            linewidth=1.1,
            zorder=2.5,
        )
    for side, (name, label) in LABELS.items():
        rows = known & (table.outside == side)
        if not rows.any():
            continue
        marker, color = looks[side]
        [artists[name]] = ax.plot(
            table.predicted[rows],
            table.observed[rows],
            linestyle="none",
            marker=marker,
            markersize=size if side == 0 else size + 1.0,
            markerfacecolor=color,
            markeredgecolor="white",
            markeredgewidth=0.6,
            label=label,
            zorder=3,
        )
    return artists


def draw_counts(
    ax: Axes, table: Reliability, height: float = 0.16, *, log: bool = False
) -> tuple[Axes, Any]:
    """Draw how many rows are in each bin, in a strip below `ax`; return strip and bars."""
    strip = ax.inset_axes((0.0, -height - 0.05, 1.0, height))
    width = np.maximum(table.upper - table.lower, 2e-3)
    bars = strip.bar(
        table.lower, table.bins.count, width, align="edge", color=GRAY, edgecolor="white",
        linewidth=0.5,
    )  # fmt: skip
    strip.set_xlim(ax.get_xlim())
    most = int(table.bins.count.max())
    if log:
        strip.set_yscale("log")
    strip.set_ylim(0.7 if log else 0, most**1.1 if log else 1.08 * most)
    strip.set_yticks([int(log), most], [str(int(log)), str(most)])
    strip.minorticks_off()
    strip.set_ylabel("Rows")
    strip.set_xticks(ax.get_xticks())
    ax.tick_params(labelbottom=False)
    return strip, list(bars)


def set_square(ax: Axes, n_ticks: int = 6) -> None:
    """Show both probabilities from 0 to 1 at the same scale."""
    ax.set_box_aspect(1.0)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ticks = np.linspace(0.0, 1.0, n_ticks)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)


def _boxes(
    ax: Axes, table: Reliability, low: FloatArray, high: FloatArray, alpha: float, label: str
) -> Any:
    from matplotlib.collections import PolyCollection

    known = np.isfinite(low)
    left, right, low, high = table.lower[known], table.upper[known], low[known], high[known]
    # bins and bands of no width still are seen
    middle, half = 0.5 * (left + right), np.maximum(0.5 * (right - left), 2e-3)
    low, high = np.minimum(low, high - 2e-3), np.maximum(high, low + 2e-3)
    xs = np.stack([middle - half, middle + half, middle + half, middle - half], axis=1)
    corners = np.stack([xs, np.stack([low, low, high, high], axis=1)], axis=2)
    boxes = PolyCollection(
        list(corners), facecolor=GRAY, alpha=alpha, linewidth=0.0, label=label, zorder=1
    )
    ax.add_collection(boxes, autolim=False)
    return boxes
