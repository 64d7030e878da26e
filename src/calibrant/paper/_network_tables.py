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

#: largest relative difference of numbers that are not drawn
TOLERANCE = 1e-9
#: largest difference, in standard errors, of counts of resamples
LIMIT = 5.0


@dataclass(frozen=True)
class Difference:
    """A number of ours and the published one, and why they may differ.

    exact: nothing is drawn, they agree to `TOLERANCE`; resampled: two counts of a thousand
    resamples; negative: the published bound of a negative estimate, where ours is 1.
    """

    model: str
    column: str
    ours: float
    published: float
    kind: Literal["exact", "resampled", "negative"]

    @property
    def size(self) -> float:
        """The relative difference, or that of counts in standard errors."""
        difference = abs(self.ours - self.published)
        if self.kind != "resampled":
            return difference / abs(self.published) if difference else 0.0
        p = 0.5 * (self.ours + self.published)
        # a count of none still has an error: that of one
        p = min(max(p, 1.0 / N_RESAMPLES), 1.0 - 1.0 / N_RESAMPLES)
        return difference / math.sqrt(2.0 * p * (1.0 - p) / N_RESAMPLES)

    @property
    def agrees(self) -> bool:
        """Whether the difference is one of rounding, or of chance."""
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
    """Return the published errors and p-values of a folder, None if they are not there."""
    errors, pvalues = folder / "published_errors.csv", folder / "published_pvalues.csv"
    if not errors.exists() and not pvalues.exists():
        return None
    return published_networks(errors), published_networks(pvalues)


def differences(
    results: Sequence[NetworkResult], errors: Table, pvalues: Table
) -> list[Difference]:
    """Compare every number that was published, under the published conventions."""
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
        # published as a count of a thousand, which may be 0; ours count the data as well
        count = ((1 + N_RESAMPLES) * ours - 1) / N_RESAMPLES
        return Difference(result.model, column, round(count, 9), theirs, "resampled")
    bound = column == "SKCEul_median_distribution_free"
    negative = bound and result.errors["SKCEul_median"] < 0
    return Difference(result.model, column, ours, theirs, "negative" if negative else "exact")
