"""The reliability diagram."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import RandomSource
from calibrant._output import counted, number, percent
from calibrant._predictions import Predictions, as_predictions, name_text
from calibrant.binning import DEFAULT, Binning, Reliability, reliability
from calibrant.estimators import ECE
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries
from calibrant.plots._reliability_marks import (
    LABELS,
    draw_bands,
    draw_counts,
    draw_points,
    set_square,
)
from calibrant.plots._style import ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Drawing, Marks


@dataclass(frozen=True, eq=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often what was predicted with probability p did occur.

    A circle is a bin: its mean prediction and its frequency, with a Clopper–Pearson interval. The
    boxes on the diagonal hold the frequencies of a perfectly calibrated model with the same
    predictions: the dark one for each bin, the light one for all bins together. A bin outside the
    light box gets a triangle that points to where it is. Below: the rows of each bin.

    Parameters
    ----------
    reliability : Reliability
        Bins, intervals and bands.
    label : object or None
        The class that is looked at; None for the predicted label.
    ece : float
        The expected calibration error of the same bins.
    n_samples : int

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import ReliabilityDisplay
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> display = ReliabilityDisplay.from_predictions(*model.sample(1000, rng=0), rng=0)
    >>> drawing = display.plot()
    >>> print(display.describe())
    7 of 12 bins lie outside what noise explains: 7 occur less often than predicted. ...
    """

    reliability: Reliability
    label: Any
    ece: float
    n_samples: int
    size: ClassVar[tuple[float, float]] = (4.5, 5.8)
    place: ClassVar[tuple[float, float, float, float]] = (0.15, 0.295, 0.8, 0.8 * 4.5 / 5.8)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        label: Any = None,
        binning: Binning = DEFAULT,
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        rng: RandomSource = None,
        **data: Any,
    ) -> ReliabilityDisplay:
        """Compute the diagram from labels and probabilities, or from one `Predictions`.

        Cost: O(n·n_resamples); see `binning.reliability`.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or Predictions
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
        label : name of a class, optional
            The class to look at. By default the positive (last) one of two classes, and the
            predicted label, whichever it is, of more.
        binning : Binning, default Uniform(15)
        confidence_level : float, default 0.95
            Level of bars and bands.
        n_resamples : int, default 999
            Labels drawn for the bands.
        rng : None, int or Generator
        **data
            `classes`, `pos_label`, `sample_weight`, `normalize`: see `Predictions`.

        Returns
        -------
        ReliabilityDisplay
        """
        predictions = as_predictions(y_true, y_prob, **data)
        view, shown = _view(predictions, label)
        table = reliability(
            view,
            binning=binning,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )
        return cls(table, shown, ECE(binning).estimate(view), view.n_samples)

    @property
    def title(self) -> str:
        """What is shown, in one line."""
        return f"Reliability of {self._what}"

    def describe(self) -> str:
        """Say in plain words which bins lie outside the band of a calibrated model."""
        outside = self.reliability.outside
        below, above = int(np.sum(outside < 0)), int(np.sum(outside > 0))
        facts = (
            f"ECE {number(self.ece)}, {counted(self.n_samples, 'row')}, "
            f"confidence_level {percent(self.reliability.confidence_level)} for all bins together."
        )
        if not below + above:
            some = "The one bin lies" if len(outside) == 1 else f"All {len(outside)} bins lie"
            return f"{some} within what noise explains. {facts}"
        parts = [
            f"{count} occur{'s' if count == 1 else ''} {how} often than predicted"
            for count, how in ((below, "less"), (above, "more"))
            if count
        ]
        verb = "lies" if below + above == 1 else "lie"
        head = f"{below + above} of {counted(len(outside), 'bin')} {verb} outside"
        return f"{head} what noise explains: {', '.join(parts)}. {facts}"

    def table(self) -> dict[str, list[Any]]:
        """Return the bins: edges, counts, predicted, observed, intervals and bands."""
        return self.reliability.to_dict()

    def numbers(self) -> dict[str, float]:
        """Return the ECE."""
        return {"ece": self.ece}

    def readings(self) -> dict[str, list[str]]:
        """Return what every bin says: predicted, observed, interval, and what noise explains."""
        found: dict[str, list[str]] = {}
        for k in np.flatnonzero(np.isfinite(self.reliability.observed)):
            name = LABELS[int(self.reliability.outside[k])][0]
            found.setdefault(name, []).append(self._bin_text(int(k)))
        return found

    def _bin_text(self, k: int) -> str:
        table = self.reliability
        what = "right" if self.label is None else "occurred"
        return (
            f"{counted(int(table.bins.count[k]), 'row')} predicted {number(table.predicted[k])}: "
            f"{what} in {number(table.observed[k])} [{number(table.interval_low[k])}, "
            f"{number(table.interval_high[k])}]; a calibrated model stays between "
            f"{number(table.band_low[k])} and {number(table.band_high[k])}"
        )

    def plot(
        self,
        ax: Axes | None = None,
        *,
        legend: bool = True,
        bands: bool = True,
        intervals: bool = True,
        counts: bool = True,
    ) -> Drawing:
        """Draw into `ax`, or into a figure of its own.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
        legend : bool, default True
        bands : bool, default True
            Show where a calibrated model would be.
        intervals : bool, default True
            Show the Clopper–Pearson intervals.
        counts : bool, default True
            Show the rows of each bin, in a strip below.

        Returns
        -------
        Drawing
        """
        options = {"bands": bands, "intervals": intervals, "counts": counts}
        return self._render(ax, lambda target: self._draw(target, legend=legend, **options))

    def _draw(
        self,
        ax: Axes,
        *,
        legend: bool,
        bands: bool = True,
        intervals: bool = True,
        counts: bool = True,
    ) -> Marks:
        artists: dict[str, Any] = {}
        ax.plot([0, 1], [0, 1], color=ink(), linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.5)
        if bands:
            artists |= draw_bands(ax, self.reliability)
        artists |= draw_points(ax, self.reliability, intervals=intervals)
        set_square(ax)
        is_top = self.label is None
        ax.set_ylabel("Share of rows in which it " + ("was right" if is_top else "occurred"))
        ax.set_title(f"{self.title}\nECE {number(self.ece)}, {counted(self.n_samples, 'row')}")
        lowest = ax
        if counts:
            lowest, artists["counts"] = draw_counts(ax, self.reliability)
        lowest.set_xlabel("Predicted probability")
        if legend:
            legend_below(lowest, legend_entries(ax), columns=2)
        return (ax, lowest) if counts else (ax,), artists

    @property
    def _what(self) -> str:
        return "the predicted label" if self.label is None else f"class {name_text(self.label)}"


def _view(predictions: Predictions, label: Any) -> tuple[Predictions, Any]:
    if label is not None:
        return predictions.one_vs_rest(label), label
    event = predictions.event()
    return event, None if event.ranked else event.classes[-1]
