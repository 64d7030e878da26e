"""
How large is a large ECE?
=========================

The expected calibration error of a perfectly calibrated model is not 0, because bins are noisy. To
see how much of the number is noise, draw labels from the predictions and compute it again.
"""

import numpy as np
from matplotlib import pyplot as plt

import calibrant as cal
from calibrant.models import M1

sizes = (50, 100, 200, 500, 1000, 2000, 5000)
ece = cal.ECE(cal.binning.Uniform(15))
values = [
    np.mean([ece(cal.Predictions(*M1(10).sample(n, rng=seed)).top_label()) for seed in range(20)])
    for n in sizes
]

figure, ax = plt.subplots()
ax.loglog(sizes, values, "o-")
ax.set(xlabel="rows", ylabel="top-label ECE of a calibrated model")

# %%
# So an ECE needs a reference. ``calibration_test`` reports both numbers, and a p-value that is
# exact at every sample size.

network = cal.demo.load_digits_predictions()["neural_network"].top_label()
result = cal.calibration_test(network, estimator=ece, rng=0)
print(f"ECE {result.estimate:.4f}, calibrated: {result.noise_floor.mean:.4f}, p = {result.pvalue}")
cal.plots.NullDistributionDisplay.from_result(result).plot()
