import numpy as np
import pytest
from scipy.stats import norm
from tests.effects import oracles_effects as oracles

from calibrant import Predictions
from calibrant.effects import detectable_temperature, direction
from calibrant.models import M1, temperature_scale


def power(predictions, tau, alpha):
    """Φ(|E z_B| − z_{1−α/2}) as it is written."""
    p, w = predictions.y_prob, predictions.weights
    p = p / p.sum(axis=1, keepdims=True)
    q = temperature_scale(p, tau)
    variance = np.sum(w**2 * ((p**3).sum(axis=1) - (p**2).sum(axis=1) ** 2))
    mean = np.sum(w * ((q - p) * p).sum(axis=1)) / np.sqrt(variance)
    return norm.cdf(abs(mean) - norm.ppf(1 - alpha / 2))


@pytest.mark.parametrize(("alpha", "wanted"), [(0.05, 0.8), (0.01, 0.5)])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("n", "m"), [(60, 3), (300, 2), (3000, 10)])
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


def test_promised_power_is_kept():
    # 500 data sets at the detectable temperature: power .8 ± 3·.018, and .03 because under the
    # alternative the variance of z_B is not 1
    rng = np.random.default_rng(3)
    p = rng.dirichlet(np.full(5, 0.5), 400)
    tau = detectable_temperature(Predictions(np.zeros(400, dtype=int), p)).over
    edges = np.cumsum(temperature_scale(p, tau), axis=1)
    rejected = 0
    for _ in range(500):
        y = np.minimum((rng.random((400, 1)) > edges).sum(axis=1), 4)
        rejected += direction(Predictions(y, p)).pvalue <= 0.05
    assert abs(rejected / 500 - 0.8) < 3 * 0.018 + 0.03


def test_power_below_the_level_needs_no_miscalibration():
    found = detectable_temperature(Predictions(*oracles.sample(2, 50, 3)), 0.9, 0.1)
    assert (found.under, found.over) == (1.0, 1.0)


def test_more_rows_like_these_show_what_so_many_rows_would():
    y_true, y_prob = M1(4).sample(200, rng=0)
    few = Predictions(y_true, y_prob)
    many = Predictions(np.tile(y_true, 5), np.tile(y_prob, (5, 1)))
    found, expected = detectable_temperature(few, n_samples=1000), detectable_temperature(many)
    assert found.over == pytest.approx(expected.over, rel=1e-9)
    assert found.under == pytest.approx(expected.under, rel=1e-9)
