"""
Rare events
===========

One row in fifty is positive, and every predicted risk is twice as high as it should be. On the
usual axes all points are in one corner; logit axes spread them out.
"""

import numpy as np

import calibrant as cal

rng = np.random.default_rng(0)
risk = rng.beta(0.4, 10.0, size=20_000)  # about 4 % on average
y_true = rng.random(20_000) < risk / 2.0  # half of that is true

# %%
# The verdict names what is wrong, the bias: the mean prediction minus the frequency. For two
# classes there is also the ratio of observed to expected events.

result = cal.calibration_test(y_true, risk, rng=0)
print(result.verdict)
ratio = result.effects["bias"].details["observed_expected"]
print(f"observed/expected {ratio['estimate']:.2f} [{ratio['low']:.2f}, {ratio['high']:.2f}]")

# %%
# Accuracy would not have shown it: predicting "negative" for every row is nearly always right.

print(f"{result.effects['accuracy'].estimate:.3f}")

# %%
# On logit axes, the error is a nearly constant distance from the diagonal.

display = cal.plots.ReliabilityDisplay.from_predictions(y_true, risk, scale="logit", rng=0)
print(display.describe())
display.plot()
