"""
A thousand classes
==================

ImageNet has a thousand classes. Here a model of that size is over-confident by a temperature of
1.2. We test whole rows first, then ask smaller questions through lenses.
"""

import calibrant as cal
from calibrant.models import TemperatureModel

y_true, y_prob = TemperatureModel(0.005, n_classes=1000, temperature=1.2).sample(1500, rng=0)
predictions = cal.Predictions(y_true, y_prob)

# %%
# The default test needs no tuning for many classes.

method = cal.methods.Aggregated(n_resamples=99)
result = cal.calibration_test(predictions, method=method, rng=0)
print(result.verdict)

# %%
# Most applications look at the best label, or at the best five. A lens turns the predictions into
# predictions for such a question.

questions = {
    "is the best label as likely as stated?": predictions.top_label(),
    "are the best five, one by one?": predictions.top_k(5),
    "is class 7?": predictions.one_vs_rest(7),
}
for question, view in questions.items():
    pvalue = cal.calibration_test(view, method=method, rng=0, effects=False).pvalue
    print(f"{question:40} p = {pvalue:.3f}")

# %%
# The error is in the confidence, and a single class out of a thousand has too few rows to show it.

cal.plots.ReliabilityDisplay.from_predictions(predictions, rng=0).plot()
