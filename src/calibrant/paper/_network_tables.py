"""The paper's table of networks, compared with the published one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from calibrant.paper._networks import ERRORS, N_RESAMPLES, RESAMPLED, TESTS, NetworkResult
from calibrant.paper._published import published_networks
from calibrant.paper._tables import write_table

Table = Mapping[str, Mapping[str, float]]

#: largest relative difference of deterministic numbers
TOLERANCE = 1e-9
#: largest difference, in standard errors, of counts of resamples
LIMIT = 5.0


@dataclass(frozen=True)
class Difference:
    """A computed number and the published one, and why they may differ.

    exact: deterministic, equal to `TOLERANCE`; resampled: counts among a thousand resamples;
    negative: the published bound of a negative estimate, for which ours is 1.
    """

    model: str
    column: str
    ours: float
    published: float
    kind: Literal["exact", "resampled", "negative"]

    @property
    def size(self) -> float:
        """The relative difference, or for counts the difference in standard errors."""
        difference = abs(self.ours - self.published)
        if self.kind != "resampled":
            return difference / abs(self.published) if difference else 0.0
        p = 0.5 * (self.ours + self.published)
        # a count of 0 has the error of a count of 1
        p = min(max(p, 1.0 / N_RESAMPLES), 1.0 - 1.0 / N_RESAMPLES)
        return difference / math.sqrt(2.0 * p * (1.0 - p) / N_RESAMPLES)

    @property
    def agrees(self) -> bool:
        """Whether rounding or chance explains the difference."""
        if self.kind == "negative":
            return True
        return self.size <= (TOLERANCE if self.kind == "exact" else LIMIT)


def write_network_tables(folder: Path, results: Sequence[NetworkResult]) -> None:
    """Write ``errors.csv``, ``pvalues.csv`` and ``bandwidths.csv``."""
    write_table(
        folder / "errors.csv",
        ["model", *ERRORS],
        ([result.model, *result.errors.values()] for result in results),
    )
    write_table(
        folder / "pvalues.csv",
        ["model", *TESTS, "default_test"],
        ([result.model, *result.pvalues.values(), result.default] for result in results),
    )
    write_table(
        folder / "bandwidths.csv",
        ["model", "bandwidth", "pvalue_SKCEuq_moments"],
        ([result.model, *pair] for result in results for pair in result.scan.T.tolist()),
    )


def published_tables(folder: Path) -> tuple[Table, Table] | None:
    """Return the published errors and p-values of a folder, or None."""
    errors, pvalues = folder / "published_errors.csv", folder / "published_pvalues.csv"
    if not errors.exists() and not pvalues.exists():
        return None
    return published_networks(errors), published_networks(pvalues)


def differences(
    results: Sequence[NetworkResult], errors: Table, pvalues: Table
) -> list[Difference]:
    """Compare every published number, using the published conventions."""
    found = []
    for result in results:
        for column, theirs in errors.get(result.model, {}).items():
            if column in result.errors:
                ours = result.errors[column]
                found.append(Difference(result.model, column, ours, theirs, "exact"))
        for column, theirs in pvalues.get(result.model, {}).items():
            if column in result.pvalues:
                found.append(_of_pvalue(result, column, theirs))
    return found


def _of_pvalue(result: NetworkResult, column: str, theirs: float) -> Difference:
    ours = result.pvalues[column]
    if column in RESAMPLED:
        # published as a count among a thousand, which may be 0; ours also counts the data
        count = ((1 + N_RESAMPLES) * ours - 1) / N_RESAMPLES
        return Difference(result.model, column, round(count, 9), theirs, "resampled")
    bound = column == "SKCEul_median_distribution_free"
    negative = bound and result.errors["SKCEul_median"] < 0
    return Difference(result.model, column, ours, theirs, "negative" if negative else "exact")
