"""Power of the default test on many alternatives, compared with the best published test.

python -m benchmarks.regret [--runs 100] [--set tuning|further|fresh]
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from benchmarks.alternatives import FRESH, FURTHER, TUNING, draw_labels
from benchmarks.levels import render
from benchmarks.singles import published_statistics
from calibrant import Predictions
from calibrant._engine import LabelResampler, LabelSets
from calibrant._execution import Parallel
from calibrant.estimators import default_bandwidth
from calibrant.methods import (
    WEIGHTS,
    Components,
    combine,
    component_tails,
    family_tails,
    full_families,
    monte_carlo_pvalue,
)

if TYPE_CHECKING:
    from benchmarks.alternatives import Alternative

#: number of label sets, and the significance
RESAMPLES, LEVEL = 199, 0.05
SETS = {"tuning": TUNING, "further": FURTHER, "fresh": FRESH}


def powers(name: str, alternative: Alternative, runs: int, seed: int) -> dict[str, float]:
    """Return the rejection rates of the default test and of published ones."""
    n, m, draw, truth = alternative
    counts: dict[str, int] = {}
    for run in range(runs):
        rng = np.random.default_rng([seed, crc32(name.encode()), run])
        p = draw(n, m, rng)
        predictions = Predictions(draw_labels(truth(p), rng), p, classes=range(m))
        for test, statistic in _statistics(predictions, LabelResampler.from_rng(rng)).items():
            rejected = monte_carlo_pvalue(float(statistic[0]), statistic[1:]) <= LEVEL
            counts[test] = counts.get(test, 0) + int(rejected)
    return {test: count / runs for test, count in counts.items()}


def _statistics(predictions: Predictions, resampler: LabelResampler) -> dict[str, np.ndarray]:
    label_sets = LabelSets.label_sets(predictions, resampler, range(RESAMPLES + 1))
    bandwidth = default_bandwidth(predictions.y_prob)
    families = full_families(predictions, bandwidth, label_sets, Components(), Parallel(1))
    tails = family_tails(component_tails(families))
    published = published_statistics(predictions, label_sets, families)
    return {"default": combine(tails, WEIGHTS)} | published


def main(arguments: list[str] | None = None) -> None:
    """Print one row for every alternative."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.regret", description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--set", choices=SETS, default="tuning", help="which alternatives")
    options = parser.parse_args(arguments)
    rows, regrets = [], []
    for name, alternative in SETS[options.set].items():
        found = powers(name, alternative, options.runs, options.seed)
        default = found.pop("default")
        best = max(found, key=found.__getitem__)
        regrets.append(found[best] - default)
        entries = (default, found[best], regrets[-1])
        rows.append((name, *(f"{entry:.2f}" for entry in entries), best))
    print(render(("alternative", "default", "best published", "regret", "which"), rows))
    error = 0.5 / options.runs**0.5
    print(f"largest {max(regrets):.2f}, mean {np.mean(regrets):.3f}; errors at most {error:.2f}")


if __name__ == "__main__":
    main()
