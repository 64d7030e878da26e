"""Ours against the published numbers: every cell, in standard errors of both runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from calibrant.paper._published import N_PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant.paper._error_cells import Cells, Key

#: a deviation that chance does not explain among some hundred cells
LIMIT = 5.0


@dataclass(frozen=True)
class Deviations:
    """Mean − published mean of every cell that was published, in standard errors."""

    by_cell: Mapping[Key, float]

    @classmethod
    def of(cls, cells: Cells, published: Mapping[Key, float]) -> Deviations:
        """Compare the cells with the published means of 10⁴ data sets."""
        return cls(
            {
                key: cell.deviation(published[key], N_PUBLISHED)
                for key, cell in cells.items()
                if key in published
            }
        )

    @property
    def beyond(self) -> list[Key]:
        """The cells that are further off than chance explains."""
        return [key for key, deviation in self.by_cell.items() if abs(deviation) > LIMIT]

    def headline(self) -> str:
        """Say in one sentence how well the numbers agree."""
        if not self.by_cell:
            return "No cell of this run was published."
        worst = max(self.by_cell.values(), key=abs)
        within = len(self.by_cell) - len(self.beyond)
        return (
            f"{within} of {len(self.by_cell)} means are within {LIMIT:g} standard errors of the "
            f"published ones; the largest deviation is {worst:+.2f}."
        )

    def lines(self) -> list[str]:
        """Return a table: a line for each estimator, α, β and m, a column for each π."""
        pis = sorted({key.pi for key in self.by_cell})
        head = f"  {'deviation by π':<42}" + "".join(f"{pi:>8g}" for pi in pis)
        lines = dict.fromkeys(key[:4] for key in self.by_cell)
        return [head, *(self._line(start, pis) for start in lines)]

    def _line(self, start: tuple[object, ...], pis: list[float]) -> str:
        name, alpha, beta, m = start
        cells = [(key, self.by_cell[key]) for key in self.by_cell if key[:4] == start]
        found = {key.pi: f"{value:+.2f}{'!' if abs(value) > LIMIT else ''}" for key, value in cells}
        label = f"{name}, α={alpha:g}, β={beta}, m={m}"
        return f"  {label:<42}" + "".join(f"{found.get(pi, ''):>8}" for pi in pis)
