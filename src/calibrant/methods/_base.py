"""The base class of the methods, which turn the estimate of a calibration error into evidence."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from calibrant._engine import Coupling, coupling_of_rows
from calibrant._execution import Parallel, Progress
from calibrant._native import FloatArray
from calibrant._output import concise
from calibrant._predictions import Predictions, RowSource
from calibrant.errors import DataError, Problem
from calibrant.estimators import SKCE, Estimator
from calibrant.methods._clusters import require_clusters


@dataclass(frozen=True)
class Setting:
    """The resources of a running method: randomness and parallelism.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of randomness.
    parallel : Parallel
        Threads, an executor and progress; all cores by default.
    coupling : Coupling, optional
        How the labels of a cluster depend on each other, if already estimated.

    Examples
    --------
    >>> import numpy as np
    >>> import calibrant as cal
    >>> setting = cal.methods.Setting(np.random.default_rng(0))
    >>> predictions = cal.Predictions([0, 1, 1, 0], [0.2, 0.6, 0.9, 0.4])
    >>> cal.methods.Exact(n_resamples=19).test(predictions, cal.SKCE(), setting).pvalue <= 1.0
    True
    """

    rng: np.random.Generator
    parallel: Parallel = field(default_factory=Parallel)
    coupling: Coupling | None = None

    def telling(self, progress: Progress | None) -> Setting:
        """Return the same setting with a different progress callback."""
        return replace(self, parallel=replace(self.parallel, progress=progress))

    def coupling_of(self, rows: Predictions | RowSource) -> Coupling | None:
        """Return how the labels of a cluster depend on each other; None without clusters."""
        coupling = self.coupling
        if coupling is None and isinstance(rows, Predictions):
            coupling = coupling_of_rows(rows)
        require_clusters(coupling)
        return coupling


@concise
@dataclass(frozen=True, eq=False)
class Evidence:
    """The outcome of a method: the statistic and its right-tailed p-value.

    Parameters
    ----------
    statistic, pvalue : float
        The statistic that was ranked, and its p-value.
    null_distribution : ndarray of shape (n_resamples,), optional
        The statistic under the null hypothesis, for methods that resample.
    null_estimates : ndarray of shape (n_resamples,), optional
        The reported estimate under the null hypothesis.
    estimate : float, optional
        The reported estimate, if the method already computed it.
    details : mapping, optional
        Additional information: plain numbers, strings, lists and dicts.

    Examples
    --------
    >>> from calibrant.methods import Evidence
    >>> Evidence(statistic=2.3, pvalue=0.02, details={"z": 2.3}).pvalue
    0.02
    """

    statistic: float
    pvalue: float
    null_distribution: FloatArray | None = None
    null_estimates: FloatArray | None = None
    estimate: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


class Rates(Protocol):
    """Seconds of elementary steps on one thread, for data of `n_classes` classes.

    `Method.cost` receives them; `calibrant.estimate_cost` measures them on this machine.

    Examples
    --------
    >>> import calibrant as cal
    >>> class Fast:
    ...     n_classes = 3
    ...     pair = label = row_set = line = product = 1e-9
    >>> seconds = cal.methods.Exact(999).cost(cal.SKCE(), 1000, Fast())
    >>> print(f"{seconds:.2f}")
    0.50

    A thousand label sets with half a million pairs each, at a nanosecond per pair.
    """

    n_classes: int

    @property
    def pair(self) -> float:
        """A pair of rows."""

    @property
    def label(self) -> float:
        """A pair of rows in a label set."""

    @property
    def row_set(self) -> float:
        """A row in a label set, with random features."""

    @property
    def line(self) -> float:
        """A row in a label set, two classes."""

    @property
    def product(self) -> float:
        """A pair of rows in a matrix product."""


class Method(ABC):
    """A calibration test: a frozen configuration that runs on checked data.

    Subclasses are frozen dataclasses that define `test`. They declare which estimators they accept:
    `accepts` is the type, `suits` checks further, `fits` and `remedy` word the error message.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import calibrant as cal
    >>> @dataclass(frozen=True)
    ... class Markov(cal.methods.Method):
    ...     '''P(SKCE_b ≥ t) ≤ E SKCE_b / t: true, and hardly ever of use.'''
    ...     def test(self, predictions, estimator, setting):
    ...         p = predictions.y_prob
    ...         expected = float((1 - (p**2).sum(axis=1)).sum()) / len(p) ** 2
    ...         observed = cal.SKCE(unbiased=False)(predictions)
    ...         return cal.methods.Evidence(observed, min(1.0, expected / observed))
    >>> model = cal.models.M2(3)
    >>> cal.calibration_test(*model.sample(200, rng=0), method=Markov(), rng=0).pvalue < 0.1
    True
    """

    #: the type of estimators that this method accepts
    accepts: ClassVar[type[Any]] = Estimator
    #: the same in words, and the remedy for other estimators
    fits: ClassVar[str] = "any estimator"
    remedy: ClassVar[str] = ""
    #: whether it can test streamed rows
    streams: ClassVar[bool] = False
    #: whether the rows of a cluster may depend on each other
    clusters: ClassVar[bool] = False
    #: whether it accepts soft labels, because it draws no labels
    soft_labels: ClassVar[bool] = False
    #: whether its statistic differs from the estimate
    own_statistic: ClassVar[bool] = False

    # `estimator` is Any so that subclasses can narrow the type
    @abstractmethod
    def test(self, predictions: Predictions, estimator: Any, setting: Setting) -> Evidence:
        """Return the evidence against calibration; `estimator` has passed `check`."""

    def stream(
        self, source: RowSource, estimator: Any, setting: Setting, pair_weight: float
    ) -> Evidence:
        """Return the evidence for rows that are not in memory.

        The kernel has a fixed bandwidth; `pair_weight` is Σ_{i≠j} w_i w_j.
        """
        raise NotImplementedError(f"{type(self).__name__} needs all rows in memory")

    def suits(self, estimator: Any) -> bool:
        """Return whether the method accepts this estimator, which has the right type."""
        return True

    def takes(self, estimator: Any) -> bool:
        """Return whether the method accepts this estimator, of any type."""
        return isinstance(estimator, self.accepts) and self.suits(estimator)

    def check(self, estimator: Estimator) -> None:
        """Raise ValueError if the method does not accept this estimator."""
        if not self.takes(estimator):
            raise ValueError(
                f"{type(self).__name__} works with {self.fits}; got {estimator!r}. {self.remedy}"
            )

    def check_clusters(self, *, clustered: bool) -> None:
        """Refuse clustered rows if the method assumes independent rows."""
        if clustered and not self.clusters:
            raise DataError(
                Problem.CLUSTERS,
                f"{type(self).__name__} treats rows as independent",
                got="clusters of several rows",
                remedy="use `Aggregated()`, `Exact()` or `BetweenClusters()`, which allow for "
                "dependence inside a cluster",
            )

    def cost(self, estimator: Any, n_samples: int, rates: Rates) -> float:
        """Return the seconds of a test on one thread; NaN if unknown."""
        return math.nan

    def default_estimator(self) -> Estimator:
        """Return the estimator to use if none was given."""
        return SKCE()


def monte_carlo_pvalue(statistic: float, null: FloatArray) -> float:
    """Return (1 + #{T_b ≥ T})/(1 + B), ties within 1e-9·max|T_b|: never 0, exact at every B."""
    tolerance = 1e-9 * float(np.max(np.abs(null), initial=abs(statistic)))
    return (1 + int(np.count_nonzero(null >= statistic - tolerance))) / (1 + len(null))


def monte_carlo_error(pvalue: float, n_resamples: int) -> float:
    """Return the standard error of a resampled p-value, √(p(1−p)/(1 + B))."""
    return float(np.sqrt(pvalue * (1.0 - pvalue) / (1 + n_resamples)))


def check_resamples(n_resamples: Any) -> None:
    """Raise ValueError unless the number of resamples is a positive integer."""
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not whole or n_resamples < 1:
        raise ValueError(
            f"`n_resamples` must be a positive integer; got {n_resamples!r}. The smallest possible "
            "p-value is 1/(1 + n_resamples)."
        )
