"""The result of a calibration test: numbers, and what they say in words."""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from calibrant._to_frame import to_frame
from calibrant.effects import Effect, Interval, NoiseFloor
from calibrant.effects._interval import number, plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from calibrant._to_frame import Backend
    from calibrant._typing import FloatArray
    from calibrant.estimators import Estimator
    from calibrant.methods import Method

#: the level at which `summary` speaks of evidence
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class CalibrationTestResult:
    """What a calibration test found. A test can speak against calibration, never for it.

    Attributes
    ----------
    estimate : float
        The calibration error that is reported.
    statistic : float
        What was ranked, right-tailed; larger speaks against calibration.
    pvalue : float
        How often a calibrated model would give such a statistic. Never 0 from resampling.
    method : Method
    estimator : Estimator
    n_samples, n_classes : int
    null_distribution : ndarray of shape (n_resamples,) or None
        The statistic on resampled labels.
    noise_floor : NoiseFloor or None
        The estimate that a calibrated model would show on these predictions.
    effects : mapping from name to Effect
        Numbers a person can read, each with an interval: equivalent temperature, root-mean-square
        calibration error, ECE with its noise floor, accuracy, Brier score, log loss.
    details : mapping
        What the method has to say: components, seeds, bounds, every automatic choice.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 4, temperature=2.0)  # over-confident
    >>> result = cal.calibration_test(*model.sample(300, rng=0), rng=0)
    >>> result.pvalue, result.details["direction"]
    (0.001, 'over-confident')
    >>> result.effects["temperature"].interval.low > 1.0
    True
    """

    estimate: float
    statistic: float
    pvalue: float
    method: Method | str
    estimator: Estimator | str
    n_samples: int
    n_classes: int
    null_distribution: FloatArray | None = None
    noise_floor: NoiseFloor | None = None
    effects: Mapping[str, Effect] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def confidence_interval(self, level: float = 0.95) -> Interval:
        """Return an interval for the true SKCE, from the jackknife; its ends are at least 0.

        Unknown (NaN) for other estimators: resampling under calibration tells how large they
        are for a calibrated model, not how far this one is off.
        """
        effect = self.effects.get("skce")
        if effect is None:
            return Interval.unknown(level)
        centre = effect.details.get("centre", effect.estimate)
        if centre is None:  # NaN, after a trip through JSON
            return Interval.unknown(level)
        return Interval.normal(centre, effect.standard_error, level).clip(0.0)

    def summary(self) -> str:
        """Return the verdict and what stands beside it, in plain words."""
        lines = [self._verdict(), "", *self._facts()]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON; method and estimator as code, NaN as None."""
        return {
            "estimate": plain(self.estimate),
            "statistic": plain(self.statistic),
            "pvalue": self.pvalue,
            "method": short_form(self.method),
            "estimator": short_form(self.estimator),
            "n_samples": self.n_samples,
            "n_classes": self.n_classes,
            "null_distribution": plain(self.null_distribution),
            "noise_floor": self.noise_floor and self.noise_floor.to_dict(),
            "effects": {name: effect.to_dict() for name, effect in self.effects.items()},
            "details": plain(self.details),
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> CalibrationTestResult:
        """Read what `to_dict` wrote; method and estimator stay text."""
        known = {f.name for f in fields(cls)}
        if set(table) != known:
            raise ValueError(
                f"not a calibration test result: missing {sorted(known - set(table))}, "
                f"unknown {sorted(set(table) - known)}"
            )
        null, floor = table["null_distribution"], table["noise_floor"]
        values = {
            **table,
            "estimate": number(table["estimate"]),
            "statistic": number(table["statistic"]),
            "null_distribution": None if null is None else np.array(null, dtype=float),
            "noise_floor": None if floor is None else NoiseFloor.from_dict(floor),
            "effects": {name: Effect.from_dict(e) for name, e in table["effects"].items()},
        }
        return cls(**values)

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the numbers as a data frame of one row, so that results can be stacked.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The library of the frame; by default the first of these that is installed.

        Returns
        -------
        DataFrame or Table
            Columns ``estimator``, ``method``, ``estimate`` with ``low`` and ``high`` of its
            interval and the mean ``noise_floor``, ``statistic``, ``pvalue``, ``n_samples``,
            ``n_classes``, ``direction`` (text, may be empty); then, for every effect, its name
            and its name with ``_low`` and ``_high``. NaN is unknown.

        Examples
        --------
        >>> import calibrant as cal
        >>> y_true, y_prob = cal.models.M1(n_classes=3).sample(100, rng=0)
        >>> frame = cal.calibration_test(y_true, y_prob, rng=0).to_frame("pandas")
        >>> frame.shape[0], list(frame.columns[:5])
        (1, ['estimator', 'method', 'estimate', 'low', 'high'])
        """
        return to_frame(self._columns(), backend)

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

    def _repr_html_(self) -> str:
        from html import escape

        head, *rest = self.summary().splitlines()
        return f"<strong>{escape(head)}</strong><pre>{escape(chr(10).join(rest).strip())}</pre>"

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> NoReturn:
        raise TypeError(
            "the truth of a test result is ambiguous; compare `result.pvalue` with your level, "
            "e.g. `result.pvalue <= 0.05`"
        )

    def _verdict(self) -> str:
        against = self.pvalue <= LEVEL
        head = "Evidence against calibration" if against else "No evidence against calibration"
        direction = self.details.get("direction")
        how = f"; the predictions are {direction}" if against and direction else ""
        return f"{head}: p = {_number(self.pvalue)}{how}."

    def _facts(self) -> list[str]:
        rows = [("data", f"{self.n_samples} samples, {self.n_classes} classes")]
        rows.append(("method", short_form(self.method)))
        if "component_name" in self.details and self.pvalue <= LEVEL:
            rows.append(("what spoke", self.details["component_name"]))
        rows.append(("estimate", self._estimate_line()))
        rows.extend((name, _effect_line(e)) for name, e in self.effects.items() if name != "skce")
        detectable = self.details.get("detectable_temperature")
        if detectable:
            rows.append(("detectable", _detectable_line(detectable)))
        impossible = self.details.get("impossible_labels", 0)
        if impossible:
            rows.append(
                (
                    "note",
                    f"{impossible} labels had predicted probability exactly 0: impossible "
                    "under the model, or the file was rounded",
                )
            )
        width = max(len(name) for name, _ in rows)
        return [f"  {name:<{width}}  {text}" for name, text in rows]

    def _estimate_line(self) -> str:
        interval = self.confidence_interval()
        text = f"{short_form(self.estimator)} = {_number(self.estimate)}"
        if interval.is_known:
            text += f" [{_number(interval.low)}, {_number(interval.high)}]"
        return text + _floor(self.noise_floor)


def short_form(configuration: object) -> str:
    """Write a configuration without what is the default: SKCE(), not all of its fields."""
    kind = type(configuration)
    if isinstance(configuration, str):
        return configuration
    parts = [
        f"{f.name}={getattr(configuration, f.name)!r}"
        for f in fields(configuration)  # type: ignore[arg-type]
        if getattr(configuration, f.name) != _default(f)
    ]
    return f"{kind.__name__}({', '.join(parts)})"


def _default(f: Field[Any]) -> Any:
    return f.default if f.default_factory is MISSING else f.default_factory()


def _effect_line(effect: Effect) -> str:
    text = _number(effect.estimate)
    if effect.interval.is_known:
        text += f" [{_number(effect.interval.low)}, {_number(effect.interval.high)}]"
    floor = effect.details.get("noise_floor")
    return text + (_floor(NoiseFloor.from_dict(floor)) if floor else "")


def _floor(floor: NoiseFloor | None) -> str:
    if floor is None or not floor.n_resamples:
        return ""
    return f"; a calibrated model would show {_number(floor.mean)} ± {_number(floor.sd)} here"


def _detectable_line(detectable: Mapping[str, Any]) -> str:
    over, under = detectable["over"], detectable["under"]
    parts = [f"above {over:.3g}" if over else "", f"below {under:.3g}" if under else ""]
    known = " or ".join(part for part in parts if part)
    power = f"{100 * detectable['power']:.0f} %"
    return f"temperatures {known} with {power} power" if known else "hardly anything at this size"


def _number(value: float) -> str:
    return f"{value:.3g}"
