"""Repairs of the paper's networks: fitted to one half of the rows, measured on the other."""

import numpy as np
import pytest

from calibrant import ECE, Predictions, repair
from calibrant.binning import Uniform
from calibrant.io import read_predictions
from calibrant.recalibration import Temperature


def read(name, shared):
    folder = shared / "paper" / "cifar10"
    predictions = read_predictions(
        str(folder / f"{name}.csv.gz"),
        labels=str(folder / "labels.csv.gz"),
        one_based=True,
        header=None,
        normalize=True,
    ).predictions
    return predictions.take(slice(0, 5000)), predictions.take(slice(5000, None))


def change_of_log_loss(before, after):
    rows = np.arange(len(before))
    return np.log(before.y_prob[rows, before.y_true] / after.y_prob[rows, before.y_true])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "temperature"),
    [("densenet121", 1.34), ("googlenet", 1.06), ("resnet18", 1.50), ("vgg16_bn", 1.78)],
)
def test_a_temperature_of_the_first_half_helps_on_the_second(name, temperature, shared):
    first, second = read(name, shared)
    fitted = Temperature().fit(first.y_prob, first.y_true)
    assert fitted.temperature == pytest.approx(temperature, abs=0.006)
    repaired = Predictions(second.y_true, fitted.predict_proba(second.y_prob))
    change = change_of_log_loss(second, repaired)
    # of the googlenet, whose temperature is nearly 1, the change is noise
    assert change.mean() < 2.0 * change.std() / np.sqrt(5000)
    error = ECE(Uniform(15))
    assert error(repaired.top_label()) < error(second.top_label())


@pytest.mark.slow
@pytest.mark.parametrize("name", ["densenet121", "googlenet", "resnet18", "vgg16_bn"])
def test_what_repair_chooses_lowers_the_log_loss_and_nearly_removes_the_ece(name, shared):
    first, second = read(name, shared)
    result = repair(first, n_resamples=19, rng=0)
    assert result.chosen == "vector scaling + confidence curve"
    repaired = Predictions(second.y_true, result.apply(second.y_prob))
    assert change_of_log_loss(second, repaired).mean() < 0.0
    assert ECE(Uniform(15))(repaired.top_label()) < 0.012
