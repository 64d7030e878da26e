"""
A figure from the paper
=======================

Widmann, Lindsten and Zachariah (2019) compare estimators on simulated models whose true error is
known. This is a small version of their first figure; ``calibrant paper errors`` makes the full one
with 10,000 data sets.
"""

import numpy as np
from matplotlib import pyplot as plt

import calibrant as cal
from calibrant.models import M1, M2, M3

models = {"M1, calibrated": M1(10), "M2": M2(10), "M3": M3(10)}
estimators = {
    "unbiased SKCE": cal.SKCE(cal.kernels.Laplacian(0.5)),
    "ECE, 10 uniform bins": cal.ECE(cal.binning.Uniform(10)),
}

figure, panels = plt.subplots(2, 3, figsize=(9, 5), layout="constrained", sharex="row")
for row, (name, estimator) in zip(panels, estimators.items(), strict=True):
    for ax, (title, model) in zip(row, models.items(), strict=True):
        data = [cal.Predictions(*model.sample(250, rng=seed)) for seed in range(200)]
        ax.hist([estimator(predictions) for predictions in data], bins=20)
        if name.startswith("ECE"):
            ax.axvline(model.ece(), color="black", linestyle="--", label="truth")
            ax.legend(frameon=False)
        ax.set(title=title if ax in panels[0] else "", xlabel=name, yticks=[])

# %%
# The unbiased SKCE of the calibrated model scatters around 0. Its ECE is far from its true value 0:
# with 250 rows and ten classes nearly every row is alone in its bin.

values = [cal.SKCE()(*M1(10).sample(250, rng=seed)) for seed in range(200)]
print(f"mean SKCE of M1: {np.mean(values):.1e} ± {np.std(values) / np.sqrt(200):.1e}")
