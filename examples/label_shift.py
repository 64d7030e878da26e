"""
Base rates that changed
=======================

A model was trained on data in which both classes were equally frequent, and is used where one is
rare. Its probabilities are then wrong in a known way, and you can repair them without new labels.
"""

import numpy as np

import calibrant as cal
from calibrant.recalibration import ClassPrior

rng = np.random.default_rng(0)
y_true = (rng.random(4000) < 0.1).astype(int)  # 10 % positive in use
score = rng.normal(loc=1.5 * y_true)
# the posterior probability for equally frequent classes
logit = 1.5 * score - 1.5**2 / 2.0
y_prob = 1.0 / (1.0 + np.exp(-logit))

print(cal.calibration_test(y_true, y_prob, rng=0).verdict)

# %%
# If the new base rates are known, the repair is exact.

known = ClassPrior().from_rates(source=[0.5, 0.5], target=[0.9, 0.1])
repaired = known.predict_proba(np.c_[1.0 - y_prob, y_prob])
print(cal.calibration_test(y_true, repaired, rng=0).verdict)

# %%
# If they are unknown, the predictions reveal them (the EM algorithm of Saerens, Latinne and
# Decaestecker). No labels are used.

adapted = ClassPrior().adapt(np.c_[1.0 - y_prob, y_prob], source=[0.5, 0.5])
guessed = adapted.predict_proba(np.c_[1.0 - y_prob, y_prob])
print(f"estimated base rate: {guessed[:, 1].mean():.3f}, observed {y_true.mean():.3f}")

# %%

models = {"as trained": y_prob, "new base rates": repaired[:, 1]}
cal.plots.ReliabilityComparisonDisplay.from_predictions(y_true, models, rng=0).plot()
