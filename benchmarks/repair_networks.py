"""The effect of a repair on the paper's networks: fitted to one half, measured on the other.

``python -m benchmarks.repair_networks ../shared/paper/cifar10`` prints the table of
docs/howto/repair.rst: a temperature, and the choice of `calibrant.repair`. Every number is for
the half that the map was not fitted to. The ECE is that of the predicted label with 15 bins; its
noise floor is the mean for a calibrated model with the repaired predictions. Fitting to the second
half, and to random halves, shows the variation by chance.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import calibrant as cal
from calibrant.binning import Uniform
from calibrant.io import read_predictions
from calibrant.methods import Exact
from calibrant.recalibration import Temperature

ECE = cal.ECE(Uniform(15))


def networks(folder):
    for path in sorted(Path(folder).glob("*.csv.gz")):
        if path.name != "labels.csv.gz":
            labels = str(Path(folder) / "labels.csv.gz")
            options = {"labels": labels, "one_based": True, "header": None, "normalize": True}
            yield path.name.removesuffix(".csv.gz"), read_predictions(str(path), **options)


def log_losses(predictions):
    return -np.log(predictions.y_prob[np.arange(len(predictions)), predictions.y_true])


def measure(unseen, fitted):
    repaired = cal.Predictions(unseen.y_true, fitted.predict_proba(unseen.y_prob))
    change = log_losses(repaired) - log_losses(unseen)
    error = 1.96 * change.std(ddof=1) / np.sqrt(len(change))
    test = cal.calibration_test(repaired.top_label(), estimator=ECE, method=Exact(999), rng=0)
    null = test.null_distribution
    before, after = (ECE(rows.top_label()) for rows in (unseen, repaired))
    return change.mean(), error, before, after, null.mean(), null.std()


def splits(n, count):
    """Yield the rows to fit: the first half, the second, and random halves."""
    first = np.arange(n) < n // 2
    yield "first half", first
    yield "second half", ~first
    for seed in range(count):
        yield f"random half {seed}", np.random.default_rng(seed).permutation(first)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--random", type=int, default=2, help="how many random halves")
    options = parser.parse_args()
    for name, file in networks(options.folder):
        for split, fit in splits(len(file.predictions), options.random):
            seen = file.predictions.take(np.flatnonzero(fit))
            unseen = file.predictions.take(np.flatnonzero(~fit))
            temperature, repair = Temperature().fit_predictions(seen), cal.repair(seen, rng=0)
            for what, fitted in (
                (f"temperature {temperature.temperature:.2f}", temperature),
                (repair.chosen, repair.calibrator.map),
            ):
                change, error, before, after, floor, sd = measure(unseen, fitted)
                print(f"{name:12} {split:13} {what:34} {change:+.4f} ±{error:.4f}  {before:.4f}  "
                      f"{after:.4f}  {floor:.4f} ±{sd:.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
