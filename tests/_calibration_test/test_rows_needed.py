"""Numbers of rows: scaling laws, pilot data, biases, refusals, and the achieved power."""

import math

import numpy as np
import pytest

import calibrant as cal
from calibrant._calibration_test._alternatives import Shifted, Tempered
from calibrant._calibration_test._described import describe_model
from calibrant._calibration_test._rows_needed import rounded_rows
from calibrant.effects import TemperaturePower, detectable_temperature


@pytest.fixture(scope="module")
def pilot():
    return cal.Predictions(*cal.models.M1(4, 0.5).sample(400, rng=0))


def quick_rows(predictions, temperature):
    return TemperaturePower.of(predictions).rows_needed(temperature, 0.05, 0.8)


@pytest.fixture
def few_simulations(limit):
    """Where the number itself does not matter."""
    limit(simulation_rounds=(20, 40))


def test_a_bias_is_what_the_truth_differs_by(pilot):
    w = np.random.default_rng(0).uniform(0.1, 2.0, 400)
    weighted = cal.Predictions(pilot.y_true, pilot.y_prob, sample_weight=w)
    for rows in (pilot, weighted):
        effect = Shifted.of(rows, 0.05, 2)
        truth = effect.truth(rows)
        found = np.average(rows.y_prob[:, 2] - truth[:, 2], weights=rows.sample_weight)
        assert found == pytest.approx(0.05, abs=1e-9)
        np.testing.assert_allclose(truth.sum(axis=1), 1.0, rtol=1e-12)
        others = [0, 1, 3]  # keep their proportions
        ratio = (truth[:, others] / rows.y_prob[:, others]).T
        np.testing.assert_allclose(ratio, np.broadcast_to(ratio[0], ratio.shape), rtol=1e-9)


def test_strengths_are_the_means_of_simulated_z_values(pilot):
    # 4 000 label sets: an error of .016 for each mean
    effect = Tempered(1.5)
    truth = effect.truth(pilot)
    rng = np.random.default_rng(0)
    below = np.cumsum(truth, axis=1)[None] <= rng.random((4000, 400, 1))
    labels = below.sum(axis=2).clip(max=3)
    f = np.log(np.maximum(pilot.y_prob, 1e-3))
    centered = f - np.sum(pilot.y_prob * f, axis=1, keepdims=True)
    variance = np.sum(pilot.y_prob * centered**2)
    z = centered[np.arange(400), labels].sum(axis=1) / math.sqrt(variance)
    strength = effect.strength(pilot, truth)
    assert strength.mean == pytest.approx(abs(z.mean()), abs=0.06)
    assert strength.sd == pytest.approx(z.std(), rel=0.05)


def test_smaller_effects_and_more_power_take_more_rows(pilot, few_simulations):
    few = cal.rows_needed(pilot, temperature=2.0, rng=0)
    many = cal.rows_needed(pilot, temperature=1.5, rng=0)
    sure = cal.rows_needed(pilot, temperature=2.0, power=0.95, rng=0)
    strict = cal.rows_needed(pilot, temperature=2.0, alpha=0.01, rng=0)
    assert few.n_samples < min(many.n_samples, sure.n_samples, strict.n_samples)
    assert few.low <= few.n_samples <= few.high
    again = cal.rows_needed(pilot.y_true, pilot.y_prob, temperature=2.0, rng=0, n_jobs=1)
    assert again == few
    assert cal.rows_needed(y_prob=pilot.y_prob, temperature=2.0, rng=0) == few


@pytest.mark.slow
def test_beyond_what_is_simulated_rows_grow_with_the_square_of_the_effect():
    # local alternatives; the critical values of both differ by Monte-Carlo error
    near, far = (cal.rows_needed(bias=b, rng=0) for b in (0.004, 0.002))
    assert far.n_samples > 20_000
    assert far.n_samples / near.n_samples == pytest.approx(4.0, rel=0.25)


@pytest.mark.slow
def test_the_quick_estimate_is_near_the_simulated_number():
    for m in (2, 10):
        y, P = cal.models.M1(m, 1.0).sample(1000, rng=0)
        simulated = cal.rows_needed(y, P, temperature=1.1, rng=0).n_samples
        assert quick_rows(cal.Predictions(y, P), 1.1) == pytest.approx(simulated, rel=0.2)
    assert quick_rows(cal.Predictions([0, 1], [0.0, 1.0]), 1.1) == math.inf


def test_as_many_rows_as_a_temperature_takes_detect_it(pilot):
    # both lines of a screen tell one story
    over = detectable_temperature(pilot).over
    assert quick_rows(pilot, over) == pytest.approx(pilot.n_samples, rel=1e-6)
    repeats = 7
    more = pilot.take(np.tile(np.arange(pilot.n_samples), repeats))
    over = detectable_temperature(more).over
    assert quick_rows(pilot, over) == pytest.approx(repeats * pilot.n_samples, rel=1e-6)


def test_a_described_model_has_the_confidence_that_was_asked_for():
    for m, confidence in ((2, 0.6), (2, 0.99), (10, 0.75), (100, 0.3)):
        rows, like = describe_model(m, confidence)
        assert rows.y_prob.max(axis=1).mean() == pytest.approx(confidence, abs=0.02)
        assert f"{m} classes" in like


def test_the_test_says_how_many_rows_a_small_temperature_would_take(pilot):
    result = cal.calibration_test(pilot, method=cal.methods.Aggregated(19), rng=0)
    planned = result.details["rows_for_temperature"]
    assert planned == {"temperature": 1.1, "n_samples": math.ceil(quick_rows(pilot, 1.1))}
    assert f"1.1 takes about {rounded_rows(planned['n_samples'])}" in str(result)
    large = cal.Predictions(*cal.models.M1(10).sample(4000, rng=0))
    result = cal.calibration_test(large, method=cal.methods.Aggregated(19), rng=0)
    assert "rows_for_temperature" not in result.details  # it is seen already
    clusters = cal.Predictions(pilot.y_true, pilot.y_prob, clusters=np.arange(400) // 2)
    result = cal.calibration_test(clusters, method=cal.methods.Aggregated(19), rng=0)
    assert "rows_for_temperature" not in result.details


def test_a_rejected_model_has_its_upper_bound_on_the_screen():
    model = cal.models.TemperatureModel(1.0, 2, temperature=2.5)
    result = cal.calibration_test(*model.sample(500, rng=0), rng=0)
    assert result.reject()
    assert any(line.startswith("bound: with 95 % confidence") for line in result.highlights)


def test_a_plan_says_what_it_is_about(pilot, few_simulations):
    plan = cal.rows_needed(pilot, bias=-0.05, label=1, rng=0)
    assert plan.verdict.startswith("About ")
    assert "a bias of 0.05 (class 1 predicted too rarely) with 80 % power" in plan.verdict
    assert "the 400 given, 4 classes" in str(plan)
    assert cal.RowsNeeded.from_dict(plan.to_dict()) == plan
    assert rounded_rows(1234) == "1,200 rows"
    assert rounded_rows(7) == "7 rows"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say which error should be seen"),
        ({"temperature": 1.1, "bias": 0.1}, "say which error should be seen"),
        ({"temperature": 1.0}, "`temperature` of 1 is not an error"),
        ({"temperature": -1.0}, "`temperature` must be a positive number"),
        ({"bias": 0.0}, "`bias` must be a number other than 0"),
        ({"bias": 0.9}, "`bias` must leave a frequency between 0 and 1"),
        ({"temperature": 1.1, "label": 1}, "`label` belongs to `bias`"),
        ({"temperature": 1.1, "power": 1.0}, r"`power` must be in \(0, 1\)"),
        ({"temperature": 1.1, "power": 0.04}, "`power` must be above `alpha`"),
        ({"temperature": 1.1, "alpha": 0.0005}, "`alpha` must be at least 1/1000"),
        ({"temperature": 1.1, "n_classes": 1}, "`n_classes` must be at least 2"),
        ({"temperature": 1.1, "confidence": 0.4}, "`confidence` must be above 1/2"),
        ({"temperature": 1.1, "classes": [0, 1]}, "`classes` belongs to predictions"),
    ],
)
def test_plans_that_make_no_sense_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        cal.rows_needed(rng=0, **options)


def test_predictions_that_show_nothing_are_refused(pilot):
    with pytest.raises(ValueError, match="no number of rows shows a temperature"):
        cal.rows_needed([0, 1], [0.0, 1.0], temperature=1.1)
    with pytest.raises(ValueError, match="describe a model in place of predictions"):
        cal.rows_needed(pilot, temperature=1.1, n_classes=4)


@pytest.mark.slow
@pytest.mark.parametrize("effect", [{"temperature": 1.5}, {"bias": 0.1}], ids=str)
@pytest.mark.parametrize("m", [2, 5])
def test_the_power_is_reached(m, effect):
    # 200 data sets: an error of .028, and .025 of the plan itself; three times both together
    population = cal.Predictions(*cal.models.M1(m, 1.0).sample(20_000, rng=0))
    plan = cal.rows_needed(population, rng=0, **effect)
    made = Tempered(1.5) if "temperature" in effect else Shifted.of(population, 0.1, None)
    truth, rejected = made.truth(population), 0
    for run in range(200):
        rng = np.random.default_rng([m, run])
        rows = rng.integers(0, 20_000, plan.n_samples)
        below = np.cumsum(truth[rows], axis=1) <= rng.random((plan.n_samples, 1))
        data = population.take(rows).with_labels(below.sum(axis=1).clip(max=m - 1))
        rejected += cal.calibration_test(data, rng=run, effects=False).reject()
    assert rejected / 200 == pytest.approx(0.8, abs=3 * math.hypot(0.028, 0.025))
