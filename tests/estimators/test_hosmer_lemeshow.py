"""Hosmer–Lemeshow: the literal sum over groups, ties, certain groups, its null distribution."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant._engine import LabelResampler
from calibrant.binning import Quantile
from calibrant.estimators import HosmerLemeshow


def literal(y, p, w, groups):
    total = 0.0
    for g in set(groups):
        here = groups == g
        observed, expected = np.sum(w[here] * y[here]), np.sum(w[here] * p[here])
        mean = expected / w[here].sum()
        total += (observed - expected) ** 2 / (np.sum(w[here] ** 2) * mean * (1 - mean))
    return total


@pytest.mark.parametrize("n_groups", [2, 7, 10])
@pytest.mark.parametrize("tied", [False, True])
def test_it_is_the_sum_over_groups_of_equal_counts(n_groups, tied):
    rng = np.random.default_rng(0)
    p = rng.uniform(0.05, 0.95, 83)
    p = np.round(p, 1) if tied else p
    y, w = (rng.random(83) < 0.5).astype(int), rng.uniform(0.1, 2.0, 83)
    groups = Quantile(n_groups).assign(np.column_stack([1 - p, p]))
    expected = literal(y, p, w, groups)
    found = HosmerLemeshow(n_groups)(y, p, sample_weight=w)
    assert found == pytest.approx(expected, rel=1e-12)


def test_groups_of_certain_predictions_are_left_out():
    p = [0.0] * 5 + [0.5] * 5
    assert HosmerLemeshow(2)([1] * 5 + [1] * 5, p) == pytest.approx(2.5**2 / 1.25, rel=1e-14)
    assert HosmerLemeshow()([0, 1], [0.0, 1.0]) == 0.0


def test_a_calibrated_model_shows_about_the_number_of_groups():
    # chi-square with 10 degrees of freedom: mean 10, sd 4.5; 400 label sets, error .22
    p = np.random.default_rng(0).uniform(0.05, 0.95, 2000)
    predictions = Predictions(np.zeros(2000, int), p)
    labels = LabelResampler(0).labels(predictions.y_prob, range(400))
    values = HosmerLemeshow().over_labels(predictions, labels)
    # within groups the variance is below that of the mean: slightly less than 10
    assert 9.0 < values.mean() < 10.7


@pytest.mark.parametrize("bad", [0, 2.5, True])
def test_the_number_of_groups_is_checked(bad):
    with pytest.raises(ValueError, match="n_groups"):
        HosmerLemeshow(bad)
