"""
With scikit-learn: recalibrate, and test again
==============================================

We split the data into three parts. The classifier and ``CalibratedClassifierCV`` learn from the
first part, the temperature is fitted to the second, and every verdict comes from the third, because
a recalibration looks better than it is on rows that it has seen. Of the two repairs, one helps here
and the other does harm.
"""

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score, train_test_split

import calibrant as cal
from calibrant.recalibration import Temperature

NAMES = np.array(["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"])
X, digits = load_digits(return_X_y=True)
X, rest, y, names = train_test_split(X / 16.0, NAMES[digits], train_size=400, random_state=0)
X_tune, X_test, y_tune, y_test = train_test_split(rest, names, train_size=400, random_state=0)

# %%
# Every calibration error has a scorer for scikit-learn, where greater is better, so the score is
# minus the error.

raw = LogisticRegression(C=1000.0, max_iter=1000)  # hardly any regularization: over-confident
scores = cross_val_score(raw, X, y, scoring=cal.SKCE().scorer(), cv=5)
print(f"cross-validated score (minus the SKCE): {scores.mean():.4f}")

# %%
# Recalibrate in two ways.

raw.fit(X, y)
sigmoid = CalibratedClassifierCV(raw, cv=5).fit(X, y)
tune = cal.Predictions.from_estimator(raw, X_tune, y_tune)
print(cal.effects.temperature(tune))
temperature = Temperature().fit(tune.y_prob, tune.y_true)

# %%
# Test all three on fresh rows, and compare.

classes = raw.classes_
models = {
    "raw": raw.predict_proba(X_test),
    "sigmoid": sigmoid.predict_proba(X_test),
    "temperature": temperature.predict_proba(raw.predict_proba(X_test)),
}
for name, y_prob in models.items():
    print(f"{name}: {cal.calibration_test(y_test, y_prob, classes=classes, rng=0).verdict}")

comparison = cal.compare(y_test, models, reference="raw", classes=classes, rng=0)
print(comparison.verdict)
cal.plots.ComparisonDisplay.from_result(comparison).plot()
