"""What could be detected: the curve goes through what is detectable with the given rows."""

import numpy as np
import pytest

from calibrant import Predictions
from calibrant.effects import detectable_temperature, temperature
from calibrant.plots import DetectableDisplay

from .conftest import sample


@pytest.fixture(scope="module")
def predictions():
    return Predictions(*sample(4, n=400))


def at(line, n):
    x, y = line.get_data()
    return np.exp(np.interp(np.log(n), np.log(x), np.log(y)))


def test_curves_pass_through_what_is_detectable_here_and_at_other_sizes(predictions):
    drawing = DetectableDisplay.from_predictions(predictions).plot()
    found = detectable_temperature(predictions)
    assert at(drawing.artists["over"], 400) == pytest.approx(found.over, rel=2e-3)
    assert at(drawing.artists["under"], 400) == pytest.approx(found.under, rel=2e-3)
    four_times = detectable_temperature(predictions.take(np.tile(np.arange(400), 4)))
    assert at(drawing.artists["over"], 1600) == pytest.approx(four_times.over, rel=2e-3)
    assert at(drawing.artists["under"], 1600) == pytest.approx(four_times.under, rel=2e-3)


def test_the_mark_is_the_equivalent_temperature_of_the_data(predictions):
    drawing = DetectableDisplay.from_predictions(predictions).plot()
    effect = temperature(predictions)
    assert drawing.artists["estimate"].get_xydata().tolist() == [[400, effect.estimate]]
    [[low, high]] = drawing.artists["interval"].get_segments()
    assert (low[1], high[1]) == (effect.interval.low, effect.interval.high)


def test_level_and_power_are_passed_on(predictions):
    weak = DetectableDisplay.from_predictions(predictions, alpha=0.01, power=0.95)
    given = detectable_temperature(predictions, 0.01, 0.95)
    assert weak.curve.given == given
    assert "power 95 %, alpha = 0.01" in weak.title


@pytest.mark.parametrize("p", [0.5, 1.0], ids=["coins", "certain"])
def test_predictions_that_detect_nothing_can_be_drawn(p):
    display = DetectableDisplay.from_predictions([0, 1, 1], np.full(3, p))
    assert "hardly any temperature is detected" in display.describe()
    display.plot()
    assert set(display.table()["n_samples"]) == {None}


def test_a_few_rows_can_be_drawn():
    display = DetectableDisplay.from_predictions([0, 1], [0.3, 0.9])
    display.plot()
