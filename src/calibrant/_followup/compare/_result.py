"""The result of a comparison, in numbers and words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from calibrant._followup.compare import _words as words
from calibrant._followup.compare._difference import HEADLINE, Difference
from calibrant._output import (
    Count,
    Framed,
    IntervalBar,
    Plain,
    Rate,
    Section,
    Worded,
    estimate_text,
    written_as,
)
from calibrant.effects import Effect
from calibrant.kernels import Kernel


@dataclass(frozen=True, eq=False)
class ComparisonResult(Plain, Framed, Worded):
    """The result of a paired comparison: which differences the data show, but never "equal".

    Attributes
    ----------
    models : mapping from name to mapping from measure to Effect
        For each model ``calibration_loss``, ``refinement``, ``log_loss``, ``skce``, ``brier`` and
        ``accuracy`` with intervals.
    differences : tuple of Difference
        The differences first − second, for each pair of models and measure.
    kernel : Kernel
        The kernel of the SKCE of all models, with a numeric bandwidth.
    bandwidth : float or None
        The bandwidth of that kernel; None if it has none or several.
    n_samples, n_classes : int
        The common rows and their classes.
    confidence_level : float
        Coverage of the intervals; verdicts use the significance 1 − confidence_level.
    reference : str or None
        The model that all others were compared with.
    details : mapping
        Every automatic choice, and labels that a model predicted to be impossible.

    Notes
    -----
    `to_frame` has one row for each pair of models and measure, with the columns ``first``,
    ``second`` (models), ``measure``, ``first_estimate``, ``second_estimate``, ``difference``
    (first − second), ``low``, ``high``, ``standard_error``, ``pvalue``, ``pvalue_holm``,
    ``better`` (a model, or missing), ``margin``, ``equivalence_pvalue``, ``equivalent`` (also False
    without a margin) and ``note``.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> result = cal.compare(y_true, {"raw": p, "scaled": scaled})
    >>> cal.ComparisonResult.from_dict(result.to_dict()).difference("raw", "scaled").better
    'scaled'

    The verdict survives a round trip through JSON.

    >>> frame = result.to_frame("pandas")
    >>> frame["measure"].to_list(), frame["better"][0]
    (['calibration_loss', 'refinement', 'log_loss', 'skce', 'brier', 'accuracy'], 'scaled')
    """

    models: Mapping[str, Mapping[str, Effect]] = field(repr=False)
    differences: tuple[Difference, ...] = field(repr=False)
    kernel: Kernel | str = field(metadata=written_as(str))
    bandwidth: float | None
    n_samples: Count
    n_classes: Count
    confidence_level: Rate = 0.95
    reference: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def difference(self, first: str, second: str, measure: str = HEADLINE) -> Difference:
        """Return the difference first − second in a measure, for models in either order.

        Parameters
        ----------
        first, second : str
            Names of the models.
        measure : str, default "calibration_loss"
            Name of the measure.

        Returns
        -------
        Difference
        """
        for found in self.differences:
            if found.measure == measure and (found.first, found.second) == (first, second):
                return found
            if found.measure == measure and (found.first, found.second) == (second, first):
                return found.swapped()
        known = sorted({(d.first, d.second) for d in self.differences})
        raise KeyError(
            f"no difference of {first!r} and {second!r} in {measure!r}; compared were {known} in "
            f"{sorted({d.measure for d in self.differences})}"
        )

    @property
    def verdict(self) -> str:
        """Which model is better calibrated, and by how much, if the data show it."""
        return words.verdict(self)

    @property
    def highlights(self) -> tuple[str, ...]:
        """Whether the difference matters overall; with several pairs, the better model of each."""
        return words.highlights(self)

    @property
    def notes(self) -> tuple[str, ...]:
        """Undecided comparisons and caveats."""
        return words.notes(self)

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""
        return words.sections(self)

    def _columns(self) -> dict[str, list[Any]]:
        rows = [self._row(difference) for difference in self.differences]
        return {name: [row[name] for row in rows] for name in rows[0]}

    _caption: ClassVar[str] = "Dashed: no difference. Red: the interval excludes it."

    @property
    def _bars(self) -> tuple[IntervalBar, ...]:
        return tuple(
            IntervalBar(
                f"{d.measure}: {d.first} − {d.second}",
                estimate_text(d.estimate, d.interval.low, d.interval.high),
                d.estimate, d.interval.low, d.interval.high, 0.0,
            )
            for d in self.differences
        )  # fmt: skip

    def _row(self, d: Difference) -> dict[str, Any]:
        return {
            "first": d.first,
            "second": d.second,
            "measure": d.measure,
            "first_estimate": self.models[d.first][d.measure].estimate,
            "second_estimate": self.models[d.second][d.measure].estimate,
            "difference": d.estimate,
            "low": d.interval.low,
            "high": d.interval.high,
            "standard_error": d.standard_error,
            "pvalue": d.pvalue,
            "pvalue_holm": d.pvalue_holm,
            "better": d.better,
            "margin": d.equivalence.margin if d.equivalence else math.nan,
            "equivalence_pvalue": d.equivalence.pvalue if d.equivalence else math.nan,
            "equivalent": bool(d.equivalence and d.equivalence.established),
            "note": d.note,
        }

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth value of a comparison is ambiguous; look at one difference, e.g. "
            "`result.difference('a', 'b').pvalue <= 0.05`"
        )
