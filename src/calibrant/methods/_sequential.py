r"""Early stopping if the evidence is weak: the sequential p-value of Besag and Clifford.

A resampling test ranks T_0, the statistic of the observed labels, among T_1, T_2, …, which are
exchangeable under the null hypothesis. Draw until h of them reach T_0. If that happens at draw
L ≤ K, stop with p = h/L. Otherwise draw all B and use the p-value of the full test. This p-value is
valid at every level a, P(p ≤ a) ≤ a:

- a ≥ h/(K + 1): p ≤ a needs fewer than h of the first ⌈h/a⌉ − 1 ≤ K draws to reach T_0, whether the
  test stopped later or not at all. Then T_0 is among the h largest of ⌈h/a⌉ exchangeable values,
  which has probability h/⌈h/a⌉ ≤ a at most (ties count as reached).
- a < h/(K + 1): a test that stopped has p ≥ h/K > a, so p ≤ a needs the full test to say so, and
  that one is exact.

The full test may rank a different statistic than T, because nothing above relates the two. The
aggregated test uses this freedom. Its full form compares every label set with the moments of all
others. For the decision to stop, M reference label sets supply the moments. They are not ranked,
and given them T_0 and T_{M+1}, T_{M+2}, … are the same function of independent draws, hence
exchangeable.

References: J. Besag and P. Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._execution import limits
from calibrant._native import FloatArray

#: number of label sets that must reach the observed one before tests of large data stop by default
STOP_AFTER = 20
#: K/h: tests stop only at p-values of at least 1/LONGEST, well above the usual levels
LONGEST = 5
#: K/h of the first look: usually enough if p is .5 or more
FIRST_LOOK = 2.4
#: label sets whose moments determine the scale of an aggregated statistic
REFERENCE = 31


@dataclass(frozen=True)
class Stopping:
    """When a test stops: h of at most K draws reach the observed one, after M reference sets."""

    stop_after: int
    reference: int
    longest: int

    @classmethod
    def choose(
        cls, stop_after: int | None, size: int, n_resamples: int, reference: int = 0
    ) -> Stopping | None:
        """Return the rule for n·m probabilities, or None if all label sets are drawn."""
        if stop_after is None:
            stop_after = STOP_AFTER if size >= limits().sequential_size else 0
        longest = min(LONGEST * stop_after, n_resamples - reference)
        if stop_after == 0 or longest < stop_after:
            return None
        return cls(stop_after, reference, longest)

    @property
    def looks(self) -> tuple[int, ...]:
        """The numbers of label sets after which the test checks whether to stop."""
        first = min(int(FIRST_LOOK * self.stop_after) + 1, self.longest)
        return tuple(sorted({self.reference + first, self.reference + self.longest}))

    def stops_at(self, observed: float, null: FloatArray) -> int | None:
        """Return L, the draw at which the test stops, or None if it continues."""
        # ties within rounding are judged for each pair alone, so later draws change nothing
        slack = 1e-9 * np.maximum(np.abs(null), abs(observed))
        reached = np.flatnonzero(null[: self.longest] >= observed - slack[: self.longest])
        if len(reached) < self.stop_after:
            return None
        return int(reached[self.stop_after - 1]) + 1

    def details(self, draws: int, n_resamples: int) -> dict[str, Any]:
        """Return the details of a test that stopped at draw L."""
        pvalue = self.stop_after / draws
        return {
            "n_resamples": self.reference + draws,
            "n_resamples_at_most": n_resamples,
            "stopped_after": self.stop_after,
            "monte_carlo_error": float(pvalue * np.sqrt((1.0 - pvalue) / self.stop_after)),
            "stopping_note": (
                f"the test stopped after {self.reference + draws} of {n_resamples} label sets, "
                f"when {self.stop_after} of them had reached the observed one: more would not make "
                "the evidence strong"
            ),
        }


def check_stop_after(stop_after: Any) -> None:
    """Raise ValueError unless the value is None or a number of label sets."""
    whole = isinstance(stop_after, int | np.integer) and not isinstance(stop_after, bool)
    if stop_after is not None and (not whole or stop_after < 0):
        raise ValueError(
            f"`stop_after` must be None or a non-negative integer; got {stop_after!r}. 0 always "
            "draws all label sets."
        )
