import numpy as np
import pandas as pd
import pytest

from calibrant import calibration_test
from calibrant._predictions import Predictions

Y, P = [0, 1, 1], [0.25, 0.5, 0.75]


@pytest.mark.parametrize("weight", [[1, 0, 2], (1.0, 0.0, 2.0), pd.Series([1, 0, 2])])
def test_weights_become_float64(weight):
    predictions = Predictions(Y, P, sample_weight=weight)
    assert predictions.sample_weight.dtype == np.float64
    assert predictions.sample_weight.tolist() == [1, 0, 2]


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -2, -3], r"must be non-negative; got 2 negative weights, the first \(-2\) at row 1"),
        ([1, np.nan, 1], r"`sample_weight` must be finite; got 1 value .* \(nan\) at row 1"),
        (
            [1, 1, np.inf],
            r"must be finite; got 1 value NaN or infinite, the first \(inf\) at row 2",
        ),
        ([0, 0, 0], "must have a positive sum; got only zeros"),
        ([1, 1e300, 1], r"between 1e-40 and 1e\+40; got 1e\+300. Only ratios of weights matter"),
        ([1e-300, 0, 0], r"between 1e-40 and 1e\+40; got 1e-300. Only ratios of weights matter"),
        ([1, 1], r"one weight per row, shape \(3,\); got shape \(2,\)"),
        ([[1, 1, 1]], r"one weight per row, shape \(3,\); got shape \(1, 3\)"),
        (1.0, r"one weight per row, shape \(3,\); got shape \(\)"),
        (["a", "b", "c"], r"`sample_weight` must be numbers; got 3 values of another type"),
        (pd.Series([1, None, 2]), "`sample_weight` must not have missing values; got 1 missing"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        Predictions(Y, P, sample_weight=weight)


@pytest.mark.parametrize("scale", [1e-40, 1e40])
def test_the_scale_of_weights_does_not_matter(scale):
    rng = np.random.default_rng(0)
    weight, y, p = rng.random(60), rng.integers(0, 3, 60), rng.dirichlet(np.ones(3), 60)
    plain = calibration_test(y, p, sample_weight=weight, rng=0)
    weight = weight / weight.max()
    scaled = calibration_test(y, p, sample_weight=weight * scale, rng=0)
    assert scaled.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
    assert scaled.estimate == pytest.approx(plain.estimate, rel=1e-9)
    assert scaled.effects.keys() == plain.effects.keys()
    for name, effect in plain.effects.items():
        assert scaled.effects[name].estimate == pytest.approx(effect.estimate, rel=1e-6), name
