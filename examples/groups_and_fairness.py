"""
Groups and fairness
===================

A model can be calibrated overall and wrong for every group. Here it is over-confident for one
group and under-confident for the other; the errors cancel.
"""

import numpy as np

import calibrant as cal
from calibrant.models import TemperatureModel

women = TemperatureModel(0.5, 4, temperature=1.4).sample(500, rng=0)
men = TemperatureModel(0.5, 4, temperature=0.7).sample(500, rng=1)
y_true, y_prob = (np.concatenate(both) for both in zip(women, men, strict=True))
sex = np.repeat(["women", "men"], 500)
site = np.tile(["A", "B", "C", "D"], 250)

print(cal.calibration_test(y_true, y_prob, rng=0).verdict)

# %%
# ``where`` tests classes, confidence regions and all groups, and adjusts the p-values for the
# number of tests.

places = cal.where(y_true, y_prob, groups={"sex": sex, "site": site}, rng=0)
print(places.verdict)
for finding in places.significant:
    print(finding.describe())

# %%
# Only the groups that are wrong are named; the sites, which are fine, are not. The predictions for
# women:

cal.plots.ReliabilityDisplay.from_predictions(*women, rng=0).plot()

# %%
# And those for men:

cal.plots.ReliabilityDisplay.from_predictions(*men, rng=0).plot()
