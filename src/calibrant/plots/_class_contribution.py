"""The contributions of classes, regions or groups to the calibration error."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._engine import RandomSource
from calibrant._followup.where import WhereResult, where
from calibrant._native import BoolArray, FloatArray
from calibrant._output import counted, number
from calibrant._predictions import name_text
from calibrant.plots._display import Display
from calibrant.plots._panels import legend_below, legend_entries
from calibrant.plots._style import GRAY, VERMILLION, ink

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from calibrant.plots._display import Marks


@dataclass(frozen=True, eq=False, repr=False)
class ClassContributionDisplay(Display):
    """The parts of the calibration error by class, region or group, the strongest first.

    Diamonds mark parts that stand out after adjustment for multiple testing.

    Parameters
    ----------
    names : tuple
        Names of the classes, regions or groups.
    contribution : array-like of shape (k,)
        Parts of the SKCE; may be negative.
    adjusted_pvalue : array-like of shape (k,), optional
        Adjusted p-values; NaN for untested parts.
    direction : tuple of k strings, optional
        What is wrong, in words.
    alpha : float, default 0.05
        Parts with an adjusted p-value up to this stand out.
    kind : str, default "class"
        What a part is, for example "class" or "region".
    max_shown : int, default 20
        Most parts shown, those with the smallest adjusted p-values.

    Examples
    --------
    >>> from calibrant.plots import ClassContributionDisplay
    >>> display = ClassContributionDisplay(
    ...     ("cat", "dog", "owl"), [0.004, 0.0001, -0.0001], [0.001, 0.6, 0.9]
    ... )
    >>> print(display.describe())
    1 of 3 classes stands out at alpha = 0.05: cat.
    """

    names: tuple[Hashable, ...]
    contribution: FloatArray
    adjusted_pvalue: FloatArray | None = None
    direction: tuple[str, ...] | None = None
    alpha: float = 0.05
    kind: str = "class"
    max_shown: int = 20

    def __post_init__(self) -> None:
        k = len(self.names)
        pvalues = np.full(k, math.nan) if self.adjusted_pvalue is None else self.adjusted_pvalue
        words = ("",) * k if self.direction is None else tuple(self.direction)
        for name, values in (("contribution", self.contribution), ("adjusted_pvalue", pvalues)):
            column = np.array(values, dtype=np.float64)
            if column.shape != (k,) or not k:
                raise ValueError(
                    f"`{name}` must have one entry for each of the {k} names, and there must be "
                    f"some; got shape {column.shape}."
                )
            column.flags.writeable = False
            object.__setattr__(self, name, column)
        if len(words) != k or self.max_shown < 1:
            raise ValueError(
                f"`direction` must have one entry for each of the {k} names and `max_shown` be at "
                f"least 1; got {len(words)} and {self.max_shown}."
            )
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "direction", words)

    @classmethod
    def from_result(
        cls, result: WhereResult, table: str = "classes", max_shown: int = 20
    ) -> ClassContributionDisplay:
        """Create the display from a table in the result of `where`.

        Parameters
        ----------
        result : WhereResult
            The result, or its `beyond`, for the parts that remain after removing the overall error.
        table : str, default "classes"
            ``"classes"``, ``"regions"``, or the name of a grouping.
        max_shown : int, default 20
            Most parts shown.

        Returns
        -------
        ClassContributionDisplay
        """
        tables = {"classes": result.classes, "regions": result.regions, **result.groups}
        if table not in tables:
            raise ValueError(f"`table` must be one of {list(tables)}; got {table!r}.")
        findings = tables[table]
        region = "confidence region" if result.n_classes > 2 else "region"
        kind = {"classes": "class", "regions": region}.get(table, "group")
        return cls(
            tuple(finding.name for finding in findings),
            np.array([finding.contribution for finding in findings]),
            np.array([finding.adjusted_pvalue for finding in findings]),
            tuple(finding.direction for finding in findings),
            result.alpha,
            kind,
            max_shown,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_prob: Any = None,
        *,
        table: str = "classes",
        max_shown: int = 20,
        rng: RandomSource = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> ClassContributionDisplay:
        """Run `where` with these options and display one of its tables.

        Parameters
        ----------
        y_true : array-like of shape (n_samples,) or Predictions
            Labels, or one `Predictions` in place of both arrays.
        y_prob : array-like of shape (n_samples, n_classes) or (n_samples,)
            Predicted probabilities.
        table : str, default "classes"
            ``"classes"``, ``"regions"``, or the name of a grouping.
        max_shown : int, default 20
            Most parts shown.
        rng : None, int or Generator
            Source of randomness.
        ax : matplotlib.axes.Axes, optional
            Also draw into these axes.
        **options
            Options of `where`: `groups`, `n_resamples`, `classes`, `sample_weight`, …

        Returns
        -------
        ClassContributionDisplay
        """
        result = where(y_true, y_prob, rng=rng, **options)
        return cls.from_result(result, table, max_shown)._drawn(ax)

    @property
    def significant(self) -> BoolArray:
        """Which parts stand out."""
        assert self.adjusted_pvalue is not None
        return np.asarray(self.adjusted_pvalue <= self.alpha)

    @property
    def title(self) -> str:
        """The title, in one line."""
        shown, k = min(self.max_shown, len(self.names)), len(self.names)
        which = f"{shown} of {counted(k, self.kind)}" if shown < k else counted(k, self.kind)
        return f"Parts of the calibration error (SKCE): {which}"

    def describe(self) -> str:
        """Describe what stands out."""
        named = [name_text(self.names[i]) for i in self._order() if self.significant[i]]
        all_ = counted(len(self.names), self.kind)
        if not named:
            return f"None of {all_} stands out at alpha = {number(self.alpha)}."
        verb = "stands" if len(named) == 1 else "stand"
        more = f" and {len(named) - 20} more" if len(named) > 20 else ""
        return (
            f"{len(named)} of {all_} {verb} out at alpha = {number(self.alpha)}: "
            f"{', '.join(named[:20])}{more}."
        )

    def table(self) -> dict[str, list[Any]]:
        """Return all parts in the order shown; unknown p-values are None."""
        assert self.adjusted_pvalue is not None
        assert self.direction is not None
        order = self._order()
        pvalues = [float(self.adjusted_pvalue[i]) for i in order]
        return {
            self.kind: [name_text(self.names[i]) for i in order],
            "contribution": [float(self.contribution[i]) for i in order],
            "adjusted_pvalue": [None if math.isnan(p) else p for p in pvalues],
            "direction": [self.direction[i] for i in order],
        }

    def readings(self) -> dict[str, list[str]]:
        """Return a description of every part shown."""
        found: dict[str, list[str]] = {}
        for i in self._order()[: self.max_shown]:
            name = "significant" if self.significant[i] else "others"
            found.setdefault(name, []).append(self._part_text(i))
        return found

    def _part_text(self, i: int) -> str:
        assert self.adjusted_pvalue is not None
        assert self.direction is not None
        p = float(self.adjusted_pvalue[i])
        parts = [
            f"{name_text(self.names[i])}: {number(float(self.contribution[i]))} of the SKCE",
            "not tested" if math.isnan(p) else f"adjusted p = {number(p)}",
            self.direction[i],
        ]
        return "; ".join(part for part in parts if part)

    def _order(self) -> list[int]:
        """Return the order by evidence, then by size."""
        assert self.adjusted_pvalue is not None
        p = np.where(np.isnan(self.adjusted_pvalue), np.inf, self.adjusted_pvalue)
        return [int(i) for i in np.lexsort((-self.contribution, p))]

    def _size(self) -> tuple[float, float]:
        return 5.6, 1.4 + 0.2 * min(self.max_shown, len(self.names))

    def _draw(self, ax: Axes, *, legend: bool) -> Marks:
        order = self._order()[: self.max_shown]
        value, stands = self.contribution[order], self.significant[order]
        place = np.arange(len(order))
        artists: dict[str, Any] = {}
        ax.axvline(0.0, color=ink(), linewidth=0.8)
        colors = [VERMILLION if one else GRAY for one in stands]
        artists["stems"] = ax.hlines(place, 0.0, value, colors=colors, linewidth=2.0)
        for name, rows, marker, color, label in (
            ("significant", stands, "D", VERMILLION, f"stands out (alpha = {number(self.alpha)})"),
            ("others", ~stands, "o", GRAY, "does not stand out"),
        ):
            if rows.any():
                [artists[name]] = ax.plot(
                    value[rows], place[rows], marker, color=color, markersize=6, label=label
                )
        self._annotate(ax, order)
        ax.set_yticks(place, [name_text(self.names[i]) for i in order], parse_math=False)
        ax.set_ylim(len(order) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.margins(x=0.1)
        ax.locator_params(axis="x", nbins=5)
        ax.set_ylabel(self.kind.capitalize())
        ax.set_xlabel("Contribution to the SKCE")
        ax.set_title(self.title)
        if legend:
            legend_below(ax, legend_entries(ax), columns=2)
        return (ax,), artists

    def _annotate(self, ax: Axes, order: list[int]) -> None:
        """Annotate the parts that stand out with what is wrong, in a separate column."""
        assert self.direction is not None
        for row, i in enumerate(order):
            if self.significant[i] and self.direction[i]:
                ax.annotate(
                    self.direction[i],
                    (1.0, row),
                    (6, 0),
                    xycoords=("axes fraction", "data"),
                    textcoords="offset points",
                    va="center",
                    fontsize="small",
                )
