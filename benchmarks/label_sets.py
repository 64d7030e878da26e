"""The exact test compared with one estimate: 40,000 rows and few label sets, 10,000 and many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import processor_time
from calibrant import SKCE, Predictions, calibration_test
from calibrant._execution import Parallel
from calibrant.kernels import Laplacian, MatrixKernel
from calibrant.methods import Exact, Setting

if TYPE_CHECKING:
    from collections.abc import Iterator

CLASSES = 10


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of all label sets relative to one estimate."""
    kernel = Laplacian(BANDWIDTH)
    repeats = 1 if quick else 3
    scale = 4 if quick else 1
    yield from _test(SKCE(kernel), 40_000 // scale, 19, 3.0, repeats)
    yield from _test(SKCE(kernel), 10_000 // scale, 999, 25.0, repeats)
    matrix = np.diag(np.linspace(1.0, 2.0, CLASSES)) + 0.1
    yield from _test(SKCE(kernel * matrix), 10_000 // scale, 19, 19.0, repeats, " times a matrix")
    outer = MatrixKernel(_outer)
    yield from _test(SKCE(outer), 500, 19, 19.0, repeats, ", matrix-valued")


def _test(
    estimator: SKCE, n: int, n_resamples: int, most: float, repeats: int, which: str = ""
) -> Iterator[Row]:
    predictions = Predictions(*dirichlet(n, CLASSES))
    method = Exact(n_resamples)

    def evidence() -> Any:
        return method.test(predictions, estimator, Setting(np.random.default_rng(0), Parallel()))

    calls: dict[str, Any] = {
        "estimate": lambda: estimator(predictions),
        "label sets": evidence,
        "whole test": lambda: calibration_test(
            predictions, estimator=estimator, method=method, rng=0
        ),
    }
    time = processor_time(calls, repeats=repeats)
    ratio = time["label sets"] / time["estimate"]
    name = f"Exact({n_resamples}) of the SKCE{which}, n={n}, m={CLASSES} : one estimate"
    yield Row(
        name,
        seconds(time["label sets"]),
        seconds(time["estimate"]),
        times(ratio),
        f"<= {most:g}x",
        ratio <= most,
    )
    whole = time["whole test"] / time["estimate"]
    yield Row(
        "  ... with intervals and measures",
        seconds(time["whole test"]),
        seconds(time["estimate"]),
        times(whole),
        f"<= {most:g}x",
        whole <= most,
    )


def _outer(p: Any, q: Any) -> Any:
    return p[:, None, :, None] * q[None, :, None, :]
