"""Test a classifier, recalibrate it in two ways, test again on fresh data, compare.

The data are split in three: the classifier and CalibratedClassifierCV learn from the first part,
the temperature is taken from the second, and every verdict comes from the third. Rows that a
recalibration has seen would make it look better than it is. Of the two, one helps here and the
other does harm: a recalibrated model needs a test of its own.

    python -m pip install scikit-learn && python examples/recalibrate.py
"""

from __future__ import annotations

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

import calibrant as cal
from calibrant.effects import temperature
from calibrant.models import temperature_scale

NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])


def main() -> None:
    """Print the verdicts before and after, and the comparison."""
    X, digits = load_digits(return_X_y=True)
    X, rest, y, names = train_test_split(X / 16.0, NAMES[digits], train_size=400, random_state=0)
    X_tune, X_test, y_tune, y_test = train_test_split(rest, names, train_size=400, random_state=0)

    raw = LogisticRegression(C=1000.0, max_iter=1000)  # hardly any regularization: over-confident
    scores = cross_val_score(raw, X, y, scoring=cal.SKCE().scorer(), cv=5)
    print(f"cross-validated score (minus the SKCE): {scores.mean():.4f}")
    raw.fit(X, y)
    sigmoid = CalibratedClassifierCV(raw, cv=5).fit(X, y)
    tau = temperature(cal.Predictions.from_estimator(raw, X_tune, y_tune))
    print(f"temperature: {tau.estimate:.2f} [{tau.interval.low:.2f}, {tau.interval.high:.2f}]")

    classes = raw.classes_
    models = {
        "raw": raw.predict_proba(X_test),
        "sigmoid": sigmoid.predict_proba(X_test),
        "temperature": temperature_scale(raw.predict_proba(X_test), tau.estimate),
    }
    for name, y_prob in models.items():
        result = cal.calibration_test(y_test, y_prob, classes=classes, rng=0)
        print(f"{name}: {result.verdict}")

    comparison = cal.compare(y_test, models, reference="raw", classes=classes, rng=0)
    for name in ("sigmoid", "temperature"):
        for measure in ("calibration_loss", "log_loss"):
            difference = comparison.difference("raw", name, measure)
            low, high = difference.interval.low, difference.interval.high
            print(f"raw - {name}, {measure}: {difference.estimate:.4f} [{low:.4f}, {high:.4f}]")


if __name__ == "__main__":
    main()
