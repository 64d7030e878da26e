"""Ranked tables from sums over label sets, with adjusted p-values and shares."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from calibrant._engine import CLEAR
from calibrant._followup.where._finding import Finding, rank
from calibrant._followup.where._findings import Shares, class_findings, group_findings
from calibrant._followup.where._label_sets import LabelSetSums, View
from calibrant._followup.where._pvalues import adjusted_pvalues, evidence
from calibrant._native import BoolArray, FloatArray
from calibrant.methods import monte_carlo_pvalue


def ranked_tables(
    view: View, shares: Shares, sums: LabelSetSums, alpha: float
) -> list[tuple[Finding, ...]]:
    """Return the tables of classes, regions and every grouping, the strongest evidence first."""
    tables = with_pvalues(_describe(view, shares, sums), sums)
    sized = iter(_are_sized(np.concatenate([sums.class_pairs, sums.group_pairs])))
    weights = view.predictions.weights
    masses = [[weights[group.rows].sum() for group in part.groups] for part in view.partitions]
    found = []
    for table, mass in zip(tables, [[1.0] * len(tables[0]), *masses], strict=True):
        clear = np.array([next(sized) for _ in table])
        shown = _with_shares(table, np.array(mass), clear, alpha)
        found.append(tuple(sorted(shown, key=rank)))
    return found


def _describe(view: View, shares: Shares, sums: LabelSetSums) -> list[list[Finding]]:
    """Return the tables without p-values: the classes, then every partition."""
    predictions = view.predictions
    tables = [class_findings(predictions, shares.by_class, sums)]
    z = (sums.group_frequency[:, 0], sums.group_confidence[:, 0])
    numbers = np.array([shares.by_group, shares.within, *z])
    start = 0
    for partition in view.partitions:
        own = numbers[:, start : start + len(partition.groups)]
        tables.append(group_findings(predictions, partition, own))
        start += len(partition.groups)
    return tables


def with_pvalues(tables: list[list[Finding]], sums: LabelSetSums) -> list[list[Finding]]:
    """Add p-values, adjusted for all tables, to the tested findings."""
    statistics = np.concatenate(
        [
            evidence(sums.class_pairs, sums.class_frequency, sums.class_confidence),
            evidence(
                sums.group_pairs,
                sums.group_frequency,
                sums.group_confidence,
                sums.group_surprise,
            ),
        ]
    )
    flat = [finding for table in tables for finding in table]
    tested = np.array([finding.tested for finding in flat])
    counts = [sum(f.tested for f in table) for table in tables for _ in table]
    # every table gets the same share of alpha, for any number of rows
    weighted = statistics - np.log(np.maximum(counts, 1))[:, None]
    adjusted = np.full(len(flat), math.nan)
    adjusted[tested] = adjusted_pvalues(weighted[tested])
    done = iter(
        replace(
            finding,
            statistic=float(values[0]),
            pvalue=monte_carlo_pvalue(float(values[0]), values[1:]),
            adjusted_pvalue=float(value),
        )
        if finding.tested
        else finding
        for finding, values, value in zip(flat, statistics, adjusted, strict=True)
    )
    return [[next(done) for _ in table] for table in tables]


def _are_sized(pairs: FloatArray) -> BoolArray:
    """Return whether each pair sum exceeds noise, relative to its null deviation."""
    deviation = np.sqrt(np.mean(pairs[:, 1:] ** 2, axis=1))
    return np.asarray(pairs[:, 0] >= CLEAR * deviation)


def _with_shares(
    table: list[Finding], masses: FloatArray, sized: BoolArray, alpha: float
) -> list[Finding]:
    """Add to the findings that stand out their shares of the total error of these findings.

    There are no shares if the error of any of them is too uncertain for a comparison. A class
    counts by its part of all pairs, a group by its rows.
    """
    named = np.array([finding.adjusted_pvalue <= alpha for finding in table])
    if len(table) == 1 or not named.any() or not sized[named].all():
        return table
    estimates = np.array([finding.estimate for finding in table])
    parts = np.where(named, np.maximum(masses * estimates, 0.0), 0.0)
    total = float(parts.sum())
    return [
        replace(finding, share=float(part / total)) if stands and total > 0.0 else finding
        for finding, part, stands in zip(table, parts, named, strict=True)
    ]
