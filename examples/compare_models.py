"""
Which model is better calibrated?
=================================

Four digit classifiers predicted the same rows. ``compare`` makes paired comparisons and adjusts for
the number of pairs.
"""

import calibrant as cal

models = cal.demo.load_digits_predictions()
result = cal.compare(models, reference="neural_network", rng=0)
print(result.verdict)
print(*result.highlights, sep="\n")

# %%
# ``print(result)`` shows the whole table, and so does this picture. Calibration loss is the part of
# the log loss that a repair would remove; refinement is the rest. A model can be well calibrated
# and know little.

cal.plots.ComparisonDisplay.from_result(result).plot()

# %%
# Two models in one picture:

pair = {name: models[name].y_prob for name in ("neural_network", "neural_network_scaled")}
y_true = models["neural_network"].y_true
cal.plots.ReliabilityComparisonDisplay.from_predictions(y_true, pair, rng=0).plot()
