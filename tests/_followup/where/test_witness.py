"""The witness function and its simultaneous band."""

import itertools

import numpy as np
import pytest

import calibrant as cal
from calibrant.models import Distorted, LogitShift, TemperatureModel

POINTS = np.array([[0.2, 0.4, 0.4], [0.6, 0.2, 0.2], [1.0, 0.0, 0.0]])


def test_values_are_those_of_the_estimator(ternary, core):
    kernel = cal.kernels.Laplacian(0.3)
    result = cal.where(
        ternary.y, ternary.P, sample_weight=ternary.w, kernel=kernel, rng=0, n_resamples=19
    )
    predictions = cal.Predictions(ternary.y, ternary.P, sample_weight=ternary.w)
    expected = cal.SKCE(kernel).witness(predictions, POINTS)
    np.testing.assert_allclose(result.witness(POINTS).values, expected, rtol=1e-10, atol=1e-14)


def test_standard_deviation_is_that_over_all_label_sets():
    P = np.array([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.1, 0.1, 0.8]])
    kernel = cal.kernels.Laplacian(0.5)
    witness = cal.where([0, 1, 2], P, kernel=kernel, rng=0, n_resamples=19).witness(POINTS)
    second = np.zeros_like(witness.sd)
    for labels in itertools.product(range(3), repeat=3):
        y = np.array(labels)
        weight = np.prod(P[np.arange(3), y])
        second += weight * cal.SKCE(kernel).witness(cal.Predictions(y, P), POINTS) ** 2
    np.testing.assert_allclose(witness.sd, np.sqrt(second), rtol=1e-12)


def test_a_shift_leaves_the_band_with_its_sign():
    model = Distorted(1.0, 3, truth=LogitShift([1.0, 0.0, 0.0]))
    result = cal.where(*model.sample(300, rng=0), rng=0, n_resamples=99)
    witness = result.witness(POINTS)
    assert witness.outside[0, 0]
    assert witness.values[0, 0] > 0
    assert witness.pvalue == 0.01
    np.testing.assert_array_equal(witness.band, witness.critical * witness.sd)


@pytest.mark.slow
def test_the_band_is_left_as_rarely_as_the_level_says():
    # 150 runs at alpha .2: mean 30, standard deviation 4.9; the bounds are 3 of them away
    left = 0
    for run in range(150):
        y, P = TemperatureModel(0.5, 3).sample(40, rng=run)
        result = cal.where(y, P, rng=run, n_resamples=39, alpha=0.2, n_jobs=1)
        witness = result.witness(POINTS)
        assert witness.outside.any() == (witness.pvalue <= 0.2)
        left += bool(witness.outside.any())
    assert 15 <= left <= 45


def test_the_same_bits_on_any_number_of_threads(ternary):
    one, two = (
        cal.where(ternary.y, ternary.P, rng=0, n_resamples=199, n_jobs=n_jobs).witness(POINTS)
        for n_jobs in (1, 2)
    )
    assert one.critical == two.critical
    np.testing.assert_array_equal(one.values, two.values)


def test_certain_predictions_have_no_width():
    y_prob = np.r_[np.ones(10), np.zeros(10)]
    result = cal.where(y_prob.astype(int), y_prob, rng=0, n_resamples=19)
    witness = result.witness([[0.5, 0.5]])
    assert not witness.outside.any()
    assert witness.pvalue == 1.0


@pytest.mark.parametrize(
    ("points", "message"),
    [
        (
            [[0.5, 0.5]],
            r"must have shape \(n_points, 3\), one distribution a row; got shape \(1, 2\)",
        ),
        (np.empty((0, 3)), "must have shape"),
        ([[2.0, -0.5, -0.5]], r"entries in \[0, 1\]; got values from -0.5 to 2"),
        ([[np.nan, 0.5, 0.5]], "must be distributions"),
    ],
)
def test_refusals(ternary, points, message):
    result = cal.where(ternary.y, ternary.P, rng=0, n_resamples=19)
    with pytest.raises(ValueError, match=message):
        result.witness(points)


def test_a_band_of_fewer_label_sets_is_that_of_the_first_ones(ternary):
    result, few = (cal.where(ternary.y, ternary.P, n_resamples=n, rng=0) for n in (99, 39))
    found, expected = result.witness(POINTS, n_resamples=39), few.witness(POINTS)
    assert found.critical == expected.critical
    assert found.pvalue == expected.pvalue
    assert found.critical != result.witness(POINTS).critical
    assert result.witness(POINTS, n_resamples=1000).critical == result.witness(POINTS).critical
