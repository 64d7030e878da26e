"""The numbers that gate conditions may use, and checks of their thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from calibrant.cli.gate._grammar import Comparison, Value

if TYPE_CHECKING:
    from calibrant._calibration_test import CalibrationTestResult
    from calibrant._execution import Parallel
    from calibrant._followup.compare import ComparisonResult
    from calibrant._predictions import Predictions
    from calibrant.effects import Effect, Interval, Measure

#: the upper bound of the typical error, in conditions
BOUND = Value("bound")
#: aliases of measures in conditions
_ALIASES = {"tau": "temperature"}
#: differences to the baseline: new − old
DIFFERENCES = ("calibration_loss", "skce", "brier", "log_loss", "accuracy")
_ANYTHING = (-math.inf, math.inf)
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
#: number of label sets for noise floors that the test lacks
_FLOOR_RESAMPLES = 199


def known_values() -> list[Value]:
    """Return all values that a condition can name."""
    rows = _rows()
    values = [Value("p"), BOUND, *map(Value, rows)]
    values += [Value(n, end) for n, row in rows.items() if row.has_interval for end in ("lo", "hi")]
    values += [Value(n, "excess") for n, row in rows.items() if row.estimator is not None]
    return values + [
        Value(f"delta_{name}", part) for name in DIFFERENCES for part in ("", "lo", "hi")
    ]


def numbers_of_test(result: CalibrationTestResult) -> dict[Value, float]:
    """Return the numbers of a calibration test."""
    numbers = {Value("p"): result.pvalue, BOUND: result.upper_bound()}
    for name, row in _rows().items():
        if row.name in result.effects:
            numbers |= _numbers_of(name, row, result.effects[row.name])
    if result.noise_floor is not None:
        excess = result.noise_floor.excess(numbers[Value("skce")])
        numbers[Value("skce", "excess")] = excess
    return numbers


def further_numbers(
    predictions: Predictions, values: Iterable[Value], seed: int, parallel: Parallel
) -> dict[Value, float]:
    """Return the numbers of measures that the test does not report."""
    from calibrant._engine import as_generator, resampler_for

    resampler = resampler_for(predictions, as_generator(seed), stream=4)
    rows, numbers = _rows(), dict[Value, float]()
    for name in dict.fromkeys(value.name for value in values if value.name in rows):
        effect = rows[name].measure(
            predictions, parallel, n_resamples=_FLOOR_RESAMPLES, resampler=resampler
        )
        numbers |= _numbers_of(name, rows[name], effect)
    return numbers


def _rows() -> dict[str, Measure]:
    """Return the measures by name and alias."""
    from calibrant.effects import MEASURES

    rows = {one.name: one for one in MEASURES}
    return rows | {alias: rows[name] for alias, name in _ALIASES.items()}


def _numbers_of(name: str, row: Measure, effect: Effect) -> dict[Value, float]:
    numbers = {Value(name): effect.estimate}
    if row.has_interval:
        numbers |= _ends(name, effect.interval)
    if "excess" in effect.details:
        numbers[Value(name, "excess")] = float(effect.details["excess"])
    return numbers


def difference_numbers(result: ComparisonResult, new: str, old: str) -> dict[Value, float]:
    """Return the differences new − old."""
    numbers = {}
    for measure in DIFFERENCES:
        difference = result.difference(new, old, measure)
        name = f"delta_{measure}"
        numbers[Value(name)] = difference.estimate
        numbers |= _ends(name, difference.interval)
    return numbers


def refusal(comparisons: Iterable[Comparison], n_resamples: int, baseline: bool) -> str | None:
    """Return what is wrong with a condition, before computing anything, or None."""
    known = set(known_values())
    for comparison in comparisons:
        for side in (comparison.left, comparison.right):
            if isinstance(side, Value):
                wrong = _unknown(side, known, baseline)
                if wrong:
                    return wrong
        wrong = _unreachable(comparison, n_resamples)
        if wrong:
            return wrong
    return None


def _ends(name: str, interval: Interval) -> dict[Value, float]:
    return {Value(name, "lo"): interval.low, Value(name, "hi"): interval.high}


def _unknown(value: Value, known: set[Value], baseline: bool) -> str | None:
    if value in known:
        if value.name.startswith("delta_") and not baseline:
            return f"{value} compares with another file: name it with --baseline"
        return None
    parts = sorted(v.part for v in known if v.name == value.name and v.part)
    if parts or value.name in {v.name for v in known}:
        has = ", ".join(parts) or "no parts"
        return f"{value.name} has no part {value.part!r}; it has {has}"
    names = ", ".join(dict.fromkeys(v.name for v in sorted(known, key=str)))
    return f"{value.name!r} is not measured; there are {names}"


def _unreachable(comparison: Comparison, n_resamples: int) -> str | None:
    """Refuse thresholds that a number never or always passes."""
    left, sign, right = comparison.left, comparison.sign, comparison.right
    if isinstance(right, Value):
        left, sign, right = right, _FLIPPED[sign], left
    if not isinstance(left, Value) or isinstance(right, Value) or left.part == "excess":
        return None
    smallest = 1.0 / (1.0 + n_resamples)
    low, high = (smallest, 1.0) if left.name == "p" else _range(left.name)
    never = {">": right >= high, ">=": right > high, "<": right <= low, "<=": right < low}
    always = {"<": right > high, "<=": right >= high, ">": right < low, ">=": right <= low}
    if left.name == "p" and sign in ("<", "<=") and never[sign]:
        needed = (
            f"--resamples {_resamples_for(right, sign)}" if right > 0 else "a threshold above 0"
        )
        return (
            f"p {sign} {right:g} can never be true: with {n_resamples} resamples p is at least "
            f"1/{n_resamples + 1} = {smallest:.3g}. Use {needed}"
        )
    for word, table in (("always", always), ("never", never)):
        if table[sign]:
            hint = ". Write 0.05, not 5" if high <= 2 and right > 1 else ""
            lies = f"{left} lies in [{low:.3g}, {high:g}]"
            return f"{left} {sign} {right:g} is {word} true: {lies}{hint}"
    return None


def _range(name: str) -> tuple[float, float]:
    """Return the range of a number for any data, to catch errors such as 5 for 0.05."""
    rows = _rows()
    if name == BOUND.name:
        name = "rmsce"
    return rows[name].range if name in rows else _ANYTHING


def _resamples_for(threshold: float, sign: str) -> int:
    """Return the first of 9, 99, 999, … that can give such a p-value."""
    n = 9
    while (1 / (n + 1) >= threshold) if sign == "<" else (1 / (n + 1) > threshold):
        n = 10 * n + 9
    return n
