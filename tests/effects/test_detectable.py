import math

import numpy as np
import pytest
from scipy.stats import norm
from tests.effects import oracles_effects as oracles

import calibrant as cal
from calibrant import Predictions
from calibrant.effects import detectable_temperature
from calibrant.models import temperature_scale


def power(predictions, tau, alpha):
    """Φ((|μ| − c)/s) as it is written, c = z_{1−α/2} + 0.39."""
    p, w = predictions.y_prob, predictions.weights
    p = p / p.sum(axis=1, keepdims=True)
    q = temperature_scale(p, tau)
    f = np.log(np.maximum(p, 1e-3))
    null, variance = (
        np.sum(w**2 * ((x * f**2).sum(axis=1) - (x * f).sum(axis=1) ** 2)) for x in (p, q)
    )
    mean = abs(np.sum(w * ((q - p) * f).sum(axis=1))) / np.sqrt(null)
    return norm.cdf((mean - norm.ppf(1 - alpha / 2) - 0.39) / np.sqrt(variance / null))


@pytest.mark.parametrize(("alpha", "wanted"), [(0.05, 0.8), (0.01, 0.5)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m"), [(200, 3), (300, 2), (3000, 10)])
def test_power_at_the_detectable_temperature_is_the_one_asked_for(n, m, weighted, alpha, wanted):
    y, p = oracles.sample(0, n, m, alpha=0.3)
    w = np.random.default_rng(0).random(n) if weighted else None
    predictions = Predictions(y, p, sample_weight=w)
    found = detectable_temperature(predictions, alpha, wanted)
    for tau in (found.over, found.under):
        assert power(predictions, tau, alpha) == pytest.approx(wanted, abs=1e-7)
    assert found.under < 1.0 < found.over


def test_more_rows_detect_less():
    y, p = oracles.sample(1, 400, 5)
    few = detectable_temperature(Predictions(y, p))
    many = detectable_temperature(Predictions(np.tile(y, 10), np.tile(p, (10, 1))))
    assert few.under < many.under < 1.0 < many.over < few.over


@pytest.mark.parametrize(
    "name", ["one row", "two rows", "certain and right", "uniform", "weight on one row"]
)
def test_nothing_can_be_detected_where_there_is_nothing_to_see(name):
    found = detectable_temperature(oracles.DEGENERATE[name])
    assert found.over is None
    assert found.under is None
    assert found.to_dict() == {"over": None, "under": None, "alpha": 0.05, "power": 0.8}


def test_one_side_may_be_out_of_reach():
    # nearly uniform predictions: flattening hardly changes them, sharpening does
    p = np.tile([0.5, 0.3, 0.2], (60, 1))
    found = detectable_temperature(Predictions(np.zeros(60, dtype=int), p))
    assert found.over is None
    assert found.under is not None


def test_zero_probabilities_stay_zero():
    p = np.tile([[0.7, 0.3, 0.0], [0.1, 0.9, 0.0]], (100, 1))
    y = np.zeros(200, dtype=int)
    three, two = Predictions(y, p), Predictions(y, p[:, :2])
    assert detectable_temperature(three).over == pytest.approx(
        detectable_temperature(two).over, rel=1e-9
    )


@pytest.mark.parametrize("arguments", [{"alpha": 0.0}, {"alpha": 5}, {"power": 1.0}])
def test_level_and_power_are_checked(arguments):
    with pytest.raises(ValueError, match=r"must be in \(0, 1\)"):
        detectable_temperature(oracles.DEGENERATE["two rows"], **arguments)


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 6])
def test_promised_power_is_kept(m):
    # 300 data sets at each end: .8 ± 3·.023, and .05 because c and s are approximate; 199 label
    # sets cost the test about .01
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(m, 0.5), 400)
    found = detectable_temperature(Predictions(np.zeros(400, dtype=int), p))
    for tau in (found.over, found.under):
        edges = np.cumsum(temperature_scale(p, tau), axis=1)
        rejected = 0
        for _ in range(300):
            y = np.minimum((rng.random((400, 1)) > edges).sum(axis=1), m - 1)
            result = cal.calibration_test(
                y, p, method=cal.methods.Aggregated(199), effects=False, rng=rng
            )
            rejected += result.reject()
        assert abs(rejected / 300 - 0.8) < 3 * 0.023 + 0.05


def test_clusters_of_equal_rows_detect_what_one_row_of_each_does():
    y, p = cal.models.M1(4, 0.5).sample(1000, rng=0)
    copies = np.repeat(np.arange(1000), 5)
    alone = detectable_temperature(Predictions(y, p))
    together = detectable_temperature(Predictions(y[copies], p[copies], clusters=copies))
    assert together.over == pytest.approx(alone.over, rel=0.05)
    assert together.under == pytest.approx(alone.under, rel=0.05)


def test_many_rows_are_judged_by_evenly_spaced_ones():
    y, p = oracles.sample(4, 400, 5)
    copies = np.tile(np.arange(400), 200)  # 400 000 numbers
    many = detectable_temperature(Predictions(y[copies], p[copies]))
    few = detectable_temperature(Predictions(y, p))
    # the distance from 1 falls with the root of the number of rows
    distance = math.log(few.over) / math.log(many.over)
    assert distance == pytest.approx(math.sqrt(200), rel=0.1)


def test_power_below_the_level_needs_no_miscalibration():
    found = detectable_temperature(Predictions(*oracles.sample(2, 50, 3)), 0.9, 0.1)
    assert (found.under, found.over) == (1.0, 1.0)
