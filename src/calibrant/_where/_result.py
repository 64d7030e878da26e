"""What `where` found: ranked tables, and what they say in words."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from calibrant._to_frame import to_frame
from calibrant.effects._interval import plain

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from calibrant._to_frame import Backend
    from calibrant._where._witness import Witness, WitnessSource

#: a direction is put into words from this |z| on
CLEAR = 1.96


@dataclass(frozen=True)
class Finding:
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
    name: Hashable
    grouping: str | None
    n_samples: int
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
            sort = "under" if self.confidence_z > 0 else "over"
            return f"{sort}-confident" + (" against the rest" if self.kind == "class" else "")
        return ""

    @property
    def title(self) -> str:
        """What it is about, for a reader."""
        if self.kind == "region":
            return f"confidence {self.name}"
        return f"{'class' if self.kind == 'class' else self.grouping} {self.name!r}"

    def describe(self) -> str:
        """Return the finding in one line."""
        parts = [self.direction or "off in no single direction"]
        what = "occurred" if self.kind == "class" else "right"
        parts[0] += f" (predicted {self.predicted:.3g}, {what} {self.observed:.3g})"
        parts.append(f"adjusted p = {self.adjusted_pvalue:.3g}")
        parts.append(f"{100 * self.share:.0f} % of the error")
        return f"{self.title}: {'; '.join(parts)}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values; names that JSON does not know as text, NaN as None."""
        table = {f.name: plain(getattr(self, f.name)) for f in fields(self)}
        if not isinstance(table["name"], str | int | float | bool):
            table["name"] = str(self.name)
        return table

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Finding:
        """Read what `to_dict` wrote."""
        values: dict[str, Any] = {
            key: math.nan if value is None and key != "grouping" else value
            for key, value in table.items()
        }
        return cls(**values)


@dataclass(frozen=True, eq=False)
class WhereResult:
    """Where a model is not calibrated: findings in tables, the strongest evidence first.

    Attributes
    ----------
    classes : tuple of Finding
    regions : tuple of Finding
        Rows of similar confidence.
    groups : mapping from the name of a grouping to a tuple of Finding
    estimate : float
        The unbiased SKCE of all rows: what the contributions of a table add up to.
    level : float
        Findings with an adjusted p-value up to this are named; a true one is named falsely, in
        the whole result, with at most this probability.
    n_samples, n_classes : int
    details : mapping
        Seed, number of resamples, kernel, and every automatic choice.
    source : WitnessSource or None
        What `witness` computes from; not part of `to_dict`.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(200, rng=0)  # calibrated
    >>> result = cal.where(y_true, y_prob, rng=0)
    >>> print(result.summary().splitlines()[0])
    Nothing stands out at level 0.05.
    """

    classes: tuple[Finding, ...]
    regions: tuple[Finding, ...]
    groups: Mapping[str, tuple[Finding, ...]]
    estimate: float
    level: float
    n_samples: int
    n_classes: int
    details: Mapping[str, Any] = field(default_factory=dict)
    source: WitnessSource | None = field(default=None, repr=False)

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
        """The findings with an adjusted p-value of at most `level`."""
        return tuple(f for f in self.findings if f.adjusted_pvalue <= self.level)

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
        is that times a quantile of the largest standardised value over all points and classes,
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

    def summary(self) -> str:
        """Return what stands out, and the tables, in plain words."""
        named = self.significant
        if named:
            lines = [f"{len(named)} of {len(self.findings)} stand out at level {self.level:g}:"]
            lines += [f"  {finding.describe()}" for finding in named]
        else:
            lines = [f"Nothing stands out at level {self.level:g}."]
            if self.findings:
                lines.append(f"  largest, a hint and no claim: {self.findings[0].describe()}")
        for title, table in self.tables.items():
            lines += ["", *_text_table(title, table)]
        return "\n".join([*lines, *self._notes()])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "classes": [f.to_dict() for f in self.classes],
            "regions": [f.to_dict() for f in self.regions],
            "groups": {name: [f.to_dict() for f in table] for name, table in self.groups.items()},
            "estimate": plain(self.estimate),
            "level": self.level,
            "n_samples": self.n_samples,
            "n_classes": self.n_classes,
            "details": plain(self.details),
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> WhereResult:
        """Read what `to_dict` wrote; the witness function is gone."""
        known = {f.name for f in fields(cls)} - {"source"}
        if set(table) != known:
            raise ValueError(
                f"not a result of `where`: missing {sorted(known - set(table))}, "
                f"unknown {sorted(set(table) - known)}"
            )
        lists = {
            name: tuple(Finding.from_dict(f) for f in table[name])
            for name in ("classes", "regions")
        }
        groups = {
            name: tuple(Finding.from_dict(f) for f in rows)
            for name, rows in table["groups"].items()
        }
        estimate = math.nan if table["estimate"] is None else table["estimate"]
        return cls(**{**table, **lists, "groups": groups, "estimate": estimate})

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return all findings as a data frame, one row each, the tables one after another.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        DataFrame or Table
            The attributes of a finding as columns: ``kind`` ("class", "region" or "group"),
            ``grouping`` (missing unless it is a group), ``name`` (text), ``n_samples``,
            ``predicted``, ``observed``, ``contribution``, ``share``, ``estimate``,
            ``frequency_z``, ``confidence_z``, ``statistic``, ``pvalue``, ``adjusted_pvalue``,
            ``tested``, ``note``, and ``direction`` in words. NaN is unknown.

        Examples
        --------
        >>> import calibrant as cal
        >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(200, rng=0)
        >>> frame = cal.where(y_true, y_prob, rng=0).to_frame("pandas")
        >>> sorted(frame[frame["kind"] == "class"]["name"])
        ['0', '1', '2']
        """
        rows = [f for table in self.tables.values() for f in table]
        names = ["kind", "grouping", *(f.name for f in fields(Finding))]  # these two in front
        columns = {name: [getattr(row, name) for row in rows] for name in names}
        columns["name"] = [str(row.name) for row in rows]
        return to_frame(columns | {"direction": [row.direction for row in rows]}, backend)

    def _notes(self) -> list[str]:
        lines = [f.note and f"{f.title}: {f.note}" for table in self.tables.values() for f in table]
        impossible = self.details.get("impossible_labels", 0)
        if impossible:
            lines.append(
                f"{impossible} labels had predicted probability exactly 0: impossible under the "
                "model, or the file was rounded"
            )
        told = [line for line in lines if line]
        return ["", *(f"note: {line}" for line in told)] if told else []

    def _repr_html_(self) -> str:
        from html import escape

        head, *rest = self.summary().split("\n\n")[0].splitlines()
        items = "".join(f"<li>{escape(line.strip())}</li>" for line in rest)
        tables = "".join(_html_table(title, table) for title, table in self.tables.items())
        notes = "".join(f"<p>{escape(line)}</p>" for line in self._notes() if line)
        return f"<strong>{escape(head)}</strong><ul>{items}</ul>{tables}{notes}"

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth of a result is ambiguous; ask for `result.significant`, the findings with "
            "an adjusted p-value of at most `result.level`"
        )


def rank(finding: Finding) -> tuple[float, float, float]:
    """Order findings: untested last, then by adjusted p-value, p-value and statistic."""
    if not finding.tested:
        return math.inf, math.inf, -finding.n_samples
    return finding.adjusted_pvalue, finding.pvalue, -finding.statistic


_COLUMNS = ("", "rows", "predicted", "observed", "share", "p", "adjusted p", "direction")
#: rows of a printed table
_SHOWN = 20


def _cells(finding: Finding) -> tuple[str, ...]:
    numbers = [
        "-" if math.isnan(value) else f"{value:.3g}"
        for value in (finding.predicted, finding.observed)
    ]
    ps = [
        "-" if math.isnan(value) else f"{value:.3g}"
        for value in (finding.pvalue, finding.adjusted_pvalue)
    ]
    share = f"{100 * finding.share:.0f} %"
    return (str(finding.name), str(finding.n_samples), *numbers, share, *ps, finding.direction)


def _text_table(title: str, table: tuple[Finding, ...]) -> list[str]:
    rows = [(title, *_COLUMNS[1:]), *(_cells(finding) for finding in table[:_SHOWN])]
    widths = [max(len(row[k]) for row in rows) for k in range(len(_COLUMNS))]
    lines = [
        "  ".join(
            cell.ljust(width) if k in (0, len(_COLUMNS) - 1) else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return [*lines, *_more(table)]


def _html_table(title: str, table: tuple[Finding, ...]) -> str:
    from html import escape

    def row(cells: tuple[str, ...], tag: str) -> str:
        inside = "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{inside}</tr>"

    head = row((title, *_COLUMNS[1:]), "th")
    body = "".join(row(_cells(finding), "td") for finding in table[:_SHOWN])
    more = "".join(f"<p>{line}</p>" for line in _more(table))
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{more}"


def _more(table: tuple[Finding, ...]) -> list[str]:
    return [f"… and {len(table) - _SHOWN} more"] if len(table) > _SHOWN else []
