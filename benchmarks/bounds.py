"""How often the upper bound of the typical error holds the truth.

For calibrated, shifted and over-confident models: how often the true root-mean-square error of the
event is at most `upper_bound`, and the median bound.

python -m benchmarks.bounds [--runs 500]
"""

from __future__ import annotations

import argparse
from math import sqrt
from zlib import crc32

import numpy as np

from benchmarks.levels import render
from calibrant import Predictions
from calibrant._predictions import event_classes
from calibrant.effects import rmsce, upper_bound
from calibrant.models import M1, Distorted, GenerativeModel, LogitShift, TemperatureModel

#: rows that represent the population, and bins so fine that errors hardly change within them
POPULATION, FINE = 400_000, 1000
CONFIDENCE_LEVEL = 0.95


def models(n_classes: int) -> dict[str, GenerativeModel]:
    """Return the models by name."""
    alpha = 1.0 if n_classes == 2 else 0.3
    shift = np.zeros(n_classes)
    shift[-1] = 0.5 if n_classes == 2 else 1.5
    return {
        "calibrated": M1(n_classes, alpha),
        "shifted": Distorted(alpha, n_classes, truth=LogitShift(shift)),
        "temperature 1.3": TemperatureModel(alpha, n_classes, temperature=1.3),
    }


def true_error(model: GenerativeModel) -> float:
    """Return the root-mean-square difference between the event's probability and frequency."""
    y_true, y_prob = model.sample(POPULATION, rng=0)
    truth = model.calibration_function(y_prob)
    event = event_classes(Predictions(y_true, y_prob))
    at = np.arange(POPULATION), event
    order = np.argsort(y_prob[at])
    gap = (y_prob[at] - truth[at])[order].reshape(FINE, -1).mean(axis=1)
    return float(sqrt(np.mean(gap**2)))


def main(arguments: list[str] | None = None) -> None:
    """Print a row for every cell."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bounds", description=__doc__)
    parser.add_argument("--runs", type=int, default=500, help="of each cell")
    options = parser.parse_args(arguments)
    table = []
    for m in (2, 10):
        for name, model in models(m).items():
            truth = true_error(model)
            for n in (250, 2000):
                bounds = np.array([
                    upper_bound(
                        rmsce(Predictions(*model.sample(n, rng=[crc32(name.encode()), m, n, run]))),
                        CONFIDENCE_LEVEL,
                    )
                    for run in range(options.runs)
                ])  # fmt: skip
                share = float(np.mean(bounds >= truth))
                error = sqrt(max(share * (1.0 - share), 1.0 / options.runs) / options.runs)
                entries = (f"{share:.3f} ±{error:.3f}", f"{truth:.4f}", f"{np.median(bounds):.4f}")
                table.append((name, str(m), str(n), *entries))
    head = ("model", "classes", "rows", "bound holds the truth", "truth", "median bound")
    print(render(head, table))


if __name__ == "__main__":
    main()
