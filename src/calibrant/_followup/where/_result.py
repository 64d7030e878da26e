"""The result of `where`: ranked tables and their description."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import zip_longest
from typing import Any, NoReturn

from calibrant._calibration_test import impossible_note
from calibrant._followup.where._finding import Finding, rank, region_of, share_text
from calibrant._followup.where._witness import Witness, WitnessSource
from calibrant._output import (
    Count,
    Framed,
    Plain,
    Rate,
    Section,
    Table,
    Worded,
    left_out,
    number,
    pvalue_cell,
)
from calibrant._predictions import name_text


@dataclass(frozen=True, eq=False)
class WhereResult(Plain, Framed, Worded):
    """Where a model is not calibrated: tables of findings, the strongest evidence first.

    Attributes
    ----------
    classes : tuple of Finding
        Findings by class; with two classes, only the positive one.
    regions : tuple of Finding
        Findings by confidence; with two classes, by probability of the positive one.
    groups : mapping from the name of a grouping to a tuple of Finding
        Findings by group.
    estimate : float
        The unbiased SKCE of all rows, the sum of the contributions of a table.
    alpha : float
        Findings with an adjusted p-value up to this are named; the probability that any of
        them is wrong is at most `alpha`.
    n_samples, n_classes : int
        Numbers of rows and classes.
    details : mapping
        Seed, number of resamples, kernel, and every automatic choice.
    taken_out : str
        In the view beyond the overall error, a description of the removed error; else empty.
    beyond : WhereResult or None
        The same view after removing the overall error: every row is repaired by a common map that
        was fitted to other rows. Regions and groups have the same rows; all numbers are
        those of the repaired predictions. None in that view itself, if there was nothing to
        remove, and for fewer than 20 rows.
    source : WitnessSource or None
        The data for `witness`; not part of `to_dict`.

    Notes
    -----
    `to_frame` has one row per finding, table after table; ``beyond.to_frame()`` has those of the
    other view. Its columns are the attributes of a finding: ``kind`` ("class", "region" or
    "group"), ``grouping`` (missing unless it is a group), ``name`` (text), ``target`` (text,
    missing for the predicted label), ``n_samples``, ``predicted``, ``observed``, ``contribution``,
    ``estimate``, ``share``, ``frequency_z``, ``confidence_z``, ``statistic``, ``pvalue``,
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
    taken_out: str = ""
    beyond: WhereResult | None = field(default=None, repr=False)
    source: WitnessSource | None = field(default=None, repr=False, metadata=left_out())

    @property
    def tables(self) -> dict[str, tuple[Finding, ...]]:
        """All tables by title, each ranked."""
        named = {f"groups of {name!r}": table for name, table in self.groups.items()}
        regions = f"regions of {region_of(self.regions[0].target)}" if self.regions else "regions"
        return {"classes": self.classes, regions: self.regions, **named}

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All tested findings, the strongest evidence first."""
        tested = [f for table in self.tables.values() for f in table if f.tested]
        return tuple(sorted(tested, key=rank))

    @property
    def significant(self) -> tuple[Finding, ...]:
        """The findings with an adjusted p-value of at most `alpha`."""
        return tuple(f for f in self.findings if f.adjusted_pvalue <= self.alpha)

    def paired(self, findings: Sequence[Finding]) -> tuple[Finding, ...]:
        """Return the same findings beyond the overall error, or nothing without that view.

        Parameters
        ----------
        findings : sequence of Finding
            Findings of this view.

        Returns
        -------
        tuple of Finding
        """
        if self.beyond is None:
            return ()
        others = {_key(f): f for table in self.beyond.tables.values() for f in table}
        return tuple(others[_key(finding)] for finding in findings)

    def witness(self, points: Any, *, n_resamples: int | None = None) -> Witness:
        r"""Return the witness function at some points, with a simultaneous band.

        Parameters
        ----------
        points : array-like of shape (n_points, n_classes)
            Points of the probability simplex, chosen independently of the labels.
        n_resamples : int, optional
            Number of label sets for the band, at most and by default those of the result. The band
            is exact for any number; the time is proportional to it.

        Returns
        -------
        Witness

        Notes
        -----
        :math:`\hat\mu_c(t) = \frac1n \sum_i k(t, p_i) r_{ic}` has the standard deviation
        :math:`\frac1n \sqrt{\sum_i k(t, p_i)^2 p_{ic}(1 - p_{ic})}` under calibration. The band
        is exact: this times a quantile, over the observed and the resampled labels, of the largest
        standardized value over all points and classes. Cost O(n·n_points·n_resamples).

        Examples
        --------
        >>> import calibrant as cal
        >>> from calibrant.models import Distorted, LogitShift
        >>> model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
        >>> result = cal.where(*model.sample(300, rng=0), rng=0)
        >>> witness = result.witness([[0.2, 0.4, 0.4]])
        >>> witness.outside[0].tolist(), bool(witness.values[0, 0] > 0)
        ([True, True, True], True)

        Near this prediction, the first class occurs more often than predicted, the others less
        often.
        """
        if self.source is None:
            raise ValueError(
                "the witness function needs the data, which a result from a dict does not have; "
                "call `where` again."
            )
        most = self.source.n_resamples
        chosen = most if n_resamples is None else min(n_resamples, most)
        return replace(self.source, n_resamples=chosen).at(points)

    @property
    def verdict(self) -> str:
        """How many classes, regions and groups stand out, and which beyond the overall error."""
        named, alpha = len(self.significant), number(self.alpha)
        verb = "stands" if named == 1 else "stand"
        kinds = "classes, regions and groups" if self.groups else "classes and regions"
        count = f"{named:,} of {len(self.findings):,} {kinds} {verb}" if named else "Nothing stands"
        beyond = f" beyond {self.taken_out}" if self.taken_out else ""
        return f"{count} out{beyond} at alpha = {alpha}{self._beyond_clause()}."

    def _beyond_clause(self) -> str:
        if self.beyond is None or not (self.significant or self.beyond.significant):
            return ""
        titles = [finding.title for finding in self.beyond.significant]
        more = f" and {len(titles) - 3} more" if len(titles) > 3 else ""
        names = ", ".join(titles[:3]) or "nothing"
        return f"; beyond {self.beyond.taken_out}: {names}{more}"

    @property
    def highlights(self) -> tuple[str, ...]:
        """What stands out, one sentence each, or the largest finding as a hint."""
        if not self.significant:
            hint = "largest (not significant)"
            return tuple(f"{hint}: {self._line(finding)}" for finding in self.findings[:1])
        return tuple(map(self._line, self.significant))

    def _line(self, finding: Finding) -> str:
        return finding.describe(self.n_resamples)

    @property
    def n_resamples(self) -> int | None:
        """The number of label sets behind every p-value."""
        return self.details.get("n_resamples")

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats: findings that were not tested, and impossible labels."""
        rows = [f for table in self.tables.values() for f in table if f.note]
        merged = [self.details["merged"]] if self.details.get("merged") else []
        return (*merged, *(f"{f.title}: {f.note}" for f in rows), *impossible_note(self.details))

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""
        sections = [Section(sentences=_first(self.highlights))]
        if self.beyond is not None and self.beyond.significant:
            heading = f"Beyond {self.beyond.taken_out}:"
            sections.append(Section(heading, _first(self.beyond.highlights)))
        for title, rows in self.tables.items():
            sections.append(Section(table=_table(title, rows, self.paired(rows), self.n_resamples)))
        noted = [Section("Notes:", self.notes)] if self.notes else []
        return (*sections, *noted)

    def _columns(self) -> dict[str, list[Any]]:
        rows = [f for table in self.tables.values() for f in table]
        names = ["kind", "grouping", *(f.name for f in fields(Finding))]  # these two come first
        columns = {name: [getattr(row, name) for row in rows] for name in names}
        columns["name"] = [str(row.name) for row in rows]
        columns["target"] = [None if row.target is None else str(row.target) for row in rows]
        return columns | {"direction": [row.direction for row in rows]}

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth value of a result is ambiguous; ask for `result.significant`, the findings "
            "with an adjusted p-value of at most `result.alpha`"
        )


#: most rows of a printed table, and findings that a summary describes before the tables
_SHOWN, _DESCRIBED = 20, 5


def _first(lines: tuple[str, ...]) -> tuple[str, ...]:
    more = len(lines) - _DESCRIBED
    return lines if more <= 0 else (*lines[:_DESCRIBED], f"… and {more} more, in the tables")


def _table(
    title: str,
    findings: tuple[Finding, ...],
    beyond: tuple[Finding, ...],
    n_resamples: int | None,
) -> Table:
    shares = any(not math.isnan(finding.share) for finding in findings)
    share = ["share"] if shares else []
    second = ["beyond"] if beyond else []
    columns = (title, "rows", "predicted", "observed", *share, "p", "adjusted p", *second,
               "direction")  # fmt: skip
    pairs = zip_longest(findings, beyond)
    rows = tuple(_cells(*pair, n_resamples, shares=shares) for pair in pairs)
    return Table(rows, columns, frozenset(range(1, len(columns) - 1))).cut(_SHOWN)


def _cells(
    finding: Finding, other: Finding | None, n_resamples: int | None, *, shares: bool
) -> tuple[str, ...]:
    return (
        name_text(finding.name),
        f"{finding.n_samples:,}",
        *finding.rates,
        *([share_text(finding.share)] if shares else []),
        pvalue_cell(finding.pvalue, n_resamples),
        pvalue_cell(finding.adjusted_pvalue, n_resamples),
        *([] if other is None else [pvalue_cell(other.adjusted_pvalue, n_resamples)]),
        finding.direction,
    )


def _key(finding: Finding) -> tuple[str, str | None, Hashable]:
    """Return the identity of a finding in both views."""
    return finding.kind, finding.grouping, finding.name
