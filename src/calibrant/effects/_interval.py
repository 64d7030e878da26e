"""Effect sizes and their confidence intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

from calibrant._output import Plain, Rate, estimate_text
from calibrant.effects._noise_floor import NoiseFloor


@dataclass(frozen=True, eq=False)
class Interval(Plain):
    """A confidence interval from `low` to `high`; both ends are NaN if it is unknown.

    Unknown intervals of the same `confidence_level` are equal. Infinite ends are allowed.

    Parameters
    ----------
    low, high : float
        The ends, low ≤ high, or both NaN.
    confidence_level : float in (0, 1), default 0.95
        The coverage: how often such intervals contain the true value.

    Examples
    --------
    >>> from calibrant.effects import Interval
    >>> 1.0 in Interval(0.9, 1.2), 1.0 in Interval.unknown()
    (True, False)

    Nothing is contained in an unknown interval.
    """

    low: float
    high: float
    confidence_level: Rate = 0.95

    def __post_init__(self) -> None:
        check_confidence_level(self.confidence_level)
        if math.isnan(self.low) != math.isnan(self.high) or self.low > self.high:
            raise ValueError(
                f"`low` must not exceed `high`, and both or none may be NaN; got {self.low} and "
                f"{self.high}. Use `Interval.unknown(confidence_level)` if there is no interval."
            )
        for name in ("low", "high", "confidence_level"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @classmethod
    def unknown(cls, confidence_level: float = 0.95) -> Interval:
        """Return an interval whose ends are unknown (NaN)."""
        return cls(math.nan, math.nan, confidence_level)

    @classmethod
    def normal(
        cls, center: float, standard_error: float, confidence_level: float = 0.95
    ) -> Interval:
        """Return center ± z·standard_error; unknown if either is not finite."""
        if not (math.isfinite(center) and math.isfinite(standard_error)):
            return cls.unknown(confidence_level)
        half = normal_quantile(confidence_level) * standard_error
        return cls(center - half, center + half, confidence_level)

    @property
    def is_known(self) -> bool:
        """Whether the interval is known."""
        return not math.isnan(self.low)

    def clip(self, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Return the interval with both ends clipped to the range [low, high] of the true value."""
        if not self.is_known:
            return self
        ends = [min(max(end, low), high) for end in (self.low, self.high)]
        return Interval(ends[0], ends[1], self.confidence_level)

    def holding(self, value: float) -> Interval:
        """Return the interval, extended if necessary to contain `value`."""
        if not self.is_known or value in self:
            return self
        low, high = min(self.low, value), max(self.high, value)
        return Interval(low, high, self.confidence_level)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.to_dict().values()))


@dataclass(frozen=True, eq=False)
class Effect(Plain):
    """An effect size: estimate, interval, and their meaning in words.

    Parameters
    ----------
    name : str
        Short name, for example ``"temperature"``.
    estimate : float
        The estimate; NaN if unknown, infinite if that is the value.
    interval : Interval
        The confidence interval.
    meaning : str
        What the number measures, its unit and its neutral value.
    standard_error : float, default NaN
        The standard error of the estimate.
    note : str, default ""
        Why an estimate or interval is missing, at a bound, or needs caution.
    details : mapping, optional
        Additional numbers, strings, lists and dicts.

    Examples
    --------
    >>> from calibrant.effects import Effect, Interval
    >>> effect = Effect("accuracy", 0.5, Interval.unknown(), "share of hits", note="one row")
    >>> effect.to_dict()["interval"]
    {'low': None, 'high': None, 'confidence_level': 0.95}
    >>> Effect.from_dict(effect.to_dict()) == effect
    True

    Unknown values survive a round trip through JSON.

    >>> print(Effect("bias", 0.021, Interval(0.013, 0.029), "predicted minus observed"))
    bias 0.021 [0.013, 0.029]
    """

    name: str
    estimate: float
    interval: Interval
    meaning: str
    standard_error: float = math.nan
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "estimate", float(self.estimate))
        object.__setattr__(self, "standard_error", float(self.standard_error))

    @property
    def noise_floor(self) -> NoiseFloor | None:
        """The noise floor of the estimate, if it is among the details."""
        floor = self.details.get("noise_floor")
        return None if floor is None else NoiseFloor.from_dict(floor)

    @property
    def remark(self) -> str:
        """An addition to the number: its class, or its value on another scale."""
        return str(self.details.get("remark") or "")

    def __str__(self) -> str:
        text = estimate_text(self.estimate, self.interval.low, self.interval.high)
        asides = [f" ({aside})" for aside in (self.remark, self.note) if aside]
        return f"{self.name} {text}{''.join(asides)}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Effect) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.interval))


def normal_quantile(confidence_level: float) -> float:
    """Return z with P(|Z| ≤ z) = confidence_level for normal Z; z² is the quantile of χ²_1."""
    return NormalDist().inv_cdf(0.5 + 0.5 * confidence_level)


def check_confidence_level(confidence_level: float) -> None:
    """Raise ValueError unless the confidence level is in (0, 1)."""
    if not 0.0 < confidence_level < 1.0:
        percent = 1.0 < confidence_level < 100.0
        remedy = f" Did you mean {confidence_level / 100}?" if percent else ""
        raise ValueError(
            "`confidence_level` must be in (0, 1), for example 0.95; "
            f"got {confidence_level}.{remedy}"
        )
