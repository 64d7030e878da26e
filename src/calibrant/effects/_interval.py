"""A number that a person can read, with the interval that says how well it is known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any


@dataclass(frozen=True, eq=False)
class Interval:
    """A confidence interval from `low` to `high`; both ends NaN where none could be given.

    Two unknown intervals of the same level are equal. Infinite ends are allowed.

    Parameters
    ----------
    low, high : float
        The ends, low ≤ high, or both NaN.
    level : float in (0, 1), default 0.95
        How often such intervals cover the truth.

    Examples
    --------
    >>> from calibrant.effects import Interval
    >>> 1.0 in Interval(0.9, 1.2), 1.0 in Interval.unknown()
    (True, False)

    An unknown interval holds nothing.
    """

    low: float
    high: float
    level: float = 0.95

    def __post_init__(self) -> None:
        check_level(self.level)
        if math.isnan(self.low) != math.isnan(self.high) or self.low > self.high:
            raise ValueError(
                f"`low` must not exceed `high`, and both or none may be NaN; got {self.low} and "
                f"{self.high}. Use `Interval.unknown(level)` where there is no interval."
            )
        for name in ("low", "high", "level"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @classmethod
    def unknown(cls, level: float = 0.95) -> Interval:
        """Return the interval of which nothing is known."""
        return cls(math.nan, math.nan, level)

    @classmethod
    def normal(cls, centre: float, standard_error: float, level: float = 0.95) -> Interval:
        """Return centre ± z·standard_error, unknown where either is not finite."""
        if not (math.isfinite(centre) and math.isfinite(standard_error)):
            return cls.unknown(level)
        half = normal_quantile(level) * standard_error
        return cls(centre - half, centre + half, level)

    @property
    def is_known(self) -> bool:
        """Whether there is an interval."""
        return not math.isnan(self.low)

    def clip(self, low: float = -math.inf, high: float = math.inf) -> Interval:
        """Return the interval with both ends moved into [low, high], the range of the truth."""
        if not self.is_known:
            return self
        ends = [min(max(end, low), high) for end in (self.low, self.high)]
        return Interval(ends[0], ends[1], self.level)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: NaN becomes None, infinities the strings "inf" and "-inf"."""
        return {name: plain(getattr(self, name)) for name in ("low", "high", "level")}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Interval:
        """Read what `to_dict` wrote."""
        return cls(number(table["low"]), number(table["high"]), number(table["level"]))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(tuple(self.to_dict().values()))


@dataclass(frozen=True, eq=False)
class Effect:
    """An effect size: estimate, interval, and what they mean in words.

    Parameters
    ----------
    name : str
        Short name, for example ``"temperature"``.
    estimate : float
        NaN where the data say nothing, infinite where that is the value.
    interval : Interval
    meaning : str
        What the number measures, its unit and its neutral value.
    standard_error : float, default NaN
    note : str, default ""
        Why an estimate or interval is missing, at a bound, or to be read with care.
    details : mapping, optional
        Further numbers, strings, lists and dicts.

    Examples
    --------
    >>> from calibrant.effects import Effect, Interval
    >>> effect = Effect("accuracy", 0.5, Interval.unknown(), "share of hits", note="one row")
    >>> effect.to_dict()["interval"]
    {'low': None, 'high': None, 'level': 0.95}
    >>> Effect.from_dict(effect.to_dict()) == effect
    True

    What is unknown survives a trip through JSON.
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that strict JSON can hold; see `Interval.to_dict`."""
        return {
            "name": self.name,
            "estimate": plain(self.estimate),
            "interval": self.interval.to_dict(),
            "meaning": self.meaning,
            "standard_error": plain(self.standard_error),
            "note": self.note,
            "details": plain(self.details),
        }

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Effect:
        """Read what `to_dict` wrote; numbers in `details` that are not finite stay as written."""
        return cls(
            table["name"],
            number(table["estimate"]),
            Interval.from_dict(table["interval"]),
            table["meaning"],
            number(table["standard_error"]),
            table["note"],
            table["details"],
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Effect) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.name, self.interval))


def normal_quantile(level: float) -> float:
    """Return z with P(|Z| ≤ z) = level for a standard normal Z; z² is the quantile of χ²_1."""
    return NormalDist().inv_cdf(0.5 + 0.5 * level)


def check_level(level: float) -> None:
    """Refuse a level outside (0, 1)."""
    if not 0.0 < level < 1.0:
        remedy = f" Did you mean {level / 100}?" if 1.0 < level < 100.0 else ""
        raise ValueError(f"`level` must be in (0, 1), for example 0.95; got {level}.{remedy}")


def plain(value: Any) -> Any:
    """Return numbers, mappings and sequences as values of strict JSON."""
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if hasattr(value, "tolist"):  # NumPy numbers and arrays
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return value


def number(value: Any) -> float:
    """Read a number that `plain` wrote."""
    return math.nan if value is None else float(value)
