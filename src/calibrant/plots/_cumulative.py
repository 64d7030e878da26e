"""Cumulative differences between outcomes and predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import RandomSource, as_generator, resampler_for, sizes
from calibrant._native import FloatArray, IntArray
from calibrant._output import counted, number, percent, probability_text
from calibrant._predictions import as_predictions, name_text
from calibrant.estimators import (
    CumulativeDifferences,
    KolmogorovSmirnov,
    Kuiper,
    cumulative_differences,
)
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries
from calibrant.plots._reliability import view_of
from calibrant.plots._style import BLUE, GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: more points of a curve than this cannot be distinguished
_POINTS = 512
#: normal quantile of a 95 % band
_Z = 1.959963984540054


@dataclass(frozen=True, eq=False, repr=False)
class CumulativeDisplay(Display):
    """Cumulative differences: outcomes minus predictions, summed in order of the predictions.

    Where the curve rises, events occur more often than predicted; where it falls, less often. The
    slope is the local error. There are no bins and no smoothing. With 95 % probability, a
    calibrated model is in the dark area at a given point, and in the light area everywhere.

    Parameters
    ----------
    curve : CumulativeDifferences
        The curve.
    reach : float
        Half-width of the light area: the 95 % quantile of a calibrated model's largest difference.
    label : object or None
        The class shown; None for the predicted label.
    ks, kuiper : float
        Largest absolute value and range, in standard deviations of a calibrated model.
    n_samples : int
        Number of rows.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import CumulativeDisplay
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> display = CumulativeDisplay.from_predictions(*model.sample(1000, rng=0), rng=0)
    >>> drawing = display.plot()
    >>> print(display.describe())
    Up to a probability of ..., it is right less often than predicted: ...
    """

    curve: CumulativeDifferences
    reach: float
    label: Any
    ks: float
    kuiper: float
    n_samples: int
    size: ClassVar[tuple[float, float]] = (4.8, 4.3)
    place: ClassVar[tuple[float, float, float, float]] = (0.17, 0.33, 0.74, 0.53)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        label: Any = None,
        n_resamples: int = 999,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **data: Any,
    ) -> CumulativeDisplay:
        """Compute the curve; O(n·n_resamples).

        Parameters
        ----------
        label : name of a class, optional
            The class to show. By default the positive one of two classes, or the predicted label
            with more.
        n_resamples : int, default 999
            Number of label sets drawn for the light area, at least 19.
        ax : matplotlib.axes.Axes, optional
            Also draw into these axes.
        """
        if n_resamples < 19:
            raise ValueError(f"`n_resamples` must be at least 19; got {n_resamples}.")
        view, shown = view_of(as_predictions(y_true, y_prob, **data), label)
        resampler = resampler_for(view, as_generator(rng), stream=3)
        largest = KolmogorovSmirnov(standardized=False)
        null = np.concatenate([
            largest.over_labels(view, resampler.draw(view, part))
            for part in sizes.replicate_batches(n_resamples, view.n_samples)
        ])  # fmt: skip
        rank = math.ceil(0.95 * (n_resamples + 1) - 1e-9) - 1
        reach = float(np.sort(null)[min(rank, n_resamples - 1)])
        ks, kuiper = KolmogorovSmirnov().estimate(view), Kuiper().estimate(view)
        curve = cumulative_differences(view)
        return cls(curve, reach, shown, ks, kuiper, view.n_samples)._drawn(ax)

    @property
    def title(self) -> str:
        """The title, in one line."""
        what = "the predicted label" if self.label is None else f"class {name_text(self.label)}"
        return f"Cumulative differences of {what}"

    def describe(self) -> str:
        """Describe where the difference is largest, and whether noise explains it."""
        k = int(np.argmax(np.abs(self.curve.difference)))
        largest = float(self.curve.difference[k])
        verb = "is right" if self.label is None else "occurs"
        often = "more" if largest > 0.0 else "less"
        outside = abs(largest) > self.reach * (1.0 + 1e-9)
        where = f"Up to a probability of {probability_text(float(self.curve.predicted[k]))}, it"
        size = f"a difference of {number(abs(largest))} of all rows"
        noise = f"{number(self.reach)} in {percent(0.95)} of label sets of a calibrated model"
        said = "more than noise explains" if outside else "within what noise explains"
        numbers = f"Kolmogorov–Smirnov {number(self.ks)}, Kuiper {number(self.kuiper)}"
        return (
            f"{where} {verb} {often} often than predicted: {size}, {said} ({noise}). {numbers}, "
            f"{counted(self.n_samples, 'row')}."
        )

    def table(self) -> dict[str, list[Any]]:
        """Return predictions, shares of rows, differences and deviations, at most 514 of each."""
        shown = self._shown()
        columns = {
            "predicted": self.curve.predicted,
            "share": self.curve.share,
            "difference": self.curve.difference,
            "sd": self.curve.sd,
        }
        return {name: values[shown].tolist() for name, values in columns.items()}

    def numbers(self) -> dict[str, float]:
        """Return the standardized statistics, and the half-width of the light area."""
        return {"ks": self.ks, "kuiper": self.kuiper, "reach": self.reach}

    def _shown(self) -> IntArray:
        """Return points that are evenly spaced along the rows, and both extremes."""
        d = self.curve.difference
        if len(d) <= _POINTS:
            return np.arange(len(d))
        even = np.searchsorted(self.curve.share, np.linspace(0.0, 1.0, _POINTS))
        return np.unique(np.r_[np.minimum(even, len(d) - 1), np.argmax(d), np.argmin(d)])

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        shown = self._shown()
        x, d, sd = (np.r_[0.0, values[shown]] for values in
                    (self.curve.share, self.curve.difference, self.curve.sd))  # fmt: skip
        gray: dict[str, Any] = {"color": GRAY, "linewidth": 0.0, "zorder": 0.5}
        artists: dict[str, Any] = {
            "light": ax.fill_between(
                [0.0, 1.0], -self.reach, self.reach, alpha=0.15,
                label="calibrated, everywhere (95 %)", **gray,
            ),
            "dark": ax.fill_between(
                x, -_Z * sd, _Z * sd, alpha=0.25, label="calibrated, at each place", **gray
            ),
            "zero": ax.axhline(0.0, color=ink(), linewidth=0.8, linestyle=(0, (4, 3))),
        }  # fmt: skip
        [artists["curve"]] = ax.plot(x, d, color=ink(), label="observed − predicted, summed up")
        self._mark_largest(ax, x, d, artists)
        self._set_scale(ax, x, d)
        ax.set_ylabel("Cumulative difference")
        ax.set_xlabel("Share of rows, and their largest probability")
        facts = f"Kolmogorov–Smirnov {number(self.ks)}, Kuiper {number(self.kuiper)}"
        ax.set_title(f"{self.title}\n{facts}, {counted(self.n_samples, 'row')}")
        if legend:
            legend_below(ax, legend_entries(ax), columns=1, below=46.0)
        return (ax,), artists

    def _mark_largest(
        self, ax: Axes, x: FloatArray, d: FloatArray, artists: dict[str, Any]
    ) -> None:
        k = int(np.argmax(np.abs(d)))
        if abs(d[k]) <= self.reach * (1.0 + 1e-9):
            return
        above = d[k] > 0.0
        often = "more" if above else "fewer"
        [artists["largest"]] = ax.plot(
            x[k : k + 1], d[k : k + 1], "^" if above else "v", markersize=7,
            color=BLUE if above else VERMILLION, markeredgecolor="white",
            label=f"{often} events up to here than noise explains",
        )  # fmt: skip

    def _set_scale(self, ax: Axes, x: FloatArray, d: FloatArray) -> None:
        from matplotlib.ticker import FixedLocator, FuncFormatter

        ax.set_xlim(0.0, 1.0)
        largest = max(float(np.abs(d).max()), self.reach)
        limit = 1.12 * largest if largest > 0.0 else 1.0
        ax.set_ylim(-limit, limit)
        ax.xaxis.set_major_locator(FixedLocator([0.0, 0.25, 0.5, 0.75, 1.0]))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: self._tick(share)))

    def _tick(self, share: float) -> str:
        if share <= 0.0:
            return "0 %"
        k = min(int(np.searchsorted(self.curve.share, share - 1e-12)), len(self.curve.share) - 1)
        return f"{percent(share)}\n{probability_text(float(self.curve.predicted[k]))}"
