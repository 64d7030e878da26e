"""
A risk model with two classes
=============================

A logistic regression predicts whether a tumor is malignant. Before anyone acts on a predicted risk
of 30 %, we ask whether about 30 of 100 such tumors are malignant.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

import calibrant as cal

X, benign = load_breast_cancer(return_X_y=True)
malignant = 1 - benign
X, X_test, y, y_test = train_test_split(X[:, :3], malignant, test_size=0.5, random_state=0)
risk = LogisticRegression(max_iter=1000).fit(X, y).predict_proba(X_test)[:, 1]

# %%
# A vector of probabilities is P(positive class). The first line is the answer; the rest says how
# large the error is and what these 285 rows could have shown.

result = cal.calibration_test(y_test, risk, rng=0)
print(result)

# %%
# Clinicians ask for three numbers: does the model predict too many or too few cases overall (the
# bias), and are the predictions too extreme or too moderate (slope and intercept)? A calibrated
# model has bias 0, slope 1 and intercept 0.

for name in ("bias", "slope", "intercept"):
    print(result.effects[name])

# %%
# The curve shows the observed frequency at every predicted risk. Noise alone explains a curve that
# stays in the gray area.

display = cal.plots.ReliabilityDisplay.from_predictions(y_test, risk, rng=0)
print(display.describe())
display.plot()

# %%
# Is the model good enough to use? With 95 % confidence its typical error is below this bound:

print(f"{result.upper_bound():.3f}")
