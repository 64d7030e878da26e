"""The test errors as a table, and the three models of the paper at one level."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from calibrant.paper._error_figures import MODELS
from calibrant.paper._published import N_PUBLISHED
from calibrant.paper._tables import write_table
from calibrant.paper._tests import TESTS
from calibrant.paper._tests_curves import LEVELS, CurveKey

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from calibrant._typing import FloatArray
    from calibrant.paper._tests_curves import Curves

HEADER = (
    "test",
    "alpha",
    "beta",
    "m",
    "pi",
    "level",
    "n_datasets",
    "empirical_test_error",
    "standard_error",
)
#: the level of `model_lines`
LEVEL = 0.05


def write_curve_table(
    folder: Path, curves: Curves, published: Mapping[CurveKey, FloatArray] | None = None
) -> None:
    """Write ``test_errors.csv``, a row for each curve and level."""
    more = () if published is None else ("published", "deviation_in_standard_errors")
    write_table(folder / "test_errors.csv", [*HEADER, *more], _rows(curves, published))


def _rows(curves: Curves, published: Mapping[CurveKey, FloatArray] | None) -> Iterator[list[Any]]:
    for key, curve in curves.items():
        columns = [LEVELS, curve.errors, curve.standard_errors]
        if published is not None and key in published:
            columns += [published[key], curve.deviations(published[key], N_PUBLISHED)]
        empty = [""] * 2 if published is not None and key not in published else []
        for level, *numbers in zip(*(column.tolist() for column in columns), strict=True):
            yield [*key, level, curve.n_datasets, *numbers, *empty]


def model_lines(curves: Curves) -> list[str]:
    """Return the errors at 5 % for the models M1 (calibrated), M2 and M3, a line for each test."""
    head = f"  {f'wrong answers at level {LEVEL:g}':<34}" + "".join(f"{m:>8}" for m in MODELS)
    at = LEVELS.tolist().index(LEVEL)
    lines = [head]
    for test in TESTS:
        keys = [CurveKey(test, 0.1, beta, 10, pi) for beta, pi in MODELS.values()]
        if all(key in curves for key in keys):
            cells = [f"{curves[key].errors[at]:>8.4f}" for key in keys]
            lines.append(f"  {test:<34}" + "".join(cells))
    return lines if len(lines) > 1 else []
