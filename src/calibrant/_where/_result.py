"""What `where` found: ranked tables, and what they say in words."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, NoReturn

from calibrant._calibration_test import impossible_note
from calibrant._engine import CLEAR, name_direction
from calibrant._output import (
    Count,
    Finite,
    Framed,
    Plain,
    Rate,
    Section,
    Table,
    Worded,
    left_out,
    number,
    percent,
    to_plain,
    written_as,
)
from calibrant._where._witness import Witness, WitnessSource


def _name(name: Hashable) -> str | float:
    plain = to_plain(name)
    return plain if isinstance(plain, str | int | float) else str(name)


@dataclass(frozen=True)
class Finding(Plain):
    """One class, confidence region or group of rows, and the evidence against it.

    Attributes
    ----------
    kind : {"class", "region", "group"}
    name : hashable
        The class, the range of confidence, or the user's label.
    grouping : str or None
        The name of the user's grouping.
    n_samples : int
        The rows that were looked at.
    predicted, observed : float
        For a class its mean probability and its frequency; else the mean probability of the
        predicted label and how often it was right.
    contribution : float
        Part of the SKCE; the parts of a table add up to it. May be negative.
    share : float
        Of the positive contributions of the table, in [0, 1].
    estimate : float
        The SKCE of the class, or among the rows of the group.
    frequency_z : float
        Of a class: positive where it occurs more often than predicted.
    confidence_z : float
        The Brier direction (one against the rest for a class): negative is over-confident.
    statistic : float
        What was ranked among the label sets.
    pvalue : float
        Exact, of this finding alone; NaN where it was not tested.
    adjusted_pvalue : float
        Adjusted for all findings of the call.
    tested : bool
    note : str
        Why it was not tested, or what else to know.
    """

    kind: Literal["class", "region", "group"]
    name: Hashable = field(metadata=written_as(str | bool | Finite, _name))
    grouping: str | None
    n_samples: Count
    predicted: float
    observed: float
    contribution: float
    share: float
    estimate: float
    frequency_z: float = math.nan
    confidence_z: float = math.nan
    statistic: float = math.nan
    pvalue: float = math.nan
    adjusted_pvalue: float = math.nan
    tested: bool = True
    note: str = ""

    @property
    def direction(self) -> str:
        """What the signs say, in words; empty where they say nothing clear."""
        # a NaN is not larger than anything
        if abs(self.frequency_z) >= CLEAR and not abs(self.confidence_z) > abs(self.frequency_z):
            return f"occurs {'more' if self.frequency_z > 0 else 'less'} often than predicted"
        if abs(self.confidence_z) >= CLEAR:
            rest = " against the rest" if self.kind == "class" else ""
            return f"{name_direction(self.confidence_z)}{rest}"
        return ""

    @property
    def title(self) -> str:
        """What it is about, for a reader."""
        if self.kind == "region":
            return f"confidence {self.name}"
        return f"{'class' if self.kind == 'class' else self.grouping} {self.name!r}"

    def describe(self) -> str:
        """Return the finding in one line."""
        what = "occurred" if self.kind == "class" else "right"
        seen = f"predicted {number(self.predicted)}, {what} {number(self.observed)}"
        return (
            f"{self.title}: {self.direction or 'off in no single direction'} ({seen}); "
            f"adjusted p = {number(self.adjusted_pvalue)}; {_share(self.share)} of the error"
        )


@dataclass(frozen=True, eq=False)
class WhereResult(Plain, Framed, Worded):
    """Where a model is not calibrated: findings in tables, the strongest evidence first.

    Attributes
    ----------
    classes : tuple of Finding
    regions : tuple of Finding
        Rows of similar confidence.
    groups : mapping from the name of a grouping to a tuple of Finding
    estimate : float
        The unbiased SKCE of all rows: what the contributions of a table add up to.
    alpha : float
        Findings with an adjusted p-value up to this are named; a true one is named falsely, in
        the whole result, with at most this probability.
    n_samples, n_classes : int
    details : mapping
        Seed, number of resamples, kernel, and every automatic choice.
    source : WitnessSource or None
        What `witness` computes from; not part of `to_dict`.

    Notes
    -----
    `to_frame` has one row for each finding, the tables one after another. Its columns are the
    attributes of a finding: ``kind`` ("class", "region" or "group"), ``grouping`` (missing unless
    it is a group), ``name`` (text), ``n_samples``, ``predicted``, ``observed``, ``contribution``,
    ``share``, ``estimate``, ``frequency_z``, ``confidence_z``, ``statistic``, ``pvalue``,
    ``adjusted_pvalue``, ``tested``, ``note``, and ``direction`` in words.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(200, rng=0)  # calibrated
    >>> result = cal.where(y_true, y_prob, rng=0)
    >>> print(result.verdict)
    Nothing stands out at alpha = 0.05.
    >>> frame = result.to_frame("pandas")
    >>> sorted(frame[frame["kind"] == "class"]["name"])
    ['0', '1', '2']
    """

    classes: tuple[Finding, ...] = field(repr=False)
    regions: tuple[Finding, ...] = field(repr=False)
    groups: Mapping[str, tuple[Finding, ...]] = field(repr=False)
    estimate: float
    alpha: Rate
    n_samples: Count
    n_classes: Count
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)
    source: WitnessSource | None = field(default=None, repr=False, metadata=left_out())

    @property
    def tables(self) -> dict[str, tuple[Finding, ...]]:
        """All tables by title, each ranked."""
        named = {f"groups of {name!r}": table for name, table in self.groups.items()}
        return {"classes": self.classes, "confidence regions": self.regions, **named}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All that was tested, the strongest evidence first."""
        tested = [f for table in self.tables.values() for f in table if f.tested]
        return tuple(sorted(tested, key=rank))

    @property
    def significant(self) -> tuple[Finding, ...]:
        """The findings with an adjusted p-value of at most `alpha`."""
        return tuple(f for f in self.findings if f.adjusted_pvalue <= self.alpha)

    def witness(self, points: Any) -> Witness:
        r"""Return the witness function at some points, with a band for all of them together.

        Parameters
        ----------
        points : array-like of shape (n_points, n_classes)
            Points of the probability simplex, chosen without a look at the labels.

        Returns
        -------
        Witness

        Notes
        -----
        :math:`\hat\mu_c(t) = \frac1n \sum_i k(t, p_i) r_{ic}` has the standard deviation
        :math:`\frac1n \sqrt{\sum_i k(t, p_i)^2 p_{ic}(1 - p_{ic})}` under calibration. The band
        is that times a quantile of the largest standardized value over all points and classes,
        taken over the observed and the resampled labels: exact. O(n·n_points·n_resamples).

        Examples
        --------
        >>> import calibrant as cal
        >>> from calibrant.models import Distorted, LogitShift
        >>> model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
        >>> result = cal.where(*model.sample(300, rng=0), rng=0)
        >>> witness = result.witness([[0.2, 0.4, 0.4]])
        >>> witness.outside[0].tolist(), bool(witness.values[0, 0] > 0)
        ([True, True, True], True)

        Near this prediction the first class occurs more often, the others less.
        """
        if self.source is None:
            raise ValueError(
                "the witness function needs the data, which a result from a dict does not have; "
                "call `where` again."
            )
        return self.source.at(points)

    @property
    def verdict(self) -> str:
        """How many classes, regions and groups stand out."""
        named, alpha = len(self.significant), number(self.alpha)
        if not named:
            return f"Nothing stands out at alpha = {alpha}."
        verb = "stands" if named == 1 else "stand"
        return f"{named} of {len(self.findings)} {verb} out at alpha = {alpha}."

    @property
    def highlights(self) -> tuple[str, ...]:
        """What stands out, in one sentence each; or else the largest finding, as a hint."""
        if not self.significant:
            hint = "largest, a hint and no claim"
            return tuple(f"{hint}: {finding.describe()}" for finding in self.findings[:1])
        return tuple(finding.describe() for finding in self.significant)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to read with care: findings that were not tested, and impossible labels."""
        rows = [f for table in self.tables.values() for f in table if f.note]
        return (*(f"{f.title}: {f.note}" for f in rows), *impossible_note(self.details))

    @property
    def sections(self) -> tuple[Section, ...]:
        """What `summary` says after the verdict."""
        tables = [Section(table=_table(title, rows)) for title, rows in self.tables.items()]
        noted = [Section("Notes:", self.notes)] if self.notes else []
        return (Section(sentences=self.highlights), *tables, *noted)

    def _columns(self) -> dict[str, list[Any]]:
        rows = [f for table in self.tables.values() for f in table]
        names = ["kind", "grouping", *(f.name for f in fields(Finding))]  # these two in front
        columns = {name: [getattr(row, name) for row in rows] for name in names}
        columns["name"] = [str(row.name) for row in rows]
        return columns | {"direction": [row.direction for row in rows]}

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth of a result is ambiguous; ask for `result.significant`, the findings with "
            "an adjusted p-value of at most `result.alpha`"
        )


def rank(finding: Finding) -> tuple[float, float, float]:
    """Order findings: untested last, then by adjusted p-value, p-value and statistic."""
    if not finding.tested:
        return math.inf, math.inf, -finding.n_samples
    return finding.adjusted_pvalue, finding.pvalue, -finding.statistic


#: rows of a printed table
_SHOWN = 20


def _table(title: str, findings: tuple[Finding, ...]) -> Table:
    columns = (title, "rows", "predicted", "observed", "share", "p", "adjusted p", "direction")
    rows = tuple(_cells(finding) for finding in findings)
    return Table(rows, columns, frozenset(range(1, 7))).cut(_SHOWN)


def _cells(finding: Finding) -> tuple[str, ...]:
    return (
        str(finding.name),
        str(finding.n_samples),
        number(finding.predicted),
        number(finding.observed),
        _share(finding.share),
        number(finding.pvalue),
        number(finding.adjusted_pvalue),
        finding.direction,
    )


def _share(share: float) -> str:
    return percent(round(share, 2))
