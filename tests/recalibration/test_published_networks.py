"""Temperatures of the paper's networks: fitted to one half of the rows, measured on the other."""

import numpy as np
import pytest

from calibrant import ECE, Predictions
from calibrant.binning import Uniform
from calibrant.io import read_predictions
from calibrant.recalibration import Temperature


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "temperature"),
    [("densenet121", 1.34), ("googlenet", 1.06), ("resnet18", 1.50), ("vgg16_bn", 1.78)],
)
def test_a_temperature_of_the_first_half_helps_on_the_second(name, temperature, shared):
    folder = shared / "paper" / "cifar10"
    predictions = read_predictions(
        str(folder / f"{name}.csv.gz"),
        labels=str(folder / "labels.csv.gz"),
        one_based=True,
        header=None,
        normalize=True,
    ).predictions
    first, second = predictions.take(slice(0, 5000)), predictions.take(slice(5000, None))
    fitted = Temperature().fit(first.y_prob, first.y_true)
    assert fitted.temperature == pytest.approx(temperature, abs=0.006)
    repaired = Predictions(second.y_true, fitted.predict_proba(second.y_prob))
    rows = np.arange(5000)
    change = np.log(second.y_prob[rows, second.y_true] / repaired.y_prob[rows, second.y_true])
    # of the googlenet, whose temperature is nearly 1, the change is noise
    assert change.mean() < 2.0 * change.std() / np.sqrt(5000)
    error = ECE(Uniform(15))
    assert error(repaired.top_label()) < error(second.top_label())
