"""How often tests after a repair reject if a temperature, or nothing, is wrong.

``python -m benchmarks.repair_levels --runs 500`` prints the table of docs/howto/repair.rst: the
share of rejections at 5 % with its standard error. *split*: the map is fitted to one half of the
rows and tested on the other; *pooled*: all out-of-fold rows are tested together.
"""

from __future__ import annotations

import argparse

import numpy as np

import calibrant as cal
from calibrant.methods import Aggregated
from calibrant.models import TemperatureModel
from calibrant.recalibration import (
    ConfidenceCurve,
    Temperature,
    VectorScaling,
    assign_folds,
    cross_fit,
)

SIZES = ((200, 3), (1000, 3), (2000, 10))
TRUTHS = (1.0, 1.6)
TESTS = (
    ("split", Temperature()),
    ("split", VectorScaling()),
    ("pooled", Temperature()),
    ("pooled", VectorScaling()),
    ("split", ConfidenceCurve()),
    ("pooled", ConfidenceCurve()),
)
#: minimum rows for a curve in `calibrant.repair`
FEWEST_ROWS = {"temperature + confidence curve": 1000}


def pvalue(kind, family, predictions, seed):
    if kind == "pooled":
        tested = cal.Predictions(predictions.y_true, cross_fit(family, predictions, seed=seed))
    else:
        fold = assign_folds(predictions.n_samples, 2, seed)
        fitted = family.fit_predictions(predictions.take(fold == 1))
        unseen = predictions.take(fold == 0)
        tested = cal.Predictions(unseen.y_true, fitted.predict_proba(unseen.y_prob))
    method = Aggregated(199)
    return cal.calibration_test(tested, method=method, rng=seed, n_jobs=1, effects=False).pvalue


def main():
    parser = argparse.ArgumentParser(prog="python -m benchmarks.repair_levels", description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--maps", nargs="*", help="names of the maps to fit; all by default")
    parser.add_argument("--rows", type=int, nargs="*", default=[n for n, _ in SIZES])
    parser.add_argument("--temperatures", type=float, nargs="*", default=TRUTHS)
    options = parser.parse_args()
    runs = options.runs
    for n, m in [size for size in SIZES if size[0] in options.rows]:
        tests = [
            (kind, family)
            for kind, family in TESTS
            if options.maps is None or family.name in options.maps
            if n >= FEWEST_ROWS.get(family.name, 0)
        ]
        for truth in options.temperatures:
            model = TemperatureModel(1.0, m, temperature=truth)
            hits = np.zeros(len(tests))
            for seed in range(runs):
                rows = cal.Predictions(*model.sample(n, rng=seed), classes=range(m))
                hits += [pvalue(kind, family, rows, seed) <= 0.05 for kind, family in tests]
            shares = hits / runs
            errors = np.sqrt(shares * (1 - shares) / runs)
            for (kind, family), share, error in zip(tests, shares, errors, strict=True):
                where = f"n={n} m={m} temperature={truth}"
                print(f"{where} {kind} {family.name}: {share:.3f} ±{error:.3f}", flush=True)


if __name__ == "__main__":
    main()
