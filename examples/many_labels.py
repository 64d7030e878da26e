"""
Many labels per row
===================

A film may be a comedy, a drama, both or neither. A network with one sigmoid per genre predicts
probabilities that do not sum to 1. Each genre is its own two-class problem, and the genres of a
film depend on each other.
"""

import numpy as np

import calibrant as cal

genres = ["comedy", "drama", "horror", "romance"]
rng = np.random.default_rng(0)
P = rng.uniform(0.1, 0.9, (300, 4))
shared = rng.random((300, 1))  # one draw for all genres of a film
Y = shared < P
Y[:, 2] = shared[:, 0] < P[:, 2] / 2  # horror is half as frequent as predicted

# %%
# Every film becomes a cluster of four two-class predictions. The test covers all genres together.

predictions = cal.Predictions.from_multilabel(Y, P, labels=genres)
print(cal.calibration_test(predictions, rng=0).verdict)

# %%
# ``where`` tests every genre, with p-values adjusted for the number of genres.

groups = cal.Predictions.multilabel_groups(P, labels=genres)
places = cal.where(predictions, groups=groups, rng=0)
for finding in places.significant:
    print(finding.describe())

# %%
# The picture shows the genres side by side.

cal.plots.ClassContributionDisplay.from_result(places, table="label").plot()
