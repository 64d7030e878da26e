"""The picture of cumulative differences draws the sums, and its areas hold calibrated models."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.estimators import KolmogorovSmirnov, Kuiper, cumulative_differences
from calibrant.plots import CumulativeDisplay

from .conftest import sample


def test_it_draws_the_sums_and_quotes_their_extremes():
    y, P = sample(2, n=200, alpha=1.0)
    display = CumulativeDisplay.from_predictions(y, P, n_resamples=99, rng=0)
    found = cumulative_differences(y, P)
    x, d = display.plot().artists["curve"].get_data()
    np.testing.assert_array_equal(x, np.r_[0.0, found.share])
    np.testing.assert_array_equal(d, np.r_[0.0, found.difference])
    assert display.numbers()["ks"] == KolmogorovSmirnov()(y, P)
    assert display.numbers()["kuiper"] == Kuiper()(y, P)
    assert display.table()["difference"] == found.difference.tolist()


def test_many_rows_keep_both_extremes():
    y, P = sample(2, n=5000, alpha=1.0)
    display = CumulativeDisplay.from_predictions(y, P, n_resamples=19, rng=0)
    table, found = display.table(), cumulative_differences(y, P)
    assert len(table["share"]) <= 514
    assert max(table["difference"]) == found.difference.max()
    assert min(table["difference"]) == found.difference.min()
    assert table["share"][-1] == 1.0


@pytest.mark.parametrize(("temperature", "mark"), [(2.5, True), (1.0, False)])
def test_what_noise_does_not_explain_is_marked(temperature, mark):
    y, P = sample(2, n=800, temperature=temperature, alpha=1.0)
    display = CumulativeDisplay.from_predictions(y, P, n_resamples=199, rng=0)
    assert ("largest" in display.plot().artists) == mark
    said = "more than noise explains" if mark else "within what noise explains"
    assert said in display.describe()


def test_a_calibrated_model_leaves_the_light_area_in_one_of_twenty():
    # 300 runs: .05 with an error of .013
    outside = 0
    for run in range(300):
        y, P = cal.models.M1(2, 1.0).sample(60, rng=[1, run])
        display = CumulativeDisplay.from_predictions(y, P, n_resamples=99, rng=run)
        outside += np.abs(display.curve.difference).max() > display.reach
    assert 0.05 - 3 * 0.013 < outside / 300 < 0.05 + 3 * 0.013


def test_one_class_is_looked_at_against_the_rest():
    y, P = sample(4)
    display = CumulativeDisplay.from_predictions(y, P, label=2, n_resamples=19, rng=0)
    assert display.title == "Cumulative differences of class 2"
    assert display.ks == KolmogorovSmirnov()(cal.Predictions(y, P).one_vs_rest(2))


def test_certain_predictions_can_be_drawn():
    display = CumulativeDisplay.from_predictions([0, 1], [0.0, 1.0], n_resamples=19, rng=0)
    display.plot()
    with pytest.raises(ValueError, match="`n_resamples` must be at least 19; got 5"):
        CumulativeDisplay.from_predictions([0, 1], [0.0, 1.0], n_resamples=5)
