"""The result of a comparison: every model, every difference, and what they say in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn

from calibrant._compare._difference import Difference
from calibrant._compare._words import summary
from calibrant._to_frame import to_frame
from calibrant.effects import Effect
from calibrant.effects._interval import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._to_frame import Backend
    from calibrant.kernels import Kernel


@dataclass(frozen=True, eq=False)
class ComparisonResult:
    """What a paired comparison found. It says which differences the data show, never "equal".

    Attributes
    ----------
    models : mapping from name to mapping from measure to Effect
        Per model ``skce``, ``brier``, ``log_loss`` and ``accuracy`` with intervals.
    differences : tuple of Difference
        Per pair of models and measure: first − second.
    kernel : Kernel
        The kernel of the SKCE of all models, its bandwidth a number.
    bandwidth : float or None
        The bandwidth of that kernel; None where it has none or several.
    n_samples, n_classes : int
        The common rows and their classes.
    level : float
        Level of the intervals; 1 − level is that of verdicts in words.
    reference : str or None
        The model that every other one was compared with.
    details : mapping
        Every automatic choice, and labels that a model held to be impossible.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    >>> scaled = cal.models.temperature_scale(p, 3.0)
    >>> result = cal.compare(y_true, {"raw": p, "scaled": scaled})
    >>> cal.ComparisonResult.from_dict(result.to_dict()).difference("raw", "scaled").better
    'scaled'

    The verdict survives a trip through JSON.
    """

    models: Mapping[str, Mapping[str, Effect]]
    differences: tuple[Difference, ...]
    kernel: Kernel | str
    bandwidth: float | None
    n_samples: int
    n_classes: int
    level: float = 0.95
    reference: str | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def difference(self, first: str, second: str, measure: str = "skce") -> Difference:
        """Return first − second in a measure, whichever way round it was computed."""
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

    def summary(self) -> str:
        """Return what the data tell apart, by how much, and what they do not, in plain words."""
        return summary(self)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; the kernel as its text, NaN as None."""
        return {
            "models": {
                name: {measure: effect.to_dict() for measure, effect in effects.items()}
                for name, effects in self.models.items()
            },
            "differences": [difference.to_dict() for difference in self.differences],
            "kernel": str(self.kernel),
            "bandwidth": self.bandwidth,
            "n_samples": self.n_samples,
            "n_classes": self.n_classes,
            "level": self.level,
            "reference": self.reference,
            "details": plain(self.details),
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> ComparisonResult:
        """Read what `to_dict` wrote; the kernel stays text."""
        known = {f.name for f in fields(cls)}
        if set(table) != known:
            raise ValueError(
                f"not a comparison: missing {sorted(known - set(table))}, "
                f"unknown {sorted(set(table) - known)}"
            )
        models = {
            name: {measure: Effect.from_dict(effect) for measure, effect in effects.items()}
            for name, effects in table["models"].items()
        }
        differences = tuple(Difference.from_dict(entry) for entry in table["differences"])
        return cls(**{**table, "models": models, "differences": differences})

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the differences as a data frame, one row for each pair of models and measure.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        DataFrame or Table
            Columns ``first``, ``second`` (models), ``measure``, ``first_estimate``,
            ``second_estimate``, ``difference`` (first − second), ``low``, ``high``,
            ``standard_error``, ``pvalue``, ``pvalue_holm``, ``better`` (a model, or missing),
            ``margin``, ``equivalence_pvalue``, ``equivalent`` (False also where no margin was
            given), ``note``. NaN is unknown.

        Examples
        --------
        >>> import calibrant as cal
        >>> y_true, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
        >>> scaled = cal.models.temperature_scale(p, 3.0)
        >>> frame = cal.compare(y_true, {"raw": p, "scaled": scaled}).to_frame("pandas")
        >>> frame["measure"].to_list(), frame["better"][0]
        (['skce', 'brier', 'log_loss', 'accuracy'], 'scaled')
        """
        rows = [self._row(difference) for difference in self.differences]
        return to_frame({name: [row[name] for row in rows] for name in rows[0]}, backend)

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

    def _repr_html_(self) -> str:
        from html import escape

        head, *rest = self.summary().splitlines()
        return f"<strong>{escape(head)}</strong><pre>{escape(chr(10).join(rest).rstrip())}</pre>"

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth of a comparison is ambiguous; look at one difference, e.g. "
            "`result.difference('a', 'b').pvalue <= 0.05`"
        )
