"""
Ordered classes
===============

A pathologist's grades 0 to 4 are ordered. Often the question that matters is "grade 2 or worse?",
and there is one such question for each threshold.
"""

import numpy as np

import calibrant as cal
from calibrant.models import Distorted, LogitShift

# high grades are more frequent than the model says
truth = LogitShift(np.linspace(0.0, 0.8, 5))
y_true, y_prob = Distorted(0.7, 5, truth=truth).sample(1200, rng=0)
predictions = cal.Predictions(y_true, y_prob)
print(cal.calibration_test(predictions, rng=0).verdict)

# %%
# ``at_least(c)`` merges the grades on each side of a threshold.

for grade in range(1, 5):
    view = predictions.at_least(grade)
    print(f"grade {grade} or worse: {cal.effects.bias(view)}")

# %%

cal.plots.ReliabilityDisplay.from_predictions(predictions.at_least(3), rng=0).plot()
