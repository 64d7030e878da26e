"""The null distribution of a test with the observed statistic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._calibration_test import CalibrationTestResult, calibration_test
from calibrant._engine import RandomSource
from calibrant._native import FloatArray
from calibrant._output import counted, number, pvalue_text, short_form
from calibrant.plots._display import Display
from calibrant.plots._panels import write_title
from calibrant.plots._style import GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: a statistic beyond this many ranges of the null distribution is shown at the edge
_FAR = 3.0


@dataclass(frozen=True, eq=False, repr=False)
class NullDistributionDisplay(Display):
    """The null distribution of the test statistic, and the observed value.

    The histogram shows the statistic on labels drawn from the predictions. The hatched draws reach
    the observed statistic; their share is the p-value.

    Parameters
    ----------
    null_distribution : ndarray of shape (n_resamples,)
        The statistics on drawn labels.
    statistic : float
        The statistic on the observed labels.
    pvalue : float
        The p-value.
    name : str
        The name of the statistic.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.plots import NullDistributionDisplay
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=2.0)  # over-confident
    >>> result = cal.calibration_test(*model.sample(300, rng=0), rng=0)
    >>> display = NullDistributionDisplay.from_result(result)
    >>> print(display.describe())
    Of 999 draws from a calibrated model none reaches the observed statistic: p ≤ 0.001.
    """

    null_distribution: FloatArray
    statistic: float
    pvalue: float
    name: str
    size: ClassVar[tuple[float, float]] = (4.8, 3.2)

    def __post_init__(self) -> None:
        values = np.array(self.null_distribution, dtype=np.float64).ravel()
        values = values[np.isfinite(values)]
        if not len(values):
            raise ValueError(
                "`null_distribution` must contain at least one finite number; got none. Test with "
                "a method that resamples, for example `methods.Exact()`."
            )
        values.flags.writeable = False
        object.__setattr__(self, "null_distribution", values)

    @classmethod
    def from_result(cls, result: CalibrationTestResult) -> NullDistributionDisplay:
        """Create the display from the result of a test that resamples."""
        if result.null_distribution is None:
            raise ValueError(
                f"the result of {result.method} has no null distribution. Test with a method that "
                "resamples: `Aggregated()` (the default), `Exact()`, `Asymptotic()`."
            )
        name = _statistic_name(result)
        return cls(result.null_distribution, result.statistic, result.pvalue, name)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> NullDistributionDisplay:
        """Run `calibration_test` with these options, without effects, and display the result."""
        result = calibration_test(y_true, y_prob, rng=rng, **{"effects": False, **options})
        return cls.from_result(result)._drawn(ax)

    @property
    def title(self) -> str:
        """The title, in one line."""
        draws = counted(len(self.null_distribution), "draw")
        return f"Observed statistic among {draws} from a calibrated model"

    @property
    def _pvalue(self) -> str:
        return pvalue_text(self.pvalue, len(self.null_distribution))

    def describe(self) -> str:
        """Describe how the observed statistic compares with the draws."""
        reach = int(np.sum(self.null_distribution >= self.statistic))
        many = {0: "none reaches", 1: "one reaches"}.get(reach, f"{reach} reach")
        return (
            f"Of {counted(len(self.null_distribution), 'draw')} from a calibrated model {many} "
            f"the observed statistic: {self._pvalue}."
        )

    def table(self) -> dict[str, list[Any]]:
        """Return the bars of the histogram."""
        count, edges = self._histogram()
        return {"from": edges[:-1].tolist(), "to": edges[1:].tolist(), "draws": count.tolist()}

    def _histogram(self) -> tuple[Any, FloatArray]:
        values = self.null_distribution
        low, high = float(values.min()), float(values.max())
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):
            half = max(abs(high) * 0.05, 1e-12)
            edges = np.array([low - half, high + half])
        else:
            edges = np.histogram_bin_edges(values, bins=min(40, max(5, round(len(values) ** 0.5))))
        return np.histogram(values, edges)[0], edges

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        count, edges = self._histogram()
        artists: dict[str, Any] = {}
        artists["null"] = ax.stairs(
            count, edges, fill=True, color=GRAY, alpha=0.55, label="labels of a calibrated model"
        )
        tail = np.maximum(edges, min(self.statistic, edges[-1]))
        if self.statistic < edges[-1]:
            artists["tail"] = ax.stairs(
                count, tail, fill=True, facecolor="none", edgecolor=VERMILLION, hatch="////",
                linewidth=0.0,
            )  # fmt: skip
        top = 1.3 * float(count.max())
        right = float(edges[-1] + _FAR * (edges[-1] - edges[0]))
        self._draw_observed(ax, artists, min(self.statistic, right), top)
        left = min(self.statistic, float(edges[0]))
        width = max(min(self.statistic, right), float(edges[-1])) - left
        ax.set_xlim(left - 0.03 * width, left + 1.05 * width)
        ax.set_ylim(0.0, top)
        ax.xaxis.set_major_locator(MaxNLocator(5))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: number(value)))
        ax.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
        ax.set_xlabel(self.name)
        ax.set_ylabel("Draws")
        write_title(ax, self.title)
        return (ax,), artists

    def _draw_observed(self, ax: Axes, artists: dict[str, Any], x: float, top: float) -> None:
        far = x < self.statistic
        if far:
            [artists["observed"]] = ax.plot(
                [x], [0.45 * top], marker=">", markersize=8, color=VERMILLION, linestyle="none"
            )
        else:
            artists["observed"] = ax.axvline(x, ymax=0.8, color=VERMILLION, linewidth=1.8)
        middle = 0.5 * (self.null_distribution.min() + max(x, self.null_distribution.max()))
        beyond = ", beyond the axis" if far else ""
        ax.annotate(
            f"observed {number(self.statistic)}{beyond}\n{self._pvalue}",
            (x, 0.5 * top if far else 0.8 * top),
            (0, 5),
            textcoords="offset points",
            ha="right" if x > middle else "left",
            va="bottom",
            color=ink(),
        )


def _statistic_name(result: CalibrationTestResult) -> str:
    if "components" in result.details:
        return "Combined evidence −log M (larger is evidence against calibration)"
    return f"{short_form(result.estimator)} (larger is evidence against calibration)"
