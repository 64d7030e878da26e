"""
Repair a network, and prove it
==============================

The test found evidence against calibration. What now? ``repair`` tries several maps, keeps the
simplest that helps on rows it has not seen, and says how much it helps.
"""

import tempfile
from pathlib import Path

import calibrant as cal

predictions = cal.demo.load_digits_predictions()["neural_network"]
result = cal.repair(predictions, rng=0)
print(result.verdict)

# %%
# Every candidate was fitted and judged on different rows. Doing nothing is a candidate, too, and
# wins where nothing helps.

print(result)

# %%
# Apply the map to new predictions, or hand it over as a small JSON file that any language can read.

repaired = result.apply(predictions.y_prob)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "calibrator.json"
    result.to_json(path)
    again = cal.recalibration.load(path).predict_proba(predictions.y_prob)
    print(f"{path.stat().st_size} bytes; same probabilities: {bool((again == repaired).all())}")

# %%
# Out-of-fold predictions show the network after the repair as new rows would: each row was repaired
# by a map fitted to other rows.

after = cal.recalibration.cross_fit(cal.recalibration.Temperature(), predictions)
models = {"before": predictions.y_prob, "after": after}
cal.plots.ReliabilityComparisonDisplay.from_predictions(predictions.y_true, models, rng=0).plot()
