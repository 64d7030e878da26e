"""The multi-scale error: the literal sum over pairs, its null mean and variance, its power."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._engine import LabelResampler
from calibrant.estimators import MultiScale


def literal(y, p, w, n_scales):
    """Pairs of different rows in the same group, for every scale."""
    n, best = len(p), -np.inf
    rank = np.array([np.sum(p < t) for t in p])
    r, v = y - p, p * (1 - p)
    for k in range(1, n_scales + 1):
        group = rank * 2**k // n
        square = variance = 0.0
        for i in range(n):
            for j in range(n):
                if i != j and group[i] == group[j]:
                    total = w[group == group[i]].sum() * w.sum()
                    square += w[i] * w[j] * r[i] * r[j] / total
                    variance += 2 * (w[i] * w[j]) ** 2 * v[i] * v[j] / total**2
        if variance > 0:
            best = max(best, square / np.sqrt(variance))
    return best


@pytest.mark.parametrize("tied", [False, True])
def test_it_is_the_largest_standardized_sum_over_pairs(tied):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 41)
    p = np.round(p, 1) if tied else p
    y, w = (rng.random(41) < 0.5).astype(int), rng.uniform(0.1, 2.0, 41)
    found = MultiScale(4)(y, p, sample_weight=w)
    assert found == pytest.approx(literal(y, p, w, 4), rel=1e-11)


def test_one_scale_has_mean_0_and_variance_1_under_calibration():
    # 2 000 label sets: errors .022 of the mean and about .05 of the variance
    p = np.random.default_rng(0).random(300)
    predictions = Predictions(np.zeros(300, int), p)
    labels = LabelResampler(0).labels(predictions.y_prob, range(2000))
    values = MultiScale(1).over_labels(predictions, labels)
    assert abs(values.mean()) < 0.1
    assert 0.75 < values.var() < 1.25


def test_it_sees_what_one_global_number_does_not():
    model = cal.models.Distorted(1.0, 2, truth=cal.models.Oscillation(1.0, 4.0))
    result = cal.calibration_test(*model.sample(1500, rng=0), estimator=MultiScale(), rng=0)
    assert result.pvalue <= 0.01


def test_data_without_variance_show_nothing():
    assert MultiScale()([0, 1], [0.0, 1.0]) == 0.0


@pytest.mark.parametrize("bad", [0, 21, 1.5])
def test_the_number_of_scales_is_checked(bad):
    with pytest.raises(ValueError, match="n_scales"):
        MultiScale(bad)
