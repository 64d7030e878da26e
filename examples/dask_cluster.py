"""
The same bits on a cluster
==========================

Sums over all pairs of a million rows take a while. Pass a Dask client, and the workers share the
work. With any number of workers, every bit of the result is the same.
"""

from distributed import Client, LocalCluster

import calibrant as cal
from calibrant.models import TemperatureModel

y_true, y_prob = TemperatureModel(0.1, n_classes=10, temperature=1.2).sample(3000, rng=0)
estimator, method = cal.SKCE(), cal.methods.Exact(n_resamples=99)
options = {"estimator": estimator, "method": method, "rng": 0, "effects": False}

here = cal.calibration_test(y_true, y_prob, **options)
with (
    LocalCluster(2, processes=False, threads_per_worker=1, dashboard_address=None) as cluster,
    Client(cluster) as client,
):
    there = cal.calibration_test(y_true, y_prob, executor=client, **options)

print(here.verdict)
print(f"same statistic: {here.statistic == there.statistic}")
print(f"same p-value: {here.pvalue == there.pvalue}")

# %%
# The observed statistic, compared with those of 99 label sets that a calibrated model could have
# produced:

cal.plots.NullDistributionDisplay.from_result(there).plot()

# %%
# How long would it take? ``estimate_cost`` measures this machine and extrapolates.

print(cal.estimate_cost(1_000_000, 10, estimator=estimator, method=method))
