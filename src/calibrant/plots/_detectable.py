"""Detectable temperatures against the number of rows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._output import counted, estimate_text, factor_text, number, percent
from calibrant._predictions import as_predictions
from calibrant.effects import DetectableCurve, Effect, detectable_curve, temperature
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries, write_title
from calibrant.plots._style import BLUE, GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: the axis shows from n/_RANGE to n·_RANGE rows
_RANGE = 20.0


@dataclass(frozen=True, eq=False, repr=False)
class DetectableDisplay(Display):
    """The temperatures that a test would detect, against the number of rows.

    A temperature above 1 means over-confidence by this factor in the logits, below 1
    under-confidence. In the gray region, a deviation is likely to go undetected. The diamond shows
    the number of rows of the data and their temperature.

    Parameters
    ----------
    curve : DetectableCurve
        The curve.
    estimate : Effect
        The temperature of the data.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import DetectableDisplay
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=1.5)
    >>> display = DetectableDisplay.from_predictions(*model.sample(1000, rng=0))
    >>> print(display.describe())
    With 1,000 rows temperatures above 1.13 or below 0.878 are detected with 80 % power; ...
    """

    curve: DetectableCurve
    estimate: Effect
    size: ClassVar[tuple[float, float]] = (4.8, 4.1)
    place: ClassVar[tuple[float, float, float, float]] = (0.13, 0.3, 0.83, 0.57)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        alpha: float = 0.05,
        power: float = 0.8,
        ax: Axes | None = None,
        **data: Any,
    ) -> DetectableDisplay:
        """Compute the temperatures detectable with rows like these; see `effects.detectable_curve`.

        Parameters
        ----------
        alpha : float, default 0.05
            Significance of the test.
        power : float, default 0.8
            Probability of detection.
        """
        predictions = as_predictions(y_true, y_prob, **data)
        curve = detectable_curve(predictions, alpha, power)
        return cls(curve, temperature(predictions))._drawn(ax)

    @property
    def title(self) -> str:
        """The title, in one line."""
        given = self.curve.given
        what = f"power {percent(given.power)}, alpha = {number(given.alpha)}"
        return f"Detectable over- and under-confidence, {what}"

    @property
    def reach(self) -> str:
        """What the data can detect, in one sentence."""
        return f"{self._reach()}."

    def describe(self) -> str:
        """Describe what the data can detect, and what they show."""
        effect = self.estimate
        text = estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
        return f"{self._reach()}; the data fit a temperature of {text}."

    def _reach(self) -> str:
        given = self.curve.given
        ends = (("above", given.over), ("below", given.under))
        known = " or ".join(f"{side} {factor_text(end)}" for side, end in ends if end)
        found = f"temperatures {known} are" if known else "hardly any temperature is"
        rows = counted(self.curve.n_given, "row")
        return f"With {rows} {found} detected with {percent(given.power)} power"

    def table(self) -> dict[str, list[Any]]:
        """Return temperatures and the rows needed to detect them; None if no number suffices."""
        rows = [float(n) if math.isfinite(n) else None for n in self.curve.n_samples]
        return {"temperature": self.curve.temperature.tolist(), "n_samples": rows}

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        n = self.curve.n_given
        left, right = max(1.0, n / _RANGE), n * _RANGE
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.axhline(1.0, color=ink(), linewidth=0.8, linestyle=(0, (4, 3)))
        artists = self._draw_curves(ax, left, right)
        artists |= self._draw_data(ax)
        ax.set_xlim(left, right)
        self._set_scale(ax)
        ax.set_xlabel("Rows")
        ax.set_ylabel("Temperature")
        write_title(ax, self.title)
        if legend:
            legend_below(ax, legend_entries(ax), columns=1)
        return (ax,), artists

    def _draw_curves(self, ax: Axes, left: float, right: float) -> dict[str, Any]:
        artists: dict[str, Any] = {}
        rows = np.geomspace(left, right, 160)
        sides = {}
        for name, sign, color, style, label in (
            ("over", 1.0, VERMILLION, "-", "over-confidence is detected above"),
            ("under", -1.0, BLUE, (0, (5, 1.5)), "under-confidence is detected below"),
        ):
            side = (self.curve.temperature - 1.0) * sign > 0
            t, needed = self.curve.temperature[side], self.curve.n_samples[side]
            sides[name] = _at(rows, needed, t, far=math.inf if sign > 0 else 0.0)
            shown = np.isfinite(sides[name]) & (sides[name] > 0)
            [artists[name]] = ax.plot(
                rows[shown], sides[name][shown], color=color, linestyle=style, label=label
            )
        low, high = np.maximum(sides["under"], 1e-3), np.minimum(sides["over"], 1e3)
        looks: dict[str, Any] = {"color": GRAY, "alpha": 0.22, "linewidth": 0.0, "zorder": 0.5}
        artists["hidden"] = ax.fill_between(rows, low, high, label="may go undetected", **looks)
        return artists

    def _draw_data(self, ax: Axes) -> dict[str, Any]:
        n, effect = self.curve.n_given, self.estimate
        artists: dict[str, Any] = {
            "n_samples": ax.axvline(n, color=ink(), linewidth=0.8, linestyle=":")
        }
        if not (math.isfinite(effect.estimate) and effect.estimate > 0):
            return artists
        if effect.interval.is_known:
            low, high = effect.interval.low, effect.interval.high
            artists["interval"] = ax.vlines([n], [low], [high], colors=ink(), linewidth=1.4)
        [artists["estimate"]] = ax.plot(
            [n], [effect.estimate], "D", markersize=5, color=ink(), markeredgecolor="white",
            label=f"this data: {counted(n, 'row')}, temperature {number(effect.estimate)}",
        )  # fmt: skip
        return artists

    def _set_scale(self, ax: Axes) -> None:
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

        interval = self.estimate.interval
        shown = [1.25, self.estimate.estimate, interval.low, interval.high]
        given = self.curve.given
        shown += [end**2 for end in (given.over, given.under) if end]
        reach = max(abs(math.log(t)) for t in shown if math.isfinite(t) and t > 0)
        limit = math.exp(min(1.15 * reach, math.log(25.0)))
        ax.set_ylim(1.0 / limit, limit)
        ax.yaxis.set_major_locator(FixedLocator(_ticks(limit)))
        ax.yaxis.set_minor_locator(NullLocator())
        ax.yaxis.set_major_formatter(FuncFormatter(lambda t, _: number(t)))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda n, _: f"{n:,.0f}"))


def _at(rows: Any, needed: Any, t: Any, far: float) -> Any:
    """Return the temperature that each number of rows detects, or `far` if there is none."""
    known = np.isfinite(needed) & (needed > 0)
    if not known.any():
        return np.full(len(rows), far)
    order = np.argsort(needed[known])
    # |log t| is approximately a power of the number of rows
    distance = np.log(t[known][order])
    x, y = np.log(needed[known][order]), np.log(np.abs(distance))
    curve = np.exp(np.sign(distance[0]) * np.exp(np.interp(np.log(rows), x, y)))
    return np.where(np.log(rows) < x[0], far, curve)


def _ticks(limit: float) -> list[float]:
    """Return round temperatures, from 1 outward, at least an eighth of the axis apart."""
    sides = []
    for round_ones in (
        (1.01, 1.02, 1.05, 1.1, 1.2, 1.3, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0),
        (0.99, 0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.2, 0.1, 0.05),
    ):
        ticks = [1.0]
        for t in round_ones:
            if abs(math.log(t)) <= math.log(limit) <= 4 * abs(math.log(t / ticks[-1])):
                ticks.append(t)
        sides.append(ticks)
    return [*sides[1][:0:-1], *sides[0]]
