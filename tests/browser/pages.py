"""The reports for the browser tests."""

from functools import cache

import numpy as np

import calibrant as cal

FEW = {"n_resamples": 59, "rng": 0}
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><svg onload=alert(2)>',
    "a" * 60 + " b\N{RIGHT-TO-LEFT OVERRIDE}c",
)
KINDS = ("2", "3", "10", "1000", "models", "demo", "hostile")


@cache
def sample(m, n=300):
    alpha = 0.5 if m < 100 else 0.02
    return cal.models.TemperatureModel(alpha, m, temperature=1.7).sample(n, rng=0)


@cache
def make(kind):
    """Return the report of a kind: a number of classes, three models, or hostile names."""
    if kind == "demo":
        data = "797 handwritten digits"
        return cal.Report(
            None, cal.demo.load_digits_predictions(), repair=True, dataset=data, **FEW
        )
    if kind == "models":
        y, p = sample(10)
        scaled = {f"scaled by {t}": cal.models.temperature_scale(p, t) for t in (1.7, 4.0)}
        groups = {"site": np.array(["north", "south", "west"])[np.arange(300) % 3]}
        return cal.Report(y, {"raw": p, **scaled}, groups=groups, **FEW)
    if kind == "hostile":
        y, p = sample(3)
        names = np.array(HOSTILE, dtype=object)
        predictions = cal.Predictions(names[y], p, classes=HOSTILE)
        groups = {"<b>": np.array(["<i>x</i>", "]]>"] * 150)}
        models = {HOSTILE[0]: predictions}
        return cal.Report(None, models, groups=groups, title=HOSTILE[1], **FEW)
    if kind == "2":  # rows in two bins only: all others are empty
        p = np.repeat([0.1, 0.9], 100)
        y = np.arange(200) % 10 < np.repeat([1, 8], 100)
        return cal.Report(y, p, classes=["no", "yes"], **FEW)
    return cal.Report(*sample(int(kind), 500 if kind == "1000" else 300), **FEW)
