"""What a temperature does for the paper's networks: fitted to one half, measured on the other.

``python -m benchmarks.repair_networks ../shared/paper/cifar10`` prints the table of
docs/howto/repair.rst. Every number is of the half that the temperature has not seen, for the first
5 000 rows to fit; the ECE is that of the predicted label with 15 bins, and its noise floor the mean
of a calibrated model with the repaired predictions.
"""

from __future__ import annotations

import sys
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


def measure(predictions):
    half = len(predictions) // 2
    fitted = Temperature().fit_predictions(predictions.take(slice(0, half)))
    unseen = predictions.take(slice(half, None))
    repaired = cal.Predictions(unseen.y_true, fitted.predict_proba(unseen.y_prob))
    change = log_losses(repaired) - log_losses(unseen)
    error = 1.96 * change.std(ddof=1) / np.sqrt(len(change))
    test = cal.calibration_test(repaired.top_label(), estimator=ECE, method=Exact(999), rng=0)
    null = test.null_distribution
    before, after = (ECE(rows.top_label()) for rows in (unseen, repaired))
    return fitted.temperature, change.mean(), error, before, after, null.mean(), null.std()


def main():
    for name, file in networks(sys.argv[1]):
        tau, change, error, before, after, floor, sd = measure(file.predictions)
        print(f"{name:14} {tau:.2f}  {change:+.4f} ±{error:.4f}  {before:.4f}  {after:.4f}  "
              f"{floor:.4f} ±{sd:.4f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
