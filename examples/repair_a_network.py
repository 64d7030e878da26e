"""
Repair a network, and check the repair
======================================

The test found evidence against calibration. What now? ``repair`` tries several maps, keeps the
simplest one that helps on unseen rows, and says how much it helps.
"""

import tempfile
from pathlib import Path

import calibrant as cal

predictions = cal.demo.load_digits_predictions()["neural_network"]
result = cal.repair(predictions, rng=0)
print(result.verdict)

# %%
# Every candidate was fitted and evaluated on different rows. Leaving the model unchanged is one of
# the candidates.

print(result)

# %%
# Apply the map to new predictions, or save it as a small JSON file that any language can read.

repaired = result.apply(predictions.y_prob)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "calibrator.json"
    result.to_json(path)
    again = cal.recalibration.load(path).predict_proba(predictions.y_prob)
    print(f"{path.stat().st_size} bytes; same probabilities: {bool((again == repaired).all())}")

# %%
# Out-of-fold predictions show what the repair does to new rows: each row was repaired by a map
# fitted to other rows.

after = cal.recalibration.cross_fit(cal.recalibration.Temperature(), predictions)
models = {"before": predictions.y_prob, "after": after}
cal.plots.ReliabilityComparisonDisplay.from_predictions(predictions.y_true, models, rng=0).plot()
