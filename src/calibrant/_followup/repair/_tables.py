"""Tables of the evidence for a repair: candidates, measures, groups and tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from calibrant._followup.repair._candidates import Candidate
from calibrant._followup.repair._changes import Change
from calibrant._followup.repair._checks import Check
from calibrant._followup.repair._groups import GroupChange
from calibrant._output import Table, counted, estimate_text, pvalue_text
from calibrant.effects import Effect, find_measure


def candidate_table(candidates: Iterable[Candidate], chosen: str) -> Table:
    """Return the changes by each candidate, or why it was not fitted."""
    rows = tuple(candidate_rows(candidates, chosen))
    return Table(rows, ("candidate", "parameters", "log loss", "Brier score", ""), frozenset({1}))


def candidate_rows(candidates: Iterable[Candidate], chosen: str) -> list[tuple[str, ...]]:
    """Return name, parameters, changes of log loss and Brier score, and a mark if chosen."""
    return [_candidate_row(one, chosen) for one in candidates]


def _candidate_row(one: Candidate, chosen: str) -> tuple[str, ...]:
    size = "–" if one.n_parameters is None else str(one.n_parameters)
    if one.log_loss is None or one.brier is None:
        return one.name, size, f"not fitted: {one.note}", "", ""
    mark = "chosen" if one.name == chosen else ""
    return one.name, size, interval_text(one.log_loss), interval_text(one.brier), mark


def measure_table(changes: Iterable[Change]) -> Table:
    """Return the measures before and after."""
    return Table(tuple(map(_measure_row, changes)), ("measure", "before", "after"))


def _measure_row(change: Change) -> tuple[str, str, str]:
    title = find_measure(change.name).title
    event = change.before.details.get("event", "the predicted label")
    return title.format(event=event), interval_text(change.before), interval_text(change.after)


def group_table(groups: Iterable[GroupChange]) -> Table:
    """Return the change of the log loss in every group."""
    rows = tuple(
        (f"{one.grouping} {one.name}", f"{one.n_samples:,}", interval_text(one.log_loss))
        for one in groups
    )
    return Table(rows, ("group", "rows", "log loss"), frozenset({1}))


def check_rows(
    checks: Iterable[Check], n_samples: int, n_resamples: int | None = None
) -> list[tuple[str, str]]:
    """Return each test's question and answer, with the number of rows if not all were tested."""
    rows: list[tuple[str, str]] = []
    for one in checks:
        how = f", {one.direction}" if one.direction else ""
        of = "" if one.n_samples == n_samples else f" ({counted(one.n_samples, 'row')})"
        rows.append((one.question, f"{pvalue_text(one.pvalue, n_resamples)}{how}{of}"))
    return rows


def interval_text(effect: Effect) -> str:
    """Return a change with its interval, as one text."""
    if effect.estimate == effect.standard_error == 0.0:  # the identity
        return "0"
    return estimate_text(effect.estimate, effect.interval.low, effect.interval.high)


def gain_text(effect: Effect) -> str:
    """Say by how much a map lowers or raises the log loss, with the interval."""
    low, high = effect.interval.low, effect.interval.high
    if effect.estimate > 0.0:
        return f"raises the log loss by {estimate_text(effect.estimate, low, high)}"
    return f"lowers the log loss by {estimate_text(-effect.estimate, -high, -low)}"


def frame_row(candidate: Candidate) -> dict[str, Any]:
    """Return the numbers of a candidate by column name."""
    row: dict[str, Any] = {
        "candidate": candidate.name,
        "n_parameters": float("nan") if candidate.n_parameters is None else candidate.n_parameters,
    }
    for name in ("log_loss", "brier"):
        effect: Effect | None = getattr(candidate, name)
        nothing = float("nan")
        row[name] = nothing if effect is None else effect.estimate
        row[f"{name}_low"] = nothing if effect is None else effect.interval.low
        row[f"{name}_high"] = nothing if effect is None else effect.interval.high
    return row
