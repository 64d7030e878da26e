"""Small reports for the laws that all of them keep."""

from functools import cache

import numpy as np
import pytest

import calibrant as cal

#: few label sets: the numbers are rough, the page is the same
FEW = 59
HOSTILE = (
    "</script><img src=x onerror=alert(1)>",
    '"><style>*{display:none}</style>',
    "=HYPERLINK('http://evil')",
)


@cache
def predictions(m, n=300, temperature=1.7, classes=None, seed=0):
    y, p = cal.models.TemperatureModel(0.5, m, temperature=temperature).sample(n, rng=seed)
    if classes is None:
        return cal.Predictions(y, p)
    return cal.Predictions(np.array(classes, dtype=object)[y], p, classes=classes)


@cache
def make_report(kind):
    few = {"n_resamples": FEW, "rng": 0}
    if kind == "hostile":
        hostile = predictions(3, classes=HOSTILE)
        scaled = cal.models.temperature_scale(hostile.y_prob, 1.7)
        labels = hostile.labels
        models = {
            HOSTILE[0]: hostile,
            "{{ 7331*7 }}": cal.Predictions(labels, scaled, classes=HOSTILE),
            "a\nb": cal.Predictions(labels, hostile.y_prob, classes=HOSTILE),
        }
        groups = {"<b>site</b>": np.array(["<i>x</i>", "]]>"] * 150)}
        return cal.Report(None, models, groups=groups, title="<b>t</b>", **few)
    if kind == "repair":
        one = predictions(3, n=600)
        scaled = cal.models.temperature_scale(one.y_prob, 1.7)
        return cal.Report(one.y_true, {"raw": one.y_prob, "scaled": scaled}, repair=True, **few)
    if kind == "models":
        one = predictions(10)
        scaled = cal.models.temperature_scale(one.y_prob, 1.7)
        flat = cal.models.temperature_scale(one.y_prob, 4.0)
        probs = {"raw": one.y_prob, "scaled": scaled, "flat": flat}
        groups = {"site": np.arange(300) % 3}
        return cal.Report(one.y_true, probs, groups=groups, **few)
    return cal.Report(predictions(int(kind)), **few)


@pytest.fixture
def few():
    return FEW


@pytest.fixture(params=["2", "3", "10", "models", "repair", "hostile"])
def report(request):
    return make_report(request.param)
