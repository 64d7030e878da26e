"""assert_calibrated fails models with proven errors, and no others."""

import numpy as np
import pytest

import calibrant as cal
from calibrant.testing import assert_calibrated

pytestmark = pytest.mark.slow

OFF = cal.models.TemperatureModel(0.1, 10, temperature=2.0)


def test_a_calibrated_model_passes_and_the_result_is_returned():
    rows = cal.models.M1(3).sample(400, rng=1)
    result = assert_calibrated(*rows, rng=0)
    expected = cal.calibration_test(*rows, rng=0)
    assert (result.pvalue, result.estimate) == (expected.pvalue, expected.estimate)


def test_an_over_confident_model_fails_with_its_numbers():
    with pytest.raises(AssertionError) as caught:
        assert_calibrated(*OFF.sample(500, rng=0))
    result = cal.calibration_test(*OFF.sample(500, rng=0), rng=0)
    message = str(caught.value)
    assert message.startswith(result.verdict)
    assert "p ≤ 0.001, typical error" in message
    assert "above 0.02 with 95 % confidence" in message


def test_an_error_that_is_tolerated_passes():
    rows = OFF.sample(500, rng=0)
    low = cal.calibration_test(*rows, rng=0).effects["rmsce"].interval.low
    assert assert_calibrated(*rows, tolerance=low).pvalue < 0.01
    with pytest.raises(AssertionError):
        assert_calibrated(*rows, tolerance=low - 1e-6)


def test_few_rows_fail_where_a_small_error_must_be_shown():
    rows = cal.models.M1(2).sample(60, rng=2)
    assert_calibrated(*rows)
    with pytest.raises(AssertionError, match=r"not shown to be below 0\.02"):
        assert_calibrated(*rows, within=0.02)
    assert_calibrated(*cal.models.M1(2).sample(5000, rng=0), within=0.05)


def test_predictions_names_and_weights_are_understood():
    y, p = cal.models.M1(2).sample(300, rng=3)
    names = np.array(["no", "yes"])[y]
    plain = assert_calibrated(y, p)
    assert assert_calibrated(names, p[:, 1], pos_label="yes").pvalue == plain.pvalue
    assert assert_calibrated(cal.Predictions(y, p).event()).pvalue == plain.pvalue
    assert assert_calibrated(names, p, classes=["no", "yes"], sample_weight=y + 1.0) is not None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0.0}, "`alpha` must be in"),
        ({"tolerance": -1.0}, "`tolerance` must be in"),
        ({"n_resamples": 99}, "at least 100 where `alpha` is 0.01"),
    ],
)
def test_what_could_never_fail_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        assert_calibrated([0, 1], [0.5, 0.5], **options)
