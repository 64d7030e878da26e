"""One class, region or group of rows: the evidence against it, and what it says in words."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Literal

from calibrant._engine import CLEAR, name_direction
from calibrant._output import (
    Count,
    Finite,
    Plain,
    number,
    percent,
    probability_text,
    pvalue_text,
    to_plain,
    written_as,
)
from calibrant._predictions import PREDICTED, name_text

#: the predicted label is right more or less often than stated by at least this many deviations,
#: or no direction of a region is named
_NOTICEABLE = 0.5


def _name(name: Hashable) -> str | float | None:
    plain = to_plain(name)
    return plain if plain is None or isinstance(plain, str | int | float) else str(name)


@dataclass(frozen=True)
class Finding(Plain):
    """One class, region or group of rows, and the evidence against it.

    Attributes
    ----------
    kind : {"class", "region", "group"}
    name : hashable
        The class, the limits of the region, or the user's label.
    grouping : str or None
        The name of the user's grouping.
    target : hashable or None
        The class that `predicted` and `observed` are about; None for the predicted label, which
        regions and groups of more than two classes are about, and all findings behind `top_label`.
    n_samples : int
        The rows that were looked at.
    predicted, observed : float
        The mean probability of the target, and how often it occurred.
    contribution : float
        Part of the SKCE; the parts of a table add up to it. May be negative.
    share : float
        Of the error of all findings of its table that stand out, in [0, 1]: these shares add up
        to 1. NaN for the other findings, in a table of one, and where the error of any that
        stands out is less than two null deviations: too uncertain to be compared.
    estimate : float
        The SKCE of the class, or among the rows of the group.
    frequency_z : float
        Observed minus predicted, standardized.
    confidence_z : float
        Negative is over-confident: for a class, and everywhere with two classes, high
        probabilities are too high and low ones too low, apart from their mean; otherwise the
        Brier direction. NaN for predictions behind `top_label`, which are off as `frequency_z` is.
    statistic : float
        What was ranked among the label sets.
    pvalue : float
        Exact (with clusters approximate), of this finding alone; NaN if it was not tested.
    adjusted_pvalue : float
        Adjusted for all findings of the view.
    tested : bool
    note : str
        Why it was not tested, or what else to know.

    Examples
    --------
    >>> import calibrant as cal
    >>> from calibrant.models import Distorted, Swap
    >>> model = Distorted(0.3, 5, truth=Swap(1, 3, probability=0.5))
    >>> finding = cal.where(*model.sample(500, rng=0), n_resamples=99, rng=0).significant[0]
    >>> finding.kind, finding.name, finding.adjusted_pvalue
    ('class', 1, 0.01)
    >>> finding.direction
    'too extreme'

    High probabilities of class 1, which the model mixes up with class 3, are too high, low ones
    too low.
    """

    kind: Literal["class", "region", "group"]
    name: Hashable = field(metadata=written_as(str | bool | Finite, _name))
    grouping: str | None
    target: Hashable = field(metadata=written_as(str | bool | Finite | None, _name))
    n_samples: Count
    predicted: float
    observed: float
    contribution: float
    estimate: float
    share: float = math.nan
    frequency_z: float = math.nan
    confidence_z: float = math.nan
    statistic: float = math.nan
    pvalue: float = math.nan
    adjusted_pvalue: float = math.nan
    tested: bool = True
    note: str = ""

    @property
    def direction(self) -> str:
        """What the signs say, in words; empty where they say nothing clear, or disagree."""
        frequency, confidence = self.frequency_z, self.confidence_z
        if self.target is None and math.isnan(confidence):
            return name_direction(frequency, CLEAR) or ""
        if self.target is None:
            clear = max(abs(frequency), abs(confidence)) >= CLEAR
            agree = frequency * confidence > 0.0 and abs(frequency) >= _NOTICEABLE
            return name_direction(confidence) or "" if clear and agree else ""
        # a NaN is not larger than anything
        if abs(frequency) >= CLEAR:
            return f"predicted too {'rarely' if frequency > 0.0 else 'often'}"
        if abs(confidence) >= CLEAR:
            return f"too {'moderate' if confidence > 0.0 else 'extreme'}"
        return ""

    @property
    def rates(self) -> tuple[str, str]:
        """Predicted and observed in words, with enough digits to show a direction of the two."""
        direction = self.direction
        for digits in (3, 5, 7, 9):
            predicted, observed = (
                probability_text(p, digits) for p in (self.predicted, self.observed)
            )
            if predicted != observed or not direction or direction.startswith("too "):
                break
        return predicted, observed

    @property
    def title(self) -> str:
        """What it is about, for a reader."""
        if self.kind == "class" and self.target is None:
            return PREDICTED
        if self.kind == "class":
            return f"class {name_text(self.name)}"
        if self.kind == "group":
            return f"{name_text(self.grouping)} {self.name!r}"
        relation = "in" if "," in str(self.name) else "="  # limits, or the only value
        return f"{region_of(self.target)} {relation} {self.name}"

    def describe(self, n_resamples: int | None = None) -> str:
        """Return the finding in one line.

        Parameters
        ----------
        n_resamples : int, optional
            The label sets of the p-value: the smallest possible is then written as a bound.
        """
        what = "right" if self.target is None else "occurred"
        predicted, observed = self.rates
        seen = f"predicted {predicted}, {what} {observed}"
        # the share of one that stands out alone says nothing
        shown = self.share < 1.0
        share = f"; {share_text(self.share)} of the error found" if shown else ""
        return (
            f"{self.title}: {self.direction or 'off in no single direction'} ({seen}); "
            f"adjusted {pvalue_text(self.adjusted_pvalue, n_resamples)}{share}"
        )


def region_of(target: Hashable) -> str:
    """Say which probability the regions are of."""
    return "confidence" if target is None else f"P(class {name_text(target)})"


def share_text(share: float) -> str:
    """Return a share in per cent, or a dash where it is not known."""
    return number(share) if math.isnan(share) else percent(round(share, 2))


def rank(finding: Finding) -> tuple[float, float, float]:
    """Order findings: untested last, then by adjusted p-value, p-value and statistic."""
    if not finding.tested:
        return math.inf, math.inf, -finding.n_samples
    return finding.adjusted_pvalue, finding.pvalue, -finding.statistic
