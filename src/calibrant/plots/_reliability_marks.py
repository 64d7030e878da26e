"""The marks of reliability diagrams: bands, curve, points with intervals, and counts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from calibrant._native import FloatArray
from calibrant._output import percent
from calibrant.binning import Reliability
from calibrant.estimators import CorpCurve
from calibrant.plots._style import BLUE, GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Scale = Literal["linear", "logit"]
#: bins, or the steps of an isotonic curve
ReliabilityTable = Reliability | CorpCurve

#: labels of bins or steps inside, below and above the band
LABELS = {
    0: ("inside", "within noise"),
    -1: ("below", "less often than predicted"),
    1: ("above", "more often than predicted"),
}
#: number of bars of the strip under a curve
_BARS = 40
#: minimum half-width of bins and bands, so that they are visible
_THIN = 2e-3
#: a band has at most two corners in this share of the axis
_FINE = 0.02
#: a band has a gap if predictions are farther apart than this share of the axis
_FAR = 0.12
#: the strip has a logarithmic axis if the largest bar is this many times a typical one
_STEEP = 30.0


def noun(table: ReliabilityTable) -> str:
    """Return the noun for the entries of a table."""
    return "step" if isinstance(table, CorpCurve) else "bin"


@dataclass(frozen=True)
class Square:
    """The two equal axes of a diagram, from `low` to `high`."""

    scale: Scale
    low: float = 0.0
    high: float = 1.0

    @classmethod
    def around(cls, tables: Iterable[ReliabilityTable], scale: Scale) -> Square:
        """Return the axes for some tables; logit axes cover the informative range."""
        if scale == "linear":
            return cls(scale)
        low, high = 0.4, 0.6
        for table in tables:
            half = 0.5 / table.count
            seen = np.r_[_predicted(table), np.clip(table.observed, half, 1.0 - half)]
            finest = 0.2 / table.count.sum()
            low = min(low, max(0.6 * float(np.nanmin(seen)), finest))
            high = max(high, 1.0 - max(0.6 * (1.0 - float(np.nanmax(seen))), finest))
        return cls(scale, low, high)

    def place(self, values: Any) -> FloatArray:
        """Return values for drawing; values beyond a logit axis are moved to its ends."""
        return np.clip(np.asarray(values, dtype=np.float64), self.low, self.high)

    def apply(self, ax: Axes, n_ticks: int = 6) -> None:
        """Set both axes to the same scale."""
        ax.set_box_aspect(1.0)
        self.apply_across(ax)
        if self.scale == "logit":
            ax.set_yscale("logit")
        ax.set_ylim(ax.get_xlim())
        ticks = np.linspace(0.0, 1.0, n_ticks) if self.scale == "linear" else self._ticks(n_ticks)
        for axis in (ax.xaxis, ax.yaxis):
            _fix_ticks(axis, ticks)

    def apply_across(self, ax: Axes) -> None:
        """Set only the horizontal axis."""
        if self.scale == "logit":
            ax.set_xscale("logit")
        ax.set_xlim(*self.at([-0.02, 1.02]))

    def cells(self) -> FloatArray:
        """Return the edges of the bars of a strip, of equal width on this axis."""
        return self.at(np.linspace(0.0, 1.0, _BARS + 1))

    def at(self, share: Any) -> FloatArray:
        """Return the values at some shares of the axis: `low` at 0, `high` at 1."""
        line = np.asarray(share, dtype=np.float64)
        if self.scale == "linear":
            return line
        low, high = _logit(self.low), _logit(self.high)
        return np.asarray(1.0 / (1.0 + np.exp(-low - line * (high - low))))

    def share(self, values: Any) -> FloatArray:
        """Return the shares of the axis at which values are drawn."""
        line = self.place(values)
        if self.scale == "linear":
            return line
        low, high = _logit(self.low), _logit(self.high)
        return np.asarray((_logit(line) - low) / (high - low))

    def _ticks(self, n_ticks: int) -> list[float]:
        decades = [10.0**-k for k in range(9, 0, -1)]
        ticks = [*decades, 0.5, *(1.0 - t for t in decades[::-1])]
        if sum(self.low <= t <= self.high for t in ticks) < 4:
            ticks = sorted({*ticks, 0.02, 0.05, 0.2, 0.3, 0.7, 0.8, 0.95, 0.98})
        shown = [t for t in ticks if self.low <= t <= self.high]
        return shown[:: max(1, round(len(shown) / (n_ticks + 1)))]


def draw_diagonal(ax: Axes, square: Square) -> None:
    """Draw the diagonal, where prediction and frequency agree."""
    line = square.cells()
    ax.plot(line, line, color=ink(), linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.5)


def draw_bands(ax: Axes, table: ReliabilityTable, square: Square) -> dict[str, Any]:
    """Draw the bands of a calibrated model, for all bins or steps together and for each."""
    what, confidence = noun(table), percent(table.confidence_level)
    all_label = f"calibrated, all {what}s ({confidence})"
    each_label = f"calibrated, each {what} ({confidence})"
    if isinstance(table, CorpCurve):
        band = table.band
        return {
            "all_steps": _area(ax, band.predicted, band.all_low, band.all_high, square,
                               alpha=0.22, label=all_label),
            "each_step": _area(ax, band.predicted, band.low, band.high, square, alpha=0.45,
                               label=each_label),
        }  # fmt: skip
    return {
        "all_bins": _boxes(ax, table, table.band_low, table.band_high, square, 0.22, all_label),
        "each_bin": _boxes(ax, table, table.bin_low, table.bin_high, square, 0.45, each_label),
    }


def draw_area(ax: Axes, table: ReliabilityTable, square: Square, **looks: Any) -> Any:
    """Draw the simultaneous band of a calibrated model as one area."""
    if isinstance(table, CorpCurve):
        band = table.band
        return _area(ax, band.predicted, band.all_low, band.all_high, square, **looks)
    return _area(ax, table.predicted, table.band_low, table.band_high, square, **looks)


def draw_curve(ax: Axes, table: CorpCurve, square: Square) -> dict[str, Any]:
    """Draw the isotonic curve, colored where it leaves the simultaneous band."""
    band = table.band
    x, y = square.place(band.predicted), square.place(band.observed)
    below, above = band.observed < band.all_low - 1e-9, band.observed > band.all_high + 1e-9
    artists: dict[str, Any] = {}
    ends = corners(band.observed)
    [artists["curve"]] = ax.plot(x[ends], y[ends], color=ink(), linewidth=1.2, zorder=2.2)
    for side, color, out in (("below", VERMILLION, below), ("above", BLUE, above)):
        length = np.sum(np.diff(square.share(x))[out[1:] & out[:-1]])
        if length > _FINE / 2:  # a triangle hides shorter parts
            ends = corners(np.stack([band.observed, out]))
            [artists[f"curve_{side}"]] = ax.plot(
                x[ends], np.where(out, y, np.nan)[ends], color=color, linewidth=2.4, zorder=2.3
            )
    return artists


def corners(values: FloatArray) -> Any:
    """Return the first and last of equal neighbors, which determine the line."""
    rows = np.atleast_2d(values)
    changes = np.any(rows[:, 1:] != rows[:, :-1], axis=0)
    return np.flatnonzero(np.r_[True, changes] | np.r_[changes, True])


def draw_points(
    ax: Axes, table: ReliabilityTable, square: Square, *, intervals: bool, size: float = 5.0
) -> dict[str, Any]:
    """Draw bins or steps; color and shape show whether and where they leave the band."""
    artists: dict[str, Any] = {}
    looks = {0: ("o", ink()), -1: ("v", VERMILLION), 1: ("^", BLUE)}
    known = np.isfinite(table.observed)
    x, y = square.place(table.at), square.place(table.observed)
    if intervals and isinstance(table, Reliability):
        artists["intervals"] = ax.vlines(
            x[known],
            square.place(table.interval_low)[known],
            square.place(table.interval_high)[known],
            colors=[looks[int(side)][1] for side in table.outside[known]],
            linewidth=1.1,
            zorder=2.5,
        )
    for side, (name, label) in LABELS.items():
        rows = known & (table.outside == side)
        if rows.any():
            marker, color = looks[side]
            [artists[name]] = ax.plot(
                x[rows], y[rows], marker, markersize=size + (side != 0), markerfacecolor=color,
                markeredgecolor="white", markeredgewidth=0.6, label=label, zorder=3,
            )  # fmt: skip
    return artists


def draw_counts(
    ax: Axes, table: ReliabilityTable, square: Square, height: float = 0.16
) -> tuple[Axes, Any]:
    """Draw a histogram of the predictions in a strip below `ax`; return strip and bars."""
    strip = ax.inset_axes((0.0, -height - 0.05, 1.0, height))
    square.apply_across(strip)
    if isinstance(table, CorpCurve):
        count = histogram(table, square)
        bars: Any = strip.stairs(count, square.cells(), fill=True, color=GRAY)
    else:
        left, count = square.place(table.lower), table.count
        width = np.maximum(square.place(table.upper) - left, _THIN)
        looks: dict[str, Any] = {"color": GRAY, "edgecolor": "white", "linewidth": 0.5}
        bars = list(strip.bar(left, count, width, align="edge", **looks))
    finish_strip(strip, ax, count)
    return strip, bars


def histogram(table: ReliabilityTable, square: Square) -> Any:
    """Return the rows in every cell of the horizontal axis."""
    share = np.clip(square.share(_predicted(table)), 0.0, 1.0)
    rows = table.band.count if isinstance(table, CorpCurve) else table.count[_known(table)]
    return np.bincount(np.minimum(share * _BARS, _BARS - 1).astype(int), rows, _BARS).astype(int)


def finish_strip(strip: Axes, ax: Axes, count: Any) -> None:
    """Label the axes of a strip, logarithmic if the counts vary widely."""
    most = int(np.max(count))
    log = bool(most > _STEEP * np.median(count[count > 0]))
    if log:
        strip.set_yscale("log")
    strip.set_ylim(0.7 if log else 0, most**1.1 if log else 1.08 * most)
    strip.set_yticks([int(log), most], [str(int(log)), f"{most:,}"])
    strip.yaxis.minorticks_off()
    strip.set_ylabel("Rows, log" if log else "Rows")
    _fix_ticks(strip.xaxis, ax.get_xticks())
    ax.tick_params(labelbottom=False)


def _area(
    ax: Axes, x: FloatArray, low: FloatArray, high: FloatArray, square: Square, **looks: Any
) -> Any:
    """Fill between two lines, but not where predictions are far apart."""
    share = square.share(x)
    # leave out points too close to distinguish
    known = np.flatnonzero(np.isfinite(low))
    known = known[corners(np.floor(share[known] / _FINE))]
    ends = np.stack([square.place(low[known]), square.place(high[known])])
    share = share[known]
    xs: list[Any] = []
    ys: list[Any] = []
    for part in np.split(np.arange(len(share)), np.flatnonzero(np.diff(share) > _FAR) + 1):
        # slightly wider, so that a single prediction is visible
        xs += [share[part[:1]] - _THIN, share[part], share[part[-1:]] + _THIN, [np.nan]]
        ys += [ends[:, part[:1]], ends[:, part], ends[:, part[-1:]], np.full((2, 1), np.nan)]
    style: dict[str, Any] = {"color": GRAY, "linewidth": 0.0, "zorder": 1.0} | looks
    return ax.fill_between(square.at(np.concatenate(xs)), *np.concatenate(ys, axis=1), **style)


def _boxes(
    ax: Axes, table: Reliability, low: FloatArray, high: FloatArray, square: Square, alpha: float,
    label: str,
) -> Any:  # fmt: skip
    from matplotlib.collections import PolyCollection

    known = np.isfinite(low)
    left, right, low, high = (
        square.place(ends[known]) for ends in (table.lower, table.upper, low, high)
    )
    middle, half = 0.5 * (left + right), np.maximum(0.5 * (right - left), _THIN)
    low, high = np.minimum(low, high - _THIN), np.maximum(high, low + _THIN)
    xs = np.stack([middle - half, middle + half, middle + half, middle - half], axis=1)
    corners = np.stack([xs, np.stack([low, low, high, high], axis=1)], axis=2)
    boxes = PolyCollection(
        list(corners), facecolor=GRAY, alpha=alpha, linewidth=0.0, label=label, zorder=1
    )
    ax.add_collection(boxes, autolim=False)
    return boxes


def _fix_ticks(axis: Any, ticks: Any) -> None:
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axis.set_major_locator(FixedLocator(list(ticks)))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda p, _: f"{p:.7g}"))


def _known(table: Reliability) -> Any:
    return np.isfinite(table.predicted)


def _predicted(table: ReliabilityTable) -> FloatArray:
    return table.band.predicted if isinstance(table, CorpCurve) else table.predicted[_known(table)]


def _logit(p: Any) -> Any:
    return np.log(p) - np.log1p(-p)
