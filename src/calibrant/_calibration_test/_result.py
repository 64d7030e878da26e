"""The result of a calibration test, in numbers and words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from calibrant._calibration_test._details_text import (
    clusters_note,
    dependence_line,
    detectable_line,
    impossible_note,
    missing_note,
    null_line,
    planned_line,
    repeated_note,
)
from calibrant._calibration_test._story import (
    CONFIDENCE,
    bound_text,
    headline,
    is_clear,
    order_text,
    tell,
)
from calibrant._native import FloatArray
from calibrant._output import (
    Count,
    Framed,
    IntervalBar,
    Plain,
    Probability,
    Section,
    Worded,
    counted,
    data_text,
    estimate_text,
    facts,
    number,
    pvalue_text,
    short_form,
    written_as,
)
from calibrant.effects import MEASURES, Effect, Interval, NoiseFloor, interval_at, upper_bound
from calibrant.estimators import Estimator
from calibrant.methods import Method

#: the significance at which `verdict` says "evidence"
ALPHA = 0.05


@dataclass(frozen=True, eq=False)
class CalibrationTestResult(Plain, Framed, Worded):
    """The result of a calibration test: evidence against calibration or none, but never for it.

    Attributes
    ----------
    estimate : float
        The reported calibration error.
    statistic : float
        The test statistic; larger values are stronger evidence against calibration.
    pvalue : float
        The probability that a calibrated model gives a statistic at least this large. Never 0 from
        resampling.
    method : Method
        The method that ran.
    estimator : Estimator
        The calibration error behind `estimate`.
    n_samples, n_classes : int
        Numbers of rows and classes.
    null_distribution : ndarray of shape (n_resamples,) or None
        The statistics on resampled labels.
    noise_floor : NoiseFloor or None
        The estimates that a calibrated model would have on these predictions.
    effects : mapping from name to Effect
        Interpretable effect sizes with intervals: the gain of a repair, bias, equivalent
        temperature, slope and intercept, root-mean-square calibration error, ECE with its noise
        floor, accuracy, Brier score, log loss.
    details : mapping
        Details of the method: components, seeds, bounds, and every automatic choice.

    Notes
    -----
    `to_frame` has one row, so that results can be stacked. Its columns are ``estimator``,
    ``method``, ``estimate`` with ``low`` and ``high`` of its interval and the mean ``noise_floor``,
    ``statistic``, ``pvalue``, ``n_samples``, ``n_classes`` and ``direction`` (text, may be empty),
    followed by each effect's name and its name with ``_low`` and ``_high``.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 4, temperature=2.0)  # over-confident
    >>> result = cal.calibration_test(*model.sample(300, rng=0), rng=0)
    >>> result.pvalue, result.details["direction"]
    (0.001, 'over-confident')
    >>> result.effects["temperature"].interval.low > 1.0
    True
    >>> print(result.verdict)
    Evidence against calibration: p ≤ 0.001; the predictions are over-confident: temperature ...
    >>> frame = result.to_frame("pandas")
    >>> frame.shape[0], list(frame.columns[:5])
    (1, ['estimator', 'method', 'estimate', 'low', 'high'])
    """

    estimate: float
    statistic: float
    pvalue: Probability
    method: Method | str = field(metadata=written_as(str, short_form))
    estimator: Estimator | str = field(metadata=written_as(str, short_form))
    n_samples: Count
    n_classes: Count
    null_distribution: FloatArray | None = field(default=None, repr=False)
    noise_floor: NoiseFloor | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict, repr=False)
    details: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return a confidence interval for the true SKCE; see `effects.skce_interval`.

        It is unknown (NaN) for other estimators: resampling under calibration shows how large they
        are for a calibrated model, not how far this model is off.

        Parameters
        ----------
        confidence_level : float in (0, 1), default 0.95
            Coverage of the interval.

        Returns
        -------
        Interval
        """
        effect = self.effects.get("skce")
        if effect is None:
            return Interval.unknown(confidence_level)
        return interval_at(effect, confidence_level)

    def reject(self, alpha: float = ALPHA) -> bool:
        """Return whether the test rejects calibration at significance `alpha`.

        Parameters
        ----------
        alpha : float in (0, 1), default 0.05
            Significance.

        Returns
        -------
        bool
        """
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"`alpha` must be in (0, 1), for example 0.05; got {alpha!r}.")
        return bool(self.pvalue <= alpha)

    @property
    def verdict(self) -> str:
        """Whether there is evidence against calibration, at significance 0.05."""
        against = self.reject()
        head = "Evidence against calibration" if against else "No evidence against calibration"
        impossible = self.details.get("impossible_labels", 0)
        if impossible and not against:  # one refutes calibration
            head += f" but for {counted(impossible, 'label')} of predicted probability 0"
        said = bound_text(self.effects)
        if against:
            said = tell(self.effects, self.details) if "component" in self.details else ""
            said = "; ".join(filter(None, [said, order_text(self.details)]))
        pvalue = pvalue_text(self.pvalue, self.details.get("n_resamples"))
        return f"{head}: {pvalue}{f'; {said}' if said else ''}."

    @property
    def headline(self) -> Effect | None:
        """The most clearly wrong effect, which the verdict quotes; None without evidence."""
        if not (self.reject() and "component" in self.details):
            return None
        return headline(self.effects, self.details)

    @property
    def highlights(self) -> tuple[str, ...]:
        """Data, method, estimate, effects and detectable errors, one fact each."""
        return tuple(f"{name}: {text}" for name, text in self._facts())

    @property
    def notes(self) -> tuple[str, ...]:
        """Caveats."""
        said = [self.details.get(key) for key in ("rounding_note", "stopping_note", "caution")]
        return (
            *impossible_note(self.details),
            *clusters_note(self.details.get("clusters")),
            *repeated_note(self.details),
            *missing_note(self.details),
            *self._interval_note(),
            *(note for note in said if note),
        )

    def _interval_note(self) -> tuple[str, ...]:
        """Explain intervals that exclude no effect although the test does not reject."""
        if self.reject() or not any(map(is_clear, self.effects.values())):
            return ()
        alone = "each interval is for one number alone, not adjusted for looking at several"
        if "component_name" in self.details:
            return (f"{alone}; the p-value accounts for all of them",)
        return (
            f"{alone}; the p-value is that of {short_form(self.estimator)} alone, which may miss "
            "an error that they show",
        )

    def upper_bound(self, confidence_level: float = CONFIDENCE) -> float:
        """Return an upper confidence bound of the typical error; NaN if unknown.

        The typical error is the RMSCE of `effects`: of P(positive class), or of the predicted label
        with more than two classes.

        Parameters
        ----------
        confidence_level : float in (0.5, 1), default 0.95
            Confidence of the one-sided bound.

        Returns
        -------
        float
        """
        effect = self.effects.get("rmsce")
        return math.nan if effect is None else upper_bound(effect, confidence_level)

    def within(self, limit: float, confidence_level: float = CONFIDENCE) -> bool:
        """Return whether the typical error is below `limit` with this confidence.

        False may also mean that the error is not known well enough; more rows may help.

        Parameters
        ----------
        limit : float in (0, 1)
            The largest acceptable typical difference between predicted probability and frequency.
        confidence_level : float, default 0.95
            Coverage of the interval.

        Returns
        -------
        bool

        Examples
        --------
        >>> import calibrant as cal
        >>> result = cal.calibration_test(*cal.models.M1(2).sample(5000, rng=0), rng=0)
        >>> result.within(0.05), result.within(0.001)
        (True, False)
        """
        if not 0.0 < limit < 1.0:
            raise ValueError(f"`limit` must be in (0, 1), for example 0.03; got {limit!r}.")
        return self.upper_bound(confidence_level) <= limit

    @property
    def sections(self) -> tuple[Section, ...]:
        """The parts of `summary` after the verdict."""
        notes = [("note", note) for note in self.notes]
        return (Section(table=facts([*self._facts(), *notes])),)

    _caption: ClassVar[str] = "Dashed: a calibrated model. Red: the 95 % interval excludes it."

    @property
    def _bars(self) -> tuple[IntervalBar, ...]:
        neutral = {measure.name: measure.neutral for measure in MEASURES}
        return tuple(
            IntervalBar(name, self._effect_line(effect), effect.estimate, effect.interval.low,
                        effect.interval.high, neutral.get(name))
            for name, effect in self.effects.items()
        )  # fmt: skip

    def _columns(self) -> dict[str, list[Any]]:
        interval = self.confidence_interval()
        row: dict[str, Any] = {
            "estimator": short_form(self.estimator),
            "method": short_form(self.method),
            "estimate": self.estimate,
            "low": interval.low,
            "high": interval.high,
            "noise_floor": math.nan if self.noise_floor is None else self.noise_floor.mean,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "n_samples": self.n_samples,
            "n_classes": self.n_classes,
            "direction": self.details.get("direction") or "",
        }
        for name, effect in self.effects.items():
            row[name] = effect.estimate
            row[f"{name}_low"], row[f"{name}_high"] = effect.interval.low, effect.interval.high
        return {name: [value] for name, value in row.items()}

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth value of a test result is ambiguous; say at which alpha: "
            "`result.reject(alpha=0.05)`"
        )

    def _facts(self) -> list[tuple[str, str]]:
        together = self.details.get("clusters")
        data = data_text(
            self.n_samples,
            self.n_classes,
            n_clusters=together["n_clusters"] if together else None,
            ordered=bool(self.details.get("ordered")),
        )
        rows = [("data", data), ("test", self.test_text)]
        if together and "design_effect" in together:
            rows.append(("clusters", dependence_line(together)))
        if "component_name" in self.details and self.reject():
            rows.append(("driven by", self.details["component_name"]))
        rows.extend((name, self._effect_line(effect)) for name, effect in self.effects.items())
        pairs = self.effects.get("skce")
        # only if it is not among the effects, which sum in another order
        if pairs is None or not math.isclose(pairs.estimate, self.estimate, abs_tol=1e-12):
            rows.append(("estimate", self._estimate_line()))
        bound = bound_text(self.effects) if self.reject() else ""  # otherwise it is in the verdict
        if bound:
            rows.append(("bound", bound))
        detectable = self.details.get("detectable_temperature")
        if detectable:
            planned = self.details.get("rows_for_temperature")
            rows.append(("detectable", detectable_line(detectable) + planned_line(planned)))
        return rows

    @property
    def test_text(self) -> str:
        """How the p-value was obtained, in a phrase."""
        if "component_name" not in self.details:
            return short_form(self.method)
        how = null_line(self.details.get("clusters"))
        return f"default: {how}{self.details['n_resamples']} label sets"

    def _effect_line(self, effect: Effect) -> str:
        floor = self.noise_floor if effect.name == "skce" else effect.noise_floor
        text = estimate_text(effect.estimate, effect.interval.low, effect.interval.high)
        remark = f" ({effect.remark})" if effect.remark else ""
        return text + remark + _floor(floor)

    def _estimate_line(self) -> str:
        interval = self.confidence_interval()
        text = estimate_text(self.estimate, interval.low, interval.high)
        name = short_form(self.estimator)
        # the effect of the same name is for the predicted label
        joint = name.startswith("ECE(") and self.n_classes > 2
        of = " (all classes together)" if joint else ""
        return f"{name} = {text}{of}{_floor(self.noise_floor)}"


def _floor(floor: NoiseFloor | None) -> str:
    if floor is None or not floor.n_resamples:
        return ""
    return f"; a calibrated model would show {number(floor.mean)} ± {number(floor.sd)} here"
