"""Models to compare, and their comparison by definition."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.effects import RepairGain
from calibrant.models import temperature_scale

MEASURES = ("calibration_loss", "refinement", "log_loss", "skce", "brier", "accuracy")
REPAIRED = ("calibration_loss", "refinement")
Z95 = 1.959963984540054
each_measure = pytest.mark.parametrize("measure", MEASURES)
#: margins that are small and large in the unit of their measure
NARROW, WIDE = dict.fromkeys(MEASURES, 1e-6), dict.fromkeys(MEASURES, 0.3)


def models(seed, n, m, k=2):
    """Labels and k predictions that resemble each other, none of them certain."""
    rng = np.random.default_rng(seed)
    y, base = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    others = [0.7 * base + 0.3 * rng.dirichlet(np.ones(m), n) for _ in range(k - 1)]
    return y, dict(zip("abcdef", [base, *others], strict=False))


def scores(predictions, measure):
    """What each row scores, as its definition."""
    p, y = predictions.y_prob, predictions.y_true
    if measure in REPAIRED:
        gained = RepairGain.of(predictions).chosen[0]
        return gained if measure == "calibration_loss" else scores(predictions, "log_loss") - gained
    return {
        "brier": ((np.eye(p.shape[1])[y] - p) ** 2).sum(axis=1),
        "log_loss": -np.log(p[np.arange(len(y)), y]),
        "accuracy": (p.argmax(axis=1) == y).astype(float),
    }[measure]


def truth_and_models():
    """Three points of two classes, truth at temperature 3, and their tempered versions."""
    points = np.array([[0.02, 0.98], [0.6, 0.4], [0.9, 0.1]])
    return temperature_scale(points, 3.0), {"raw": points, "half": temperature_scale(points, 1.6)}


def one_pair():
    y, p = cal.models.TemperatureModel(0.5, 3, temperature=3.0).sample(400, rng=0)
    return y, {"raw": p, "good": temperature_scale(p, 3.0)}


def tilted(seed, n=1000, m=10):
    """A temperature of 2, wrong by .22 in total variation; one class shifted, wrong by .07."""
    rng = np.random.default_rng(seed)
    q = rng.dirichlet(np.ones(m), n)
    y = (q.cumsum(axis=1)[:, :-1] < rng.random((n, 1))).sum(axis=1)
    shifted = q * np.where(np.arange(m) == 0, np.exp(0.72), 1.0)
    hot = temperature_scale(q, 0.5)
    shifted /= shifted.sum(axis=1, keepdims=True)
    assert np.abs(hot - q).sum(axis=1).mean() / 2 > 0.2
    assert np.abs(shifted - q).sum(axis=1).mean() / 2 < 0.08
    return y, {"hot": hot, "tilted": shifted}
