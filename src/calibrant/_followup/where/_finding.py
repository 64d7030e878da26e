"""A finding: the evidence against one class, region or group of rows, with its description."""

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

#: smallest deviation of the predicted label's frequency, in standard deviations, for which the
#: direction of a region is named
_NOTICEABLE = 0.5


def _name(name: Hashable) -> str | float | None:
    plain = to_plain(name)
    return plain if plain is None or isinstance(plain, str | int | float) else str(name)


@dataclass(frozen=True)
class Finding(Plain):
    """The evidence against one class, region or group of rows.

    Attributes
    ----------
    kind : {"class", "region", "group"}
        The kind of finding.
    name : hashable
        The class, the limits of the region, or the user's label.
    grouping : str or None
        The name of the user's grouping.
    target : hashable or None
        The class of `predicted` and `observed`; None for the predicted label, which applies to
        regions and groups with more than two classes, and to all findings after `top_label`.
    n_samples : int
        Number of rows.
    predicted, observed : float
        Mean probability and frequency of the target.
    contribution : float
        Part of the SKCE; the parts of a table sum to it. May be negative.
    share : float
        Share, in [0, 1], of the error of all findings in its table that stand out; these shares sum
        to 1. NaN for other findings, in a table of one, and if the error of any finding that stands
        out is less than two null deviations, too uncertain for a comparison.
    estimate : float
        The SKCE of the class, or among the rows of the group.
    frequency_z : float
        Observed minus predicted, standardized.
    confidence_z : float
        Negative is over-confident. For a class, and everywhere with two classes, it means that high
        probabilities are too high and low ones too low, apart from their mean; otherwise it is the
        Brier direction. NaN after `top_label`, where `frequency_z` says it all.
    statistic : float
        The statistic that was ranked among the label sets.
    pvalue : float
        P-value of this finding alone, exact (approximate with clusters); NaN if not tested.
    adjusted_pvalue : float
        The p-value adjusted for all findings of the view.
    tested : bool
        Whether it was tested.
    note : str
        Why it was not tested, or another remark.

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

    High probabilities of class 1, which the model confuses with class 3, are too high, and low ones
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
        """The meaning of the signs, in words; empty if they are unclear or disagree."""
        frequency, confidence = self.frequency_z, self.confidence_z
        if self.target is None and math.isnan(confidence):
            return name_direction(frequency, CLEAR) or ""
        if self.target is None:
            clear = max(abs(frequency), abs(confidence)) >= CLEAR
            agree = frequency * confidence > 0.0 and abs(frequency) >= _NOTICEABLE
            return name_direction(confidence) or "" if clear and agree else ""
        # comparisons with NaN are false
        if abs(frequency) >= CLEAR:
            return f"predicted too {'rarely' if frequency > 0.0 else 'often'}"
        if abs(confidence) >= CLEAR:
            return f"too {'moderate' if confidence > 0.0 else 'extreme'}"
        return ""

    @property
    def rates(self) -> tuple[str, str]:
        """Predicted and observed rates as texts, with enough digits to show the direction."""
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
        """The title of the finding."""
        if self.kind == "class" and self.target is None:
            return PREDICTED
        if self.kind == "class":
            return f"class {name_text(self.name)}"
        if self.kind == "group":
            return f"{name_text(self.grouping)} {self.name!r}"
        relation = "in" if "," in str(self.name) else "="  # limits, or a single value
        return f"{region_of(self.target)} {relation} {self.name}"

    def describe(self, n_resamples: int | None = None) -> str:
        """Return the finding in one line.

        Parameters
        ----------
        n_resamples : int, optional
            Number of label sets of the p-value; the smallest possible one is then shown as a bound.
        """
        what = "right" if self.target is None else "occurred"
        predicted, observed = self.rates
        seen = f"predicted {predicted}, {what} {observed}"
        # a single finding that stands out always has share 1
        shown = self.share < 1.0
        share = f"; {share_text(self.share)} of the error found" if shown else ""
        return (
            f"{self.title}: {self.direction or 'off in no single direction'} ({seen}); "
            f"adjusted {pvalue_text(self.adjusted_pvalue, n_resamples)}{share}"
        )


def region_of(target: Hashable) -> str:
    """Return the probability that defines the regions, in words."""
    return "confidence" if target is None else f"P(class {name_text(target)})"


def share_text(share: float) -> str:
    """Return a share in percent, or a dash if it is unknown."""
    return number(share) if math.isnan(share) else percent(round(share, 2))


def rank(finding: Finding) -> tuple[float, float, float]:
    """Return the sort key: untested last, then by adjusted p-value, p-value and statistic."""
    if not finding.tested:
        return math.inf, math.inf, -finding.n_samples
    return finding.adjusted_pvalue, finding.pvalue, -finding.statistic
