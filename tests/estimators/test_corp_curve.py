"""The CORP curve: isotonic regression of the labels, with bands of the promised level."""

import numpy as np
import pytest
from scipy.stats import binom

from calibrant import Predictions
from calibrant.estimators import corp_curve
from calibrant.estimators._corp import isotonic
from calibrant.estimators._corp_curve import N_CELLS

FEW = 99


def sample(n, a=1.0, b=1.0, seed=0):
    rng = np.random.default_rng(seed)
    p = rng.beta(a, b, n)
    return (rng.random(n) < p).astype(int), p


def test_the_curve_is_the_isotonic_regression():
    y, p = sample(300)
    curve = corp_curve(y, p, n_resamples=FEW, rng=0)
    order = np.argsort(p)
    fitted, steps = isotonic(y[order][None, :].astype(float), np.ones(300))
    np.testing.assert_allclose(curve.band.observed, fitted[0], rtol=1e-12)
    assert len(curve) == len(set(steps[0]))
    for k in range(len(curve)):
        rows = order[steps[0] == k]
        assert curve.count[k] == len(rows)
        assert (curve.lower[k], curve.upper[k]) == (p[rows].min(), p[rows].max())
        assert curve.predicted[k] == pytest.approx(p[rows].mean(), rel=1e-12)
        assert curve.observed[k] == pytest.approx(y[rows].mean(), abs=1e-15)


def test_the_band_everywhere_holds_the_band_of_each_prediction():
    for seed in range(5):
        band = corp_curve(*sample(200, 0.2, 0.2, seed), n_resamples=FEW, rng=seed).band
        assert np.all(band.all_low <= band.low)
        assert np.all(band.low <= band.high)
        assert np.all(band.high <= band.all_high)


def test_steps_outside_are_compared_where_they_leave_the_band():
    rng = np.random.default_rng(1)
    p = rng.random(1000)
    y = (rng.random(1000) < np.clip(p - 0.2, 0, 1)).astype(int)
    curve = corp_curve(y, p, rng=0)
    assert set(curve.outside) == {-1, 0}
    off = curve.outside < 0
    assert np.all(curve.observed[off] < curve.band_low[off])
    assert np.all(curve.lower <= curve.at)
    assert np.all(curve.at <= curve.upper)
    inside = curve.outside == 0
    np.testing.assert_array_equal(curve.at[inside], curve.predicted[inside])
    pytest.importorskip("pandas")
    assert set(curve.to_dict()) == set(curve.to_frame("pandas").columns)
    assert len({len(column) for column in curve.to_dict().values()}) == 1


def test_many_predictions_are_put_into_cells():
    y, p = sample(5000)
    curve = corp_curve(y, p, n_resamples=39, rng=0)
    assert len(curve.band.predicted) == N_CELLS
    assert curve.band.count.sum() == curve.count.sum() == 5000


def test_rows_without_weight_do_not_matter():
    y, p = sample(100)
    w = np.r_[np.ones(80), np.zeros(20)]
    some = corp_curve(y[:80], p[:80], n_resamples=FEW, rng=0)
    weighted = corp_curve(y, p, sample_weight=w, n_resamples=FEW, rng=0)
    np.testing.assert_allclose(weighted.band.all_high, some.band.all_high, rtol=1e-12)
    assert weighted.to_dict() == some.to_dict()


def test_refusals():
    with pytest.raises(ValueError, match="needs two classes; got 3"):
        corp_curve(Predictions([0, 1, 2], np.full((3, 3), 1 / 3)))
    with pytest.raises(ValueError, match="n_resamples"):
        corp_curve([0, 1], [0.5, 0.5], n_resamples=20)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "a", "b"), [(285, 0.2, 0.2), (500, 0.3, 10.0)])
def test_a_calibrated_model_stays_in_the_band_as_often_as_promised(n, a, b):
    runs, inside, at_each = 400, 0, []
    for seed in range(runs):
        curve = corp_curve(*sample(n, a, b, 7000 + seed), n_resamples=FEW, rng=seed)
        band = curve.band
        inside += bool(np.all(curve.outside == 0))
        held = (band.observed >= band.low - 1e-9) & (band.observed <= band.high + 1e-9)
        at_each.append(held.mean())
    # 48 of 50 label sets that set the width: level 48/51; alarm once in 10 000 calibrated codes
    assert inside >= binom.ppf(1e-4, runs, 48 / 51)
    assert np.mean(at_each) >= 0.95 - 3 * np.std(at_each) / np.sqrt(runs)
