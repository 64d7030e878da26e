"""The null distribution: all draws, the observed statistic, the p-value of the result."""

import dataclasses

import numpy as np
import pytest

import calibrant as cal
from calibrant.plots import NullDistributionDisplay

from .conftest import DISPLAYS, sample


def test_the_histogram_holds_every_draw_and_the_line_is_the_statistic():
    y, P = cal.models.M1(n_classes=3).sample(60, rng=0)
    result = cal.calibration_test(y, P, estimator=cal.ECE(), rng=0, effects=False)
    display = NullDistributionDisplay.from_result(result)
    np.testing.assert_array_equal(display.null_distribution, result.null_distribution)
    artists = display.plot().artists
    assert artists["null"].get_data().values.sum() == 999
    assert artists["observed"].get_xdata() == [result.statistic, result.statistic]
    assert artists["tail"].get_data().edges.min() == result.statistic
    assert f"p = {result.pvalue:.3g}" in display.describe()
    assert sum(display.table()["draws"]) == 999


def test_predictions_are_tested_as_calibration_test_would():
    y, P = sample(3, n=60)
    display = NullDistributionDisplay.from_predictions(y, P, estimator=cal.MCE(), rng=4)
    result = cal.calibration_test(y, P, estimator=cal.MCE(), rng=4, effects=False)
    assert (display.statistic, display.pvalue) == (result.statistic, result.pvalue)
    assert display.name == "MCE() (larger is evidence against calibration)"


def test_a_result_that_was_read_again_gives_the_same_picture():
    y, P = sample(3, n=60)
    result = cal.calibration_test(y, P, rng=0, effects=False)
    again = cal.CalibrationTestResult.from_dict(result.to_dict())
    one, other = (NullDistributionDisplay.from_result(r) for r in (result, again))
    assert one.name == other.name
    assert one.table() == other.table()


def test_a_statistic_far_out_is_shown_at_the_edge():
    display = NullDistributionDisplay(np.linspace(0, 1, 99), 50.0, 0.01, "statistic")
    drawing = display.plot()
    assert drawing.artists["observed"].get_marker() == ">"
    assert drawing.ax.get_xlim()[1] < 10
    assert any("beyond the axis" in text.get_text() for text in drawing.ax.texts)
    assert "none reaches" in display.describe()


@pytest.mark.parametrize("statistic", [-3.0, 0.0, 2.0])
def test_draws_that_are_all_alike_are_one_bar(statistic):
    display = NullDistributionDisplay(np.zeros(9), statistic, 1.0, "statistic")
    display.plot()
    assert display.table()["draws"] == [9]


def test_what_is_not_finite_is_left_out_and_nothing_is_refused():
    display = dataclasses.replace(DISPLAYS["null"], null_distribution=[np.nan, 1.0, np.inf])
    assert display.null_distribution.tolist() == [1.0]
    with pytest.raises(ValueError, match="at least one finite number"):
        NullDistributionDisplay(np.array([np.nan]), 1.0, 1.0, "statistic")


def test_a_method_without_draws_is_refused_with_the_remedy():
    y, P = sample(3, n=60)
    result = cal.calibration_test(y, P, method=cal.methods.DistributionFree(), effects=False)
    with pytest.raises(ValueError, match=r"DistributionFree.*no null distribution.*Exact"):
        NullDistributionDisplay.from_result(result)
