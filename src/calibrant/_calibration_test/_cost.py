"""The estimated cost of a test and of its alternatives on this machine, for information only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from time import perf_counter
from typing import Any

import numpy as np

from calibrant._engine import (
    LabelResampler,
    LabelSets,
    RadialForm,
    residual_pair_sums,
    tile_sum,
)
from calibrant._execution import Parallel, count_jobs, limits, single_threaded_blas
from calibrant._output import counted, duration, short_form
from calibrant._predictions import Predictions
from calibrant.estimators import SKCE, Estimator
from calibrant.methods import (
    Aggregated,
    AsymptoticBlock,
    Auto,
    Components,
    DistributionFree,
    LinearChunk,
    LinearPlan,
    LinearState,
    Method,
    full_families,
)

#: number of label sets in a measurement
_SETS = 64


@dataclass(frozen=True)
class Cost:
    """The estimated duration of a test, from rates measured on this machine.

    Parameters
    ----------
    what : str
        The method and, if given, the estimator.
    seconds : float
        Estimated time with these threads; NaN if no rate is known.
    n_jobs : int
        Number of threads.
    pairs_per_second : float
        Pairs of rows of a Laplacian kernel per second, measured on one thread.
    alternatives : tuple of (what, seconds)
        Alternatives and their times, the fastest first.

    Examples
    --------
    >>> import calibrant as cal
    >>> cost = cal.estimate_cost(100_000, 10, method=cal.methods.DistributionFree(), n_jobs=2)
    >>> cost.what, cost.seconds > 0
    ('DistributionFree() of SKCE()', True)
    """

    what: str
    seconds: float
    n_jobs: int
    pairs_per_second: float
    alternatives: tuple[tuple[str, float], ...]

    @property
    def is_long(self) -> bool:
        """Whether it takes more than ten seconds."""
        return self.seconds > limits().long_seconds

    def __str__(self) -> str:
        others = "; ".join(f"{what}: {duration(seconds)}" for what, seconds in self.alternatives)
        return (
            f"{self.what} takes {duration(self.seconds)} on {counted(self.n_jobs, 'thread')} "
            f"({self.pairs_per_second:.2g} pairs per second and thread). "
            + (f"Alternatives: {others}" if others else "There is no quicker alternative")
        )


def estimate_cost(
    n_samples: int,
    n_classes: int,
    *,
    estimator: Estimator | None = None,
    method: Method | None = None,
    n_jobs: int | None = None,
) -> Cost:
    """Estimate how long `calibration_test` and its alternatives would take on this machine.

    Rates are measured once, in about a tenth of a second, with the active core. The automatic
    choices never use them: they depend only on n, m and the estimator.

    Parameters
    ----------
    n_samples, n_classes : int
        Size of the data.
    estimator : Estimator, optional
        As in `calibration_test`.
    method : Method, optional
        As in `calibration_test`.
    n_jobs : int, optional
        Number of threads; all cores this process may use by default.

    Returns
    -------
    Cost

    Examples
    --------
    >>> import calibrant as cal
    >>> exact = cal.estimate_cost(200_000, 10, estimator=cal.SKCE(), n_jobs=2)
    >>> exact.is_long
    True
    >>> bool(exact.alternatives)
    True

    All pairs of two hundred thousand rows take a while; random features would be faster.
    """
    chosen = Auto().select(n_samples, n_classes, estimator, method).method
    error = chosen.default_estimator() if estimator is None else estimator
    jobs = count_jobs(n_jobs)
    rates = _Rates(n_classes)
    seconds = chosen.cost(error, n_samples, rates) / jobs
    others = {
        _name(how, what): how.cost(what, n_samples, rates) / jobs
        for how, what in _ALTERNATIVES
        if (how, what) != (chosen, error)
    }
    quicker = sorted((cost, name) for name, cost in others.items() if cost < seconds)
    return Cost(
        _name(chosen, error),
        seconds,
        jobs,
        1.0 / rates.pair,
        tuple((name, cost) for cost, name in quicker),
    )


_ALTERNATIVES: tuple[tuple[Method, Estimator], ...] = (
    (Aggregated(), SKCE()),
    (Aggregated(99), SKCE()),
    (DistributionFree(), SKCE()),
    (AsymptoticBlock(), SKCE(block_size=2)),
)


def _name(method: Method, estimator: Estimator) -> str:
    if method.own_statistic:
        return short_form(method)
    return f"{short_form(method)} of {short_form(estimator)}"


class _Rates:
    """Seconds of elementary steps on one thread, measured on first use."""

    def __init__(self, n_classes: int) -> None:
        self.n_classes = max(2, n_classes)

    @property
    def pair(self) -> float:
        """A pair of rows."""
        return _measured(_pair, self.n_classes)

    @property
    def label(self) -> float:
        """A pair of rows in a label set."""
        return _measured(_label, min(self.n_classes, 10))

    @property
    def row_set(self) -> float:
        """A row in a label set, with random features."""
        return _measured(_row_set, self.n_classes)

    @property
    def line(self) -> float:
        """A row in a label set, two classes."""
        return _measured(_line, 2)

    @property
    def product(self) -> float:
        """A pair of rows in a matrix product."""
        return _measured(_product, 2)


def _data(n: int, m: int) -> Predictions:
    rng = np.random.default_rng(0)
    p = rng.standard_exponential((n, m))
    return Predictions(rng.integers(m, size=n), p / p.sum(axis=1, keepdims=True))


@lru_cache(maxsize=64)
def _measured(step: Callable[[int], tuple[Callable[[], Any], float]], m: int) -> float:
    call, count = step(m)
    times = []
    with single_threaded_blas():
        call()  # warm up
        for _ in range(3):
            start = perf_counter()
            call()
            times.append(perf_counter() - start)
    return max(min(times), 1e-9) / count


def _pair(m: int) -> tuple[Callable[[], Any], float]:
    n = 512 if m <= 100 else 64
    data = _data(n, m)
    form = RadialForm(data.y_prob, data.residuals, "cityblock", "laplacian", 2.0)
    return lambda: tile_sum(form, form), float(n * n)


def _label(m: int) -> tuple[Callable[[], Any], float]:
    data = _data(256, m)
    form = RadialForm(data.y_prob, np.ones((256, 1)), "cityblock", "laplacian", 2.0)
    label_sets = LabelSets.label_sets(data, LabelResampler(0), range(_SETS))
    one = Parallel(1)
    sums = partial(residual_pair_sums, [form], data.y_prob, label_sets, one)
    return sums, 256 * 256 / 2 * _SETS


def _row_set(m: int) -> tuple[Callable[[], Any], float]:
    n = 1024 if m <= 100 else 128
    data, resampler = _data(n, m), LabelResampler(0)
    plan = LinearPlan.make(m, 0.5, Components(), resampler)
    sets = range(min(_SETS, plan.sets_at_once))
    chunk, state = LinearChunk.prepare(plan, data, 0), LinearState(plan, sets)
    return lambda: state.update(chunk), float(n * len(sets))


def _line(m: int) -> tuple[Callable[[], Any], float]:
    data = _data(1024, m)
    label_sets = LabelSets.label_sets(data, LabelResampler(0), range(_SETS))
    one = Parallel(1)
    return lambda: full_families(data, 0.5, label_sets, Components(), one), float(1024 * _SETS)


def _product(m: int) -> tuple[Callable[[], Any], float]:
    a, b = np.ones((256, 256)), np.ones((256, _SETS))
    return lambda: a @ b, 256 * 256 * _SETS / 2
