"""Differences between models, measure by measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from calibrant._engine import RandomSource
from calibrant._followup.compare import TITLES, ComparisonResult, compare
from calibrant._output import counted, estimate_text, number, percent, to_plain
from calibrant._predictions import Predictions, name_text
from calibrant.plots._display import Display
from calibrant.plots._panels import Sheet, legend_entries
from calibrant.plots._style import BLUE, GRAY, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks

#: panels in a row
_COLUMNS = 3
#: sizes in inches: a letter of a name, a pair of models, a panel
_LETTER, _PAIR, _PANEL, _GAP, _TOP, _BOTTOM = 0.075, 0.3, 1.75, 0.3, 0.75, 0.8


@dataclass(frozen=True)
class ComparedPair:
    """The difference first − second between two models in one measure.

    Attributes
    ----------
    first, second : str
        Names of the models.
    measure : str
        ``"calibration_loss"``, ``"skce"``, another measure of `compare`, or any other name.
    estimate, low, high : float
        The difference and its interval; NaN if unknown.
    better : str or None
        The model that the data show to be better, if any.

    Examples
    --------
    >>> from calibrant.plots import ComparedPair
    >>> pair = ComparedPair("raw", "scaled", "skce", 0.004, 0.001, 0.007, better="scaled")
    >>> pair.low > 0.0  # the error of raw is larger
    True
    """

    first: str
    second: str
    measure: str
    estimate: float
    low: float
    high: float
    better: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonDisplay(Display):
    """Differences between models on the same rows, one panel per measure, with intervals.

    A diamond means that the data show which model is better, a circle that they do not. In every
    panel, values on the left favor the first model of a pair.

    Parameters
    ----------
    pairs : tuple of ComparedPair
        The differences.
    confidence_level : float, default 0.95
        Coverage of the intervals.

    Examples
    --------
    >>> from calibrant.plots import ComparedPair, ComparisonDisplay
    >>> pair = ComparedPair("raw", "scaled", "skce", 0.004, 0.001, 0.007, better="scaled")
    >>> print(ComparisonDisplay((pair,)).describe())
    SKCE: scaled is better than raw.
    """

    pairs: tuple[ComparedPair, ...]
    confidence_level: float = 0.95
    place: ClassVar[tuple[float, float, float, float]] = (0.0, 0.0, 1.0, 1.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", tuple(self.pairs))
        if not self.pairs:
            raise ValueError("`pairs` must contain at least one difference; got none.")

    @classmethod
    def from_result(cls, result: ComparisonResult) -> ComparisonDisplay:
        """Create the display from the result of `compare`.

        Parameters
        ----------
        result : ComparisonResult
            The result.

        Returns
        -------
        ComparisonDisplay
        """
        pairs = tuple(
            ComparedPair(
                d.first, d.second, d.measure, d.estimate, d.interval.low, d.interval.high, d.better
            )
            for d in result.differences
        )
        return cls(pairs, result.confidence_level)

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> ComparisonDisplay:
        """Run `compare` with these options and display its result.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,), or mapping from name to Predictions
            Labels, or the predictions of all models.
        y_prob : mapping from name to array-like of shape (n_samples, n_classes)
            Predicted probabilities of the models.
        rng : None, int or Generator
            Source of randomness.
        ax : matplotlib.axes.Axes, optional
            Also draw into these axes.
        **options
            Options of `compare`: `reference`, `kernel`, `confidence_level`, `classes`,
            `sample_weight`, …

        Returns
        -------
        ComparisonDisplay
        """
        return cls.from_result(compare(y_true, y_prob, rng=rng, **options))._drawn(ax)

    @classmethod
    def from_estimator(
        cls,
        classifier: Mapping[str, Any],
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        **options: Any,
    ) -> ComparisonDisplay:
        """Compare fitted classifiers, ``{name: classifier}``, on the same data."""
        models = {
            name: Predictions.from_estimator(one, X, y, sample_weight=sample_weight)
            for name, one in classifier.items()
        }
        return cls.from_predictions(models, **options)

    @property
    def title(self) -> str:
        """The title, in one line."""
        return f"Differences of models, first − second, {percent(self.confidence_level)} intervals"

    def describe(self) -> str:
        """Describe which models differ, measure by measure."""
        sentences = []
        for measure in self._measures():
            rows = [pair for pair in self.pairs if pair.measure == measure]
            told = [pair for pair in rows if pair.better is not None]
            words = [
                f"{name_text(p.better)} is better than "
                f"{name_text(p.second if p.better == p.first else p.first)}"
                for p in told
            ]
            if len(told) < len(rows):
                among = f" for {counted(len(rows) - len(told), 'pair')}" if len(rows) > 1 else ""
                words.append(f"no difference shown{among}")
            sentences.append(f"{_measure_name(measure)}: {', '.join(words)}.")
        return " ".join(sentences)

    def table(self) -> dict[str, list[Any]]:
        """Return one row for each pair and measure; unknown values are None."""
        names = ("first", "second", "measure", "estimate", "low", "high", "better")
        return {name: to_plain([getattr(pair, name) for pair in self.pairs]) for name in names}

    def readings(self) -> dict[str, list[str]]:
        """Return a description of every difference."""
        found: dict[str, list[str]] = {}
        for measure in self._measures():
            for pair in self.pairs:
                if pair.measure == measure and math.isfinite(pair.estimate):
                    name = "untold" if pair.better is None else "told"
                    found.setdefault(name, []).append(_pair_text(pair))
        return found

    def _measures(self) -> list[str]:
        return list(dict.fromkeys(pair.measure for pair in self.pairs))

    def _rows(self) -> list[tuple[str, str]]:
        return list(dict.fromkeys((pair.first, pair.second) for pair in self.pairs))

    def _left(self) -> float:
        longest = max(len(_row_name(row)) for row in self._rows())
        return 0.3 + _LETTER * longest

    def _size(self) -> tuple[float, float]:
        columns, lines = min(len(self._measures()), _COLUMNS), -(-len(self._measures()) // _COLUMNS)
        width = max(self._left() + columns * (_PANEL + _GAP), 4.8)
        return width, lines * self._line() + _BOTTOM

    def _line(self) -> float:
        return _TOP + _PAIR * (len(self._rows()) + 1)

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        sheet, rows = Sheet(ax, *self._size()), self._rows()
        artists: dict[str, list[Any]] = {}
        panels = []
        for k, measure in enumerate(self._measures()):
            line, column = divmod(k, _COLUMNS)
            left, top = self._left() + column * (_PANEL + _GAP), _TOP + line * self._line()
            panel = sheet.panel(left, top, _PANEL, _PAIR * (len(rows) + 1))
            self._draw_panel(panel, measure, rows, artists)
            panel.tick_params(axis="y", length=0, labelleft=column == 0)
            panels.append(panel)
        sheet.write(0.12, 0.12, self.title, fontsize="large")
        if legend:
            sheet.legend(self._left(), legend_entries(*panels), 2)
        return (ax, *panels), artists

    def _draw_panel(
        self,
        ax: Axes,
        measure: str,
        rows: list[tuple[str, str]],
        artists: dict[str, list[Any]],
    ) -> None:
        from matplotlib.ticker import FuncFormatter, MaxNLocator

        ax.axvline(0.0, color=ink(), linewidth=0.8, linestyle=(0, (4, 3)))
        pairs = [p for p in self.pairs if p.measure == measure and math.isfinite(p.estimate)]
        for told, marker, color, label in (
            (True, "D", BLUE, "the data show which is better"),
            (False, "o", GRAY, "no difference shown"),
        ):
            shown = [p for p in pairs if (p.better is not None) == told]
            y = [rows.index((p.first, p.second)) for p in shown]
            if not shown:
                continue
            low, high = (np.array([getattr(p, end) for p in shown]) for end in ("low", "high"))
            artists.setdefault("intervals", []).append(
                ax.hlines(y, low, high, colors=color, linewidth=1.8)
            )
            drawn = ax.plot([p.estimate for p in shown], y, marker, color=color, label=label)
            artists.setdefault("told" if told else "untold", []).extend(drawn)
        ax.set_yticks(range(len(rows)), [_row_name(row) for row in rows], parse_math=False)
        ax.set_ylim(len(rows) - 0.25, -0.75)
        ax.xaxis.set_major_locator(MaxNLocator(2, symmetric=True))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: number(x)))
        reach = 1.15 * max((abs(x) for x in ax.dataLim.intervalx if math.isfinite(x)), default=1.0)
        # more accuracy is better, so its axis is flipped
        sign = -1.0 if measure == "accuracy" else 1.0
        ax.set_xlim(-sign * (reach or 1.0), sign * (reach or 1.0))
        ax.set_title(_measure_name(measure))
        ax.set_xlabel("← first better    second better →", fontsize="x-small")


def _pair_text(pair: ComparedPair) -> str:
    name = _measure_name(pair.measure)
    verdict = (
        "no difference shown" if pair.better is None else f"{name_text(pair.better)} is better"
    )
    text = estimate_text(pair.estimate, pair.low, pair.high)
    return f"{name}, {_row_name((pair.first, pair.second))}: {text}; {verdict}"


def _row_name(row: tuple[str, str]) -> str:
    return " − ".join(name_text(name, 20) for name in row)


def _measure_name(measure: str) -> str:
    name = TITLES.get(measure, measure)
    return name[:1].upper() + name[1:]
