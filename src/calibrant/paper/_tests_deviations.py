"""The test errors against the published ones: every point of every curve, in standard errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from calibrant.paper._deviations import LIMIT
from calibrant.paper._published import N_PUBLISHED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._typing import FloatArray
    from calibrant.paper._tests_curves import CurveKey, Curves


@dataclass(frozen=True)
class CurveDeviations:
    """Error − published error of every level, for every curve that was published."""

    by_curve: Mapping[CurveKey, FloatArray]

    @classmethod
    def of(cls, curves: Curves, published: Mapping[CurveKey, FloatArray]) -> CurveDeviations:
        """Compare the curves with the published ones of 10⁴ data sets."""
        return cls(
            {
                key: curve.deviations(published[key], N_PUBLISHED)
                for key, curve in curves.items()
                if key in published
            }
        )

    @property
    def n_beyond(self) -> int:
        """How many points are further off than chance explains."""
        return sum(int(np.sum(np.abs(curve) > LIMIT)) for curve in self.by_curve.values())

    def worst(self, key: CurveKey) -> float:
        """Return the largest deviation of a curve, with its sign."""
        curve = self.by_curve[key]
        return float(curve[np.argmax(np.abs(curve))])

    def headline(self) -> str:
        """Say in one sentence how well the numbers agree."""
        if not self.by_curve:
            return "No curve of this run was published."
        n_points = sum(len(curve) for curve in self.by_curve.values())
        worst = max(map(self.worst, self.by_curve), key=abs)
        return (
            f"{n_points - self.n_beyond} of {n_points} points of {len(self.by_curve)} curves are "
            f"within {LIMIT:g} standard errors of the published ones; the largest deviation is "
            f"{worst:+.2f}."
        )

    def lines(self) -> list[str]:
        """Return the largest deviations: a line for each test, α and β, a column for m and π."""
        columns = sorted({(key.n_classes, key.pi) for key in self.by_curve})
        head = f"  {'largest deviation by m, π':<50}"
        head += "".join(f"{f'{m}, {pi:g}':>8}" for m, pi in columns)
        lines = dict.fromkeys(key[:3] for key in self.by_curve)
        return [head, *(self._line(start, columns) for start in lines)]

    def _line(self, start: tuple[object, ...], columns: list[tuple[int, float]]) -> str:
        found = {key[3:]: self.worst(key) for key in self.by_curve if key[:3] == start}
        test, alpha, beta = start
        label = f"{test}, α={alpha:g}, β={beta}"
        cells = [
            f"{found[at]:+.2f}{'!' * (abs(found[at]) > LIMIT)}" for at in columns if at in found
        ]
        return f"  {label:<50}" + "".join(f"{cell:>8}" for cell in cells)
