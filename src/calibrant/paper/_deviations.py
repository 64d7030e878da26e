"""Comparison with the published numbers, in standard errors of both runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._native import FloatArray
from calibrant.paper._grid import Key
from calibrant.paper._published import N_PUBLISHED

#: a deviation that chance does not explain among several hundred numbers
LIMIT = 5.0


@dataclass(frozen=True)
class Deviations:
    """Our values minus the published ones, in standard errors, for all published values."""

    by_key: Mapping[Key, FloatArray]

    @classmethod
    def of(cls, ours: Mapping[Key, Any], published: Mapping[Key, Any]) -> Deviations:
        """Compare error cells or curves with the published ones of 10⁴ data sets."""
        return cls(
            {
                key: one.deviations(published[key], N_PUBLISHED)
                for key, one in ours.items()
                if key in published
            }
        )

    @property
    def n_beyond(self) -> int:
        """The number of values further off than chance explains."""
        return sum(int(np.sum(np.abs(values) > LIMIT)) for values in self.by_key.values())

    def worst(self, key: Key) -> float:
        """Return the largest deviation of a mean or a curve, with its sign."""
        values = self.by_key[key]
        return float(values[np.argmax(np.abs(values))])

    def headline(self, what: str) -> str:
        """Describe in one sentence how well the numbers agree; `what` is their name."""
        if not self.by_key:
            return f"None of the {what} of this run were published."
        n_numbers = sum(len(values) for values in self.by_key.values())
        worst = max(map(self.worst, self.by_key), key=abs)
        return (
            f"{n_numbers - self.n_beyond} of {n_numbers} {what} are within {LIMIT:g} standard "
            f"errors of the published ones; the largest deviation is {worst:+.2f}."
        )

    def lines(self) -> list[str]:
        """Return the largest deviations: a line for each name, α, β and m, a column for each π."""
        pis = sorted({key.pi for key in self.by_key})
        head = f"  {'largest deviation by π':<58}" + "".join(f"{pi:>8g}" for pi in pis)
        rows = dict.fromkeys(key[:4] for key in self.by_key)
        return [head, *(self._line(row, pis) for row in rows)]

    def _line(self, row: tuple[Any, ...], pis: list[float]) -> str:
        name, alpha, beta, m = row
        worst = {key.pi: self.worst(key) for key in self.by_key if key[:4] == row}
        cells = {pi: f"{value:+.2f}{'!' * (abs(value) > LIMIT)}" for pi, value in worst.items()}
        label = f"{name}, α={alpha:g}, β={beta}, m={m}"
        return f"  {label:<58}" + "".join(f"{cells.get(pi, ''):>8}" for pi in pis)
