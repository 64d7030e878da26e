"""Whole public calls on 100 rows of ten classes, with all their checks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import Call, processor_time
from calibrant import ECE, SKCE, Estimator, Predictions
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

#: most seconds of a call, with `Predictions` and with arrays
CHECKED, ARRAYS = 60e-6, 120e-6
#: calls of a measurement, to hide the clock and the first access to the data
CALLS = 100


def rows(quick: bool) -> Iterator[Row]:
    """Yield the time of a call relative to adding up its probabilities."""
    y_true, y_prob = dirichlet(100, 10)
    predictions = Predictions(y_true, y_prob)
    estimators: dict[str, Estimator] = {
        "SKCE, given bandwidth": SKCE(Laplacian(BANDWIDTH)),
        "SKCE": SKCE(),
        "ECE": ECE(),
    }
    calls: dict[str, Call] = {"pass": partial(_repeat, y_prob.sum)}
    for name, estimator in estimators.items():
        calls[f"{name} of Predictions"] = partial(_repeat, partial(estimator, predictions))
        calls[f"{name} of arrays"] = partial(_repeat, partial(estimator, y_true, y_prob))
    time = {
        name: total / CALLS
        for name, total in processor_time(calls, repeats=10 if quick else 50).items()
    }
    for name in list(calls)[1:]:
        most = ARRAYS if name.endswith("arrays") else CHECKED
        yield Row(
            f"{name}, n=100, m=10 : one pass of NumPy",
            seconds(time[name]),
            seconds(time["pass"]),
            times(time[name] / time["pass"]),
            f"<= {seconds(most)}",
            time[name] <= most,
        )


def _repeat(call: Call) -> None:
    for _ in range(CALLS):
        call()
