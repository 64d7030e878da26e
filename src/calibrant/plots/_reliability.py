"""The reliability diagram."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

import numpy as np

from calibrant._engine import RandomSource
from calibrant._output import counted, number, percent, probability_text
from calibrant._predictions import Predictions, as_predictions, name_text
from calibrant.binning import DEFAULT, Binning, reliabilities
from calibrant.estimators import ECE, CorpCurve, CorpDecomposition, corp_curve, corp_decomposition
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries
from calibrant.plots._reliability_axes import ScaleChoice, choose_binning, choose_scale
from calibrant.plots._reliability_marks import (
    LABELS,
    ReliabilityTable,
    Scale,
    Square,
    draw_bands,
    draw_counts,
    draw_curve,
    draw_diagonal,
    draw_points,
    noun,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Drawing, Marks

#: the reason for nonlinear axes
_SPREAD = " Logit axes spread out probabilities near 0 and 1."
#: how rows are grouped
Grouping = Binning | Literal["auto", "isotonic"]


@dataclass(frozen=True, eq=False, repr=False)
class ReliabilityDisplay(Display):
    """Reliability diagram: how often events predicted with probability p occurred.

    A circle is a bin, at its mean prediction and frequency, with a Clopper–Pearson interval. If
    bins of equal width would be nearly empty, an isotonic (CORP) curve replaces them, and circles
    are its steps. The gray areas contain the frequencies of a calibrated model with the same
    predictions: the dark area for each bin or step, the light area for all together. Outside the
    light area, triangles point up or down. A strip below shows the number of rows.

    Parameters
    ----------
    reliability : Reliability or CorpCurve
        Bins or steps, with intervals and bands.
    label : object or None
        The class shown; None for the predicted label.
    ece : float
        The expected calibration error of the bins.
    n_samples : int
        Number of rows.
    scale : {"linear", "logit"}, default "linear"
        Logit axes resolve rare events and very confident models; 0 and 1 are drawn at their ends.
    corp : CorpDecomposition, optional
        Miscalibration, discrimination and uncertainty.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import ReliabilityDisplay
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> display = ReliabilityDisplay.from_predictions(*model.sample(1000, rng=0), rng=0)
    >>> drawing = display.plot()
    >>> print(display.describe())
    13 of 19 steps lie outside what noise explains: 13 occur less often than predicted. ...
    """

    reliability: ReliabilityTable
    label: Any
    ece: float
    n_samples: int
    scale: Scale = "linear"
    corp: CorpDecomposition | None = None
    size: ClassVar[tuple[float, float]] = (4.5, 5.8)
    place: ClassVar[tuple[float, float, float, float]] = (0.15, 0.295, 0.8, 0.8 * 4.5 / 5.8)

    def __post_init__(self) -> None:
        if self.scale not in get_args(Scale):
            raise ValueError(f'`scale` must be "linear" or "logit"; got {self.scale!r}.')

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        label: Any = None,
        binning: Grouping = "auto",
        scale: ScaleChoice = "auto",
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **data: Any,
    ) -> ReliabilityDisplay:
        """Compute the diagram; O(n·n_resamples), see `reliability` and `corp_curve`.

        Parameters
        ----------
        label : name of a class, optional
            The class to show. By default the positive one of two classes, or the predicted label
            with more.
        binning : "auto", "isotonic" or Binning, default "auto"
            How to group rows. "auto" is ``Uniform(15)`` if all bins have enough rows and the axes
            are linear, otherwise the isotonic (CORP) curve.
        scale : {"auto", "linear", "logit"}, default "auto"
            The axes. "auto" is logit if no bins are given, at least 60 % of the rows have a
            prediction below 0.02 or above 0.98, and at least 5 opposite outcomes are expected among
            them; otherwise linear.
        confidence_level : float, default 0.95
            Coverage of intervals and bands.
        n_resamples : int, default 999
            Number of label sets drawn for the bands.
        ax : matplotlib.axes.Axes, optional
            Also draw into these axes.
        """
        predictions = as_predictions(y_true, y_prob, **data)
        [display] = cls.several(
            predictions,
            [label],
            binning=binning,
            scale=scale,
            confidence_level=confidence_level,
            n_resamples=n_resamples,
            rng=rng,
        )
        return display._drawn(ax)

    @classmethod
    def several(
        cls,
        predictions: Predictions,
        labels: Sequence[Any],
        *,
        binning: Grouping = "auto",
        scale: ScaleChoice = "auto",
        confidence_level: float = 0.95,
        n_resamples: int = 999,
        rng: RandomSource = None,
    ) -> list[ReliabilityDisplay]:
        """Compute the diagrams of several labels, which share random draws.

        With an integer `rng`, they equal those of `from_predictions`, whose options these are.
        """
        views = [view_of(predictions, label) for label in labels]
        axes = [choose_scale(scale, [view], binning) for view, _ in views]
        chosen = [
            choose_binning(binning, [view], one) for (view, _), one in zip(views, axes, strict=True)
        ]
        bands: dict[str, Any] = {"confidence_level": confidence_level, "n_resamples": n_resamples}
        tables: dict[int, ReliabilityTable] = {
            k: corp_curve(views[k][0], rng=rng, **bands)
            for k, bins in enumerate(chosen)
            if bins is None
        }
        while len(tables) < len(views):
            bins = next(one for k, one in enumerate(chosen) if k not in tables)
            assert bins is not None  # the others have an isotonic curve
            alike = [k for k, one in enumerate(chosen) if one == bins]
            found = reliabilities([views[k][0] for k in alike], bins, rng=rng, **bands)
            tables |= dict(zip(alike, found, strict=True))
        return [
            cls(
                tables[k],
                shown,
                ECE(chosen[k] or DEFAULT).estimate(view),
                view.n_samples,
                axes[k],
                corp_decomposition(view),
            )
            for k, (view, shown) in enumerate(views)
        ]

    @property
    def title(self) -> str:
        """The title, in one line."""
        what = "the predicted label" if self.label is None else f"class {name_text(self.label)}"
        return f"Reliability of {what}"

    @property
    def axes_note(self) -> str:
        """The addition to the name of a nonlinear axis."""
        return " (logit axes)" if self.scale == "logit" else ""

    def describe(self) -> str:
        """Describe which bins or steps leave the band of a calibrated model."""
        outside, what = self.reliability.outside, noun(self.reliability)
        below, above = int(np.sum(outside < 0)), int(np.sum(outside > 0))
        facts = (
            f"ECE {number(self.ece)}, {counted(self.n_samples, 'row')}; band of "
            f"{percent(self.reliability.confidence_level)} for all {what}s together."
            f"{_SPREAD if self.scale == 'logit' else ''}"
        )
        if not below + above:
            all_ = (
                f"The one {what} lies" if len(outside) == 1 else f"All {len(outside)} {what}s lie"
            )
            return f"{all_} within what noise explains. {facts}"
        parts = [
            f"{count} occur{'s' if count == 1 else ''} {how} often than predicted"
            for count, how in ((below, "less"), (above, "more"))
            if count
        ]
        verb = "lies" if below + above == 1 else "lie"
        head = f"{below + above} of {counted(len(outside), what)} {verb} outside"
        return f"{head} what noise explains: {', '.join(parts)}. {facts}"

    def table(self) -> dict[str, list[Any]]:
        """Return the bins or steps: edges, counts, predicted, observed and bands."""
        return self.reliability.to_dict()

    def numbers(self) -> dict[str, float]:
        """Return the ECE, and the parts of the Brier score."""
        if self.corp is None:
            return {"ece": self.ece}
        mcb, dsc, unc = (self.corp.miscalibration, self.corp.discrimination, self.corp.uncertainty)
        return {"ece": self.ece, "mcb": mcb, "dsc": dsc, "unc": unc}

    def readings(self) -> dict[str, list[str]]:
        """Describe every bin or step: predicted, observed, and whether noise explains it."""
        texts: dict[str, list[str]] = {}
        for k in np.flatnonzero(np.isfinite(self.reliability.observed)):
            name = LABELS[int(self.reliability.outside[k])][0]
            texts.setdefault(name, []).append(self._text(int(k)))
        return texts

    def _text(self, k: int) -> str:
        t, what = self.reliability, "right" if self.label is None else "occurred"
        predicted, interval = probability_text(t.predicted[k]), ""
        if isinstance(t, CorpCurve):
            predicted = f"{probability_text(t.lower[k])} to {probability_text(t.upper[k])}"
        else:
            interval = f" [{number(t.interval_low[k])}, {number(t.interval_high[k])}]"
        low, high = number(t.band_low[k]), number(t.band_high[k])
        return (
            f"{counted(int(t.count[k]), 'row')} predicted {predicted}: {what} in "
            f"{number(t.observed[k])}{interval}; a calibrated model stays between {low} and {high}"
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
        """Draw into `ax`, or into a new figure.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            The axes to draw into.
        legend : bool, default True
            Whether to draw a legend.
        bands, intervals, counts : bool, default True
            Whether to draw the bands, the intervals and the strip of counts.

        Returns
        -------
        Drawing
        """
        options = {"bands": bands, "intervals": intervals, "counts": counts}
        return self._render(ax, lambda target: self._draw(target, legend=legend, **options))

    def draw_inside(
        self, ax: Axes, *, bands: bool = True, intervals: bool = True, size: float = 5.0
    ) -> tuple[Square, dict[str, Any]]:
        """Draw diagonal, bands, curve and points into axes; return their scale and artists."""
        square = Square.around([self.reliability], self.scale)
        draw_diagonal(ax, square)
        artists = draw_bands(ax, self.reliability, square) if bands else {}
        artists |= draw_points(ax, self.reliability, square, intervals=intervals, size=size)
        if isinstance(self.reliability, CorpCurve):
            artists |= draw_curve(ax, self.reliability, square)
        return square, artists

    def _draw(
        self,
        ax: Axes,
        *,
        legend: bool,
        bands: bool = True,
        intervals: bool = True,
        counts: bool = True,
    ) -> Marks:
        square, artists = self.draw_inside(ax, bands=bands, intervals=intervals)
        square.apply(ax)
        is_top = self.label is None
        ax.set_ylabel("Share of rows in which it " + ("was right" if is_top else "occurred"))
        ax.set_title(f"{self.title}\nECE {number(self.ece)}, {counted(self.n_samples, 'row')}")
        lowest = ax
        if counts:
            lowest, artists["counts"] = draw_counts(ax, self.reliability, square)
        lowest.set_xlabel(f"Predicted probability{self.axes_note}")
        if legend:
            legend_below(lowest, legend_entries(ax), columns=2)
        return (ax, lowest) if counts else (ax,), artists


def view_of(predictions: Predictions, label: Any) -> tuple[Predictions, Any]:
    """Return the two-class view and its class, None for the predicted label."""
    if label is not None:
        return predictions.one_vs_rest(label), label
    event = predictions.event()
    return event, None if event.ranked else event.classes[-1]
