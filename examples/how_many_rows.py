"""
How many rows do I need?
========================

A test that finds nothing may have had too few rows. ``rows_needed`` simulates the default test on
predictions like yours and says how many rows it takes to detect an error of a given size.
"""

import calibrant as cal

pilot = cal.demo.load_digits_predictions()["logistic_regression"]
print(cal.calibration_test(pilot, rng=0).verdict)

# %%
# Would 797 rows have shown a temperature of 1.2, that is, logits that are 20 % too large?

print(cal.rows_needed(y_prob=pilot.y_prob, temperature=1.2, power=0.8, rng=0))

# %%
# For each number of rows, the gray region contains the temperatures that go undetected more than
# one time in five.

cal.plots.DetectableDisplay.from_predictions(pilot).plot()
