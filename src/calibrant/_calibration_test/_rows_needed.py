"""The number of rows that the default test needs to detect an error of a given size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from calibrant._calibration_test._alternatives import Alternative, Shifted, Tempered
from calibrant._calibration_test._described import describe_model
from calibrant._engine import RandomSource, as_generator, coupling_of_rows
from calibrant._execution import Parallel, Progress, limits, single_threaded_blas
from calibrant._output import (
    Count,
    Plain,
    Probability,
    Section,
    Worded,
    counted,
    facts,
    number,
    percent,
)
from calibrant._predictions import Predictions, as_predictions
from calibrant.effects import Strength, critical_value, rows_that_weigh
from calibrant.methods import Setting, simulate_pvalues

#: the temperature for which users are told the number of rows
PLANNED = 1.1
#: number of label sets of the default test
N_RESAMPLES = 999
#: most rows of a simulation, with two classes and with more; beyond, the effect is enlarged instead
_MOST_ROWS, _MOST_PAIRED_ROWS, _MOST_ENTRIES = 20_000, 4_000, 400_000
_NORMAL = NormalDist()


@dataclass(frozen=True)
class RowsNeeded(Plain, Worded):
    """The number of rows needed to detect an error of a given size.

    Attributes
    ----------
    n_samples : int
        Number of rows with which the default test rejects with probability `power`.
    low, high : int
        The 95 % Monte Carlo interval of this number.
    effect : {"temperature", "bias"}
        The kind of error.
    size : float
        The temperature or the bias to detect.
    description : str
        The same in words.
    power, alpha : float
        Power and significance of the test.
    rows : str
        A description of the rows.
    n_classes : int
        Number of classes.
    n_simulations : int
        Number of simulated data sets.
    critical_value : float
        c in power = Φ((√n·d − c)/s); see `rows_needed`.
    design_effect : float or None
        The factor by which clusters like those of the pilot data increase the number of rows.

    Examples
    --------
    >>> import calibrant as cal
    >>> plan = cal.rows_needed(temperature=1.5, n_classes=10, confidence=0.8, rng=0)
    >>> plan.low <= plan.n_samples <= plan.high
    True
    """

    n_samples: Count
    low: Count
    high: Count
    effect: Literal["temperature", "bias"]
    size: float
    description: str
    power: Probability
    alpha: Probability
    rows: str
    n_classes: Count
    n_simulations: Count
    critical_value: float
    design_effect: float | None = None

    @property
    def verdict(self) -> str:
        """The number of rows, and what they detect."""
        return (
            f"About {rounded_rows(self.n_samples)} show {self.description} with "
            f"{percent(self.power)} power."
        )

    @property
    def highlights(self) -> tuple[str, ...]:
        """The assumptions behind the number, one fact each."""
        return tuple(f"{name}: {text}" for name, text in self._facts())

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats."""
        if self.design_effect is None:
            return (
                "rows that depend on each other, such as several of one patient, count for less",
            )
        rows = rounded_rows(math.ceil(self.design_effect * self.n_samples))
        return (
            f"this is for independent rows; in clusters like those given, with a design effect of "
            f"{number(self.design_effect)}, it takes about {rows}",
        )

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""
        return (Section(table=facts([*self._facts(), *(("note", n) for n in self.notes)])),)

    def _facts(self) -> list[tuple[str, str]]:
        return [
            ("rows needed", f"{self.n_samples:,} ({self.low:,} to {self.high:,})"),
            ("test", f"default, rejecting at p ≤ {self.alpha:g}"),
            ("rows like", self.rows),
            ("simulated", counted(self.n_simulations, "data set")),
        ]


def rounded_rows(n_samples: int) -> str:
    """Return a number of rows with two significant digits."""
    digits = max(0, len(str(n_samples)) - 2)
    return f"{round(n_samples, -digits):,} rows"


@single_threaded_blas()  # BLAS sums depend on the number of threads
def rows_needed(
    y_true: Any = None,
    y_prob: Any = None,
    *,
    temperature: float | None = None,
    bias: float | None = None,
    label: Any = None,
    power: float = 0.8,
    alpha: float = 0.05,
    n_classes: int | None = None,
    confidence: float | None = None,
    rng: RandomSource = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
    **data: Any,
) -> RowsNeeded:
    r"""Return the number of rows that the default test needs to detect a temperature or a bias.

    Cost: four simulations of up to 4,000 rows (20,000 with two classes), a few seconds in total,
    for any result.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,) or Predictions, optional
        Pilot data; without clusters the labels are not used and can be omitted.
    y_prob : array-like of shape (n_samples, n_classes) or (n_samples,), optional
        Predictions like the future ones. Without them, a model is described by `n_classes` and
        `confidence`.
    temperature : float, optional
        The temperature to detect: above 1 for over-confidence, below 1 for under-confidence.
    bias : float, optional
        The bias to detect instead: the mean prediction of a class minus its frequency; negative if
        it is predicted too rarely.
    label : name of a class, optional
        The biased class: by default the positive one of two, or with more classes the one whose
        bias is hardest to detect.
    power : float in (0, 1), default 0.8
        The probability that the test rejects.
    alpha : float in (0, 1), default 0.05
        Significance of the test.
    n_classes : int, default 2
        Number of classes, without predictions.
    confidence : float in (1/n_classes, 1), default 0.75
        The mean probability of the predicted class, without predictions; they are then Dirichlet.
    rng : None, int or Generator
        Source of randomness; an integer makes the result reproducible.
    n_jobs : int, optional
        Number of threads; all cores by default.
    progress : callable, optional
        Called with (done, total) simulations.
    **data
        `classes`, `pos_label`, `sample_weight`, `normalize`, `clusters`: see `Predictions`. With
        clusters, the labels determine the design effect, which the notes report.

    Returns
    -------
    RowsNeeded

    Notes
    -----
    Rows are drawn from the pilot data with replacement, and labels from the assumed truth: ∝
    p^{1/τ} for a temperature, the odds of one class times a factor for a bias. With the mean
    :math:`\sqrt n\, d` and standard deviation s of the z-value designed for this effect (log-score
    direction or total of the class), the power of the default test is about
    :math:`\Phi((\sqrt n\, d - c)/s)`. Because the test also looks for other errors, c is larger
    than the 1.96 of that z-value alone, about 2.3 for temperatures and 3 for a bias of one of ten
    classes; c is found by simulating the test near the answer. Beyond the largest simulation, a
    larger effect stands in for more rows.

    Examples
    --------
    >>> import calibrant as cal
    >>> y_true, y_prob = cal.models.M1(10).sample(500, rng=0)  # pilot data
    >>> plan = cal.rows_needed(y_true, y_prob, temperature=1.3, rng=0)
    >>> 150 < plan.n_samples < 220
    True

    About 180 rows give 80 % power against logits that are 30 % too large.
    """
    _check(power, alpha)
    pilot, like = _pilot(y_true, y_prob, n_classes, confidence, rng, data)
    effect = _alternative(pilot, temperature, bias, label)
    whole = effect.strength(pilot, effect.truth(pilot))
    if not whole.mean > 0.0:
        raise ValueError(
            f"no number of rows shows {effect.describe()}: every prediction is certain. Use "
            "predictions that are not all 0 or 1."
        )
    setting = Setting(as_generator(rng), Parallel(n_jobs))
    search = _Search(pilot, effect, whole, power, alpha)
    for done, count in enumerate(limits().simulation_rounds):
        search.simulate(count, setting)
        if progress is not None:
            progress(done + 1, len(limits().simulation_rounds))
    low, high = (search.rows(search.critical + s * search.error) for s in (-1.96, 1.96))
    return RowsNeeded(
        n_samples=search.rows(search.critical),
        low=low,
        high=high,
        effect="bias" if temperature is None else "temperature",
        size=float(bias if temperature is None else temperature),  # type: ignore[arg-type]
        description=effect.describe(),
        power=power,
        alpha=alpha,
        rows=like,
        n_classes=pilot.n_classes,
        n_simulations=sum(limits().simulation_rounds),
        critical_value=search.critical,
        design_effect=_design_effect(pilot, labeled=y_true is not None),
    )


class _Search:
    """Simulations near the answer, and the critical value that fits them."""

    def __init__(
        self,
        pilot: Predictions,
        effect: Alternative,
        strength: Strength,
        power: float,
        alpha: float,
    ) -> None:
        self.pilot, self.effect, self.strength = pilot, effect, strength
        self.power, self.alpha = power, alpha
        self.critical, self.error = critical_value(alpha), math.inf
        self._mean: list[float] = []
        self._sd: list[float] = []
        self._rejected: list[float] = []
        self._count: list[int] = []

    def rows(self, critical: float) -> int:
        """Return the number of rows that reach the power."""
        multiple = self.strength.multiple(critical, self.power)
        return max(2, math.ceil(self.pilot.n_samples * multiple))

    def simulate(self, count: int, setting: Setting) -> None:
        """Simulate near the answer, and fit the critical value to all simulations."""
        needed = self.rows(self.critical)
        size = min(needed, _most_rows(self.pilot.n_classes))
        effect = self.effect
        if size < needed:
            effect = effect.enlarge(math.sqrt(needed / size), self.pilot)
        chosen = setting.rng.integers(0, self.pilot.n_samples, size)
        truth = effect.truth(self.pilot)
        rows = self.pilot.take(chosen)
        pvalues = simulate_pvalues(rows, truth[chosen], count, N_RESAMPLES, setting)
        strength = effect.strength(self.pilot, truth)
        self._mean.append(strength.mean * math.sqrt(size / self.pilot.n_samples))
        self._sd.append(strength.sd)
        # add half a data set on either side, to avoid rates of 0 and 1
        self._rejected.append((np.count_nonzero(pvalues <= self.alpha) + 0.5) / (count + 1))
        self._count.append(count)
        self._fit()

    def _fit(self) -> None:
        """Fit c in the rejection rates Φ((mean − c)/sd) by maximum likelihood, with its error."""
        from scipy.optimize import brentq
        from scipy.special import log_ndtr, ndtr

        mean, sd, rate, count = (
            np.array(x) for x in (self._mean, self._sd, self._rejected, self._count)
        )

        def score(c: float) -> float:
            x = (mean - c) / sd
            above, below = (np.exp(-0.5 * x**2 - log_ndtr(s * x)) for s in (1.0, -1.0))
            return float(np.sum(count / sd * (rate * above - (1.0 - rate) * below)))

        reach = 6.0 * float(sd.max())
        self.critical = brentq(score, float(mean.min()) - reach, float(mean.max()) + reach)
        x = (mean - self.critical) / sd
        density = np.exp(-0.5 * x**2) / math.sqrt(2.0 * math.pi) / sd
        share = ndtr(x)
        information = np.sum(count * density**2 / np.maximum(share * (1.0 - share), 1e-12))
        # all data sets of a round share the same label sets
        tail = _NORMAL.pdf(_NORMAL.inv_cdf(1.0 - self.alpha))
        shared = self.alpha * (1.0 - self.alpha) / N_RESAMPLES / tail**2 / len(mean)
        self.error = math.sqrt(1.0 / float(information) + shared)


def _most_rows(n_classes: int) -> int:
    if n_classes == 2:
        return _MOST_ROWS
    return max(500, min(_MOST_PAIRED_ROWS, _MOST_ENTRIES // n_classes))


def _pilot(
    y_true: Any,
    y_prob: Any,
    n_classes: int | None,
    confidence: float | None,
    rng: RandomSource,
    data: dict[str, Any],
) -> tuple[Predictions, str]:
    described = n_classes is not None or confidence is not None
    if y_true is None and y_prob is None:
        if data:
            raise ValueError(f"`{next(iter(data))}` belongs to predictions; pass `y_prob` as well.")
        return describe_model(
            2 if n_classes is None else n_classes, 0.75 if confidence is None else confidence
        )
    if described:
        raise ValueError(
            "`n_classes` and `confidence` describe a model in place of predictions; leave them out "
            "where predictions are given."
        )
    if y_true is None:
        y_true = np.zeros(len(y_prob), dtype=np.int64)
    pilot = rows_that_weigh(as_predictions(y_true, y_prob, **data))
    pilot.require_rows(2, "a plan")
    return pilot, f"the {pilot.n_samples:,} given, {counted(pilot.n_classes, 'class')}"


def _design_effect(pilot: Predictions, *, labeled: bool) -> float | None:
    coupling = coupling_of_rows(pilot) if labeled else None
    if coupling is None or not coupling.design_effect > 1.0:
        return None
    return coupling.design_effect


def _alternative(
    pilot: Predictions, temperature: float | None, bias: float | None, label: Any
) -> Alternative:
    if (temperature is None) == (bias is None):
        raise ValueError(
            "say which error should be seen: either `temperature`, for example 1.1, or `bias`, "
            "for example 0.05."
        )
    if bias is not None:
        return Shifted.of(pilot, bias, label)
    if label is not None:
        raise ValueError("`label` belongs to `bias`; a temperature is one of all classes.")
    assert temperature is not None
    return Tempered(temperature)


def _check(power: float, alpha: float) -> None:
    for name, value in (("power", power), ("alpha", alpha)):
        if not 0.0 < value < 1.0:
            raise ValueError(f"`{name}` must be in (0, 1), for example 0.8 or 0.05; got {value}.")
    if power <= alpha:
        raise ValueError(
            f"`power` must be above `alpha`; got {power} and {alpha}: a test rejects that often "
            "without any error."
        )
    if alpha < 1.0 / (N_RESAMPLES + 1):
        raise ValueError(
            f"`alpha` must be at least 1/{N_RESAMPLES + 1}, the smallest p-value of the default "
            f"test; got {alpha}."
        )
