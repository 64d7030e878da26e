"""calibration_test: valid combinations, degenerate data, randomness, weights and lenses."""

import json
import math
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import pytest
from tests.samples import make_sample

import calibrant as cal
from calibrant import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator, Predictions, calibration_test
from calibrant.binning import Uniform
from calibrant.effects import MEASURES
from calibrant.kernels import Classwise, Gaussian, Laplacian, Typical
from calibrant.methods import (
    CME,
    Aggregated,
    Asymptotic,
    AsymptoticBlock,
    Auto,
    Consistency,
    DistributionFree,
    Evidence,
    Exact,
    Method,
    Moments,
)
from calibrant.models import M1, TemperatureModel


@dataclass(frozen=True)
class Mistakes(Estimator):
    """A user's own estimator."""

    def estimate(self, predictions, parallel=None):
        wrong = predictions.y_prob.argmax(axis=1) != predictions.y_true
        return float(np.average(wrong, weights=predictions.weights))


@dataclass(frozen=True)
class Coin(Method):
    """A user's own method, which leaves the estimate to the front door."""

    def test(self, predictions, estimator, setting):
        return Evidence(0.0, float(setting.rng.random()))


QUICK = Exact(19)
DATA = M1(3, 1.0).sample(60, rng=0)

METHODS = {
    "aggregated": Aggregated(19),
    "exact": Exact(19),
    "moments": Moments(),
    "asymptotic": Asymptotic(n_resamples=19),
    "asymptotic-block": AsymptoticBlock(),
    "distribution-free": DistributionFree(),
    "consistency": Consistency(19),
    "cme": CME(),
}
ESTIMATORS = {
    "default": SKCE(),
    "unbiased": SKCE(Laplacian(0.3)),
    "biased": SKCE(Laplacian(0.3), unbiased=False),
    "block": SKCE(Laplacian(0.3), block_size=2),
    "classwise": SKCE(Classwise(Laplacian(0.3))),
    "kce": KCE(Laplacian(0.3)),
    "mmce": MMCE(Laplacian(0.3)),
    "ucme": UCME(Gaussian(0.5), [([0.6, 0.2, 0.2], 0), ([0.2, 0.2, 0.6], 1)]),
    "ece": ECE(Uniform(5)),
    "mce": MCE(Uniform(5)),
    "own": Mistakes(),
}
ANY = set(ESTIMATORS)
#: DESIGN §4; all else is refused
FITS = {
    "aggregated": {"default"},
    "exact": ANY,
    "consistency": ANY,
    "moments": {"default", "unbiased"},
    "asymptotic": {"default", "unbiased", "classwise"},
    "asymptotic-block": {"block"},
    "distribution-free": {"default", "unbiased", "biased", "block", "classwise"},
    "cme": {"ucme"},
}


@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("method", METHODS)
def test_every_pair_works_or_says_what_fits(method, estimator):
    def run():
        return calibration_test(
            *DATA, estimator=ESTIMATORS[estimator], method=METHODS[method], rng=0
        )

    if estimator not in FITS[method]:
        name = type(METHODS[method]).__name__
        with pytest.raises(ValueError, match=rf"(?s){name} works with .*; got "):
            run()
        return
    result = run()
    assert 0 < result.pvalue <= 1
    assert math.isfinite(result.statistic)
    assert result.method == METHODS[method]
    assert result.estimator == ESTIMATORS[estimator]
    expected = ESTIMATORS[estimator](*DATA)
    assert result.estimate == pytest.approx(expected, rel=1e-9, abs=1e-14)
    assert "is calibrated" not in result.summary()
    json.dumps(result.to_dict(), allow_nan=False)


def test_nothing_given_is_the_aggregated_test():
    result = calibration_test(*DATA, rng=0, effects=False)
    assert result.method == Aggregated()
    assert result.estimator == SKCE(Laplacian(Typical()))
    assert result.estimate == pytest.approx(SKCE()(*DATA), rel=1e-9)
    assert "no estimator given" in result.details["choice"]
    assert result.details["variant"] == "full"
    assert len(result.null_distribution) == 999


def test_an_estimator_alone_gets_the_exact_test():
    result = calibration_test(*DATA, estimator=ECE(), rng=0, effects=False)
    assert result.method == Exact()
    assert result.estimate == result.statistic == pytest.approx(ECE()(*DATA))


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"cme", "asymptotic-block"}))
def test_a_method_alone_gets_the_default_error(name):
    result = calibration_test(*DATA, method=METHODS[name], rng=0, effects=False)
    assert result.estimator == SKCE()
    assert result.details["choice"].startswith(("you chose this method", "the aggregated test"))


def test_blocks_and_locations_have_their_own_default():
    result = calibration_test(*DATA, method=AsymptoticBlock(), effects=False)
    assert result.estimator == SKCE(block_size=2)
    with pytest.raises(ValueError, match="CME needs an estimator with test locations"):
        calibration_test(*DATA, method=CME())


@pytest.mark.parametrize("effects", [True, False])
@pytest.mark.parametrize("estimator", [None, ECE(Uniform(5)), Mistakes()])
def test_a_users_method_gets_its_estimate(estimator, effects):
    result = calibration_test(*DATA, estimator=estimator, method=Coin(), rng=0, effects=effects)
    assert result.estimate == pytest.approx((estimator or SKCE())(*DATA))
    assert result.noise_floor is None


@pytest.mark.parametrize("value", ["ece", ECE, lambda y, p: 0.0, 3])
def test_what_is_no_estimator_is_refused(value):
    with pytest.raises(ValueError, match=r"`estimator` must be an instance .*ECE\(\)`; got"):
        calibration_test(*DATA, estimator=value)


@pytest.mark.parametrize("value", ["exact", Exact, Auto(), 999])
def test_what_is_no_method_is_refused(value):
    with pytest.raises(ValueError, match=r"`method` must be an instance .*Exact\(\)`; got"):
        calibration_test(*DATA, method=value)


def test_integers_repeat_generators_go_on_and_none_is_new():
    def pvalue(rng):
        return calibration_test(*DATA, method=Coin(), rng=rng, effects=False).pvalue

    assert pvalue(3) == pvalue(3) != pvalue(4)
    generator = np.random.default_rng(3)
    assert pvalue(generator) == pvalue(3)
    assert pvalue(generator) != pvalue(3)
    assert pvalue(None) != pvalue(None)
    with pytest.raises(ValueError, match="`rng` must be None, a non-negative integer"):
        pvalue(-1)


def test_the_same_seed_gives_the_same_result_on_any_threads():
    tables = [
        calibration_test(*DATA, method=Aggregated(49), rng=5, n_jobs=jobs).to_dict()
        for jobs in (1, 2)
    ]
    with ThreadPoolExecutor(2) as executor:
        there = calibration_test(*DATA, method=Aggregated(49), rng=5, executor=executor)
    assert tables[0] == tables[1] == there.to_dict()


def test_effects_do_not_change_the_test():
    with_effects = calibration_test(*DATA, method=QUICK, rng=0)
    without = calibration_test(*DATA, method=QUICK, rng=0, effects=False)
    assert with_effects.pvalue == without.pvalue
    assert with_effects.estimate == pytest.approx(without.estimate, rel=1e-12)
    assert not without.effects
    assert "detectable_temperature" not in without.details
    assert list(with_effects.effects) == [
        one.name for one in MEASURES if one.with_test and not one.for_order
    ]
    assert "skce" not in calibration_test(*DATA, estimator=ECE(), method=QUICK, rng=0).effects


def test_noise_floor_is_that_of_the_reported_estimate():
    result = calibration_test(*DATA, estimator=ECE(Uniform(5)), method=QUICK, rng=0)
    assert result.noise_floor.n_resamples == 19
    assert result.noise_floor.mean == pytest.approx(result.null_distribution.mean())
    ece = result.effects["ece"]
    floor = ece.details["noise_floor"]
    assert ece.estimate == pytest.approx(ECE(Uniform(15))(Predictions(*DATA).event()))
    assert ece.details["excess"] == pytest.approx(ece.estimate - floor["mean"])


@pytest.mark.parametrize("method", [None, QUICK, cal.methods.Aggregated(99, stop_after=2)])
def test_one_progress_goes_from_none_to_all(method):
    told = []
    calibration_test(*DATA, method=method, rng=0, progress=lambda *step: told.append(step))
    done, totals = zip(*told, strict=True)
    assert len(set(totals)) == 1
    assert list(done) == sorted(done)
    assert done[0] >= 0
    assert done[-1] == totals[0]


def test_predictions_stand_for_both_arrays():
    one = calibration_test(*DATA, method=QUICK, rng=0)
    two = calibration_test(Predictions(*DATA), method=QUICK, rng=0)
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize(
    ("lens", "n_classes"),
    [
        (lambda p: p.top_label(), 2),
        (lambda p: p.top_k(2), 3),
        (lambda p: p.one_vs_rest(1), 2),
        (lambda p: p.at_least(1), 2),
    ],
)
def test_lenses_are_tested_like_any_predictions(core, lens, n_classes):
    view = lens(Predictions(*DATA))
    result = calibration_test(view, method=Aggregated(19), rng=0)
    assert result.n_classes == n_classes
    assert result.estimate == pytest.approx(SKCE()(view), rel=1e-9)
    assert 0 < result.pvalue <= 1


def test_one_column_is_two():
    rng = np.random.default_rng(0)
    p, y = rng.random(50), rng.integers(2, size=50)
    one = calibration_test(y, p, method=Aggregated(19), rng=0)
    two = calibration_test(y, np.column_stack([1 - p, p]), method=Aggregated(19), rng=0)
    assert one.to_dict() == two.to_dict()
    assert one.details["variant"] == "lines"


def test_named_classes_and_pos_label_are_understood():
    y, p = np.array(["no", "yes", "yes", "no"]), [0.2, 0.7, 0.9, 0.4]
    named = calibration_test(y, p, classes=["no", "yes"], method=QUICK, rng=0)
    plain = calibration_test(np.array([0, 1, 1, 0]), p, method=QUICK, rng=0)
    text = json.dumps(named.to_dict())
    for name, code in {"P(class yes)": "P(class 1)", '"yes"': "1", '"no"': "0"}.items():
        text = text.replace(name, code)
    assert text == json.dumps(plain.to_dict())


@pytest.mark.parametrize("method", [Aggregated(19), QUICK, Moments()])
def test_weights_reach_the_estimate_and_equal_ones_change_nothing(method):
    weights = np.random.default_rng(0).random(60)
    weighted = calibration_test(*DATA, sample_weight=weights, method=method, rng=0)
    assert weighted.estimate == pytest.approx(SKCE()(*DATA, sample_weight=weights), rel=1e-9)
    plain = calibration_test(*DATA, method=method, rng=0)
    equal = calibration_test(*DATA, sample_weight=np.full(60, 3.0), method=method, rng=0)
    assert weighted.estimate != plain.estimate
    assert equal.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
    assert equal.estimate == pytest.approx(plain.estimate, rel=1e-9)


Y = np.arange(12) % 3
P = make_sample(0, 12, 3).P
DEGENERATE = {
    "certain and right": (Y, np.eye(3)[Y]),
    "certain and wrong": ((Y + 1) % 3, np.eye(3)[Y]),
    "one class observed": (np.zeros(12, int), P),
    "identical rows": (Y, np.tile([0.2, 0.3, 0.5], (12, 1))),
    "uniform rows": (Y, np.full((12, 3), 1 / 3)),
    "two rows": (Y[:2], P[:2]),
    "three rows": (Y[:3], P[:3]),
    "two equal rows": (Y[:2], P[[0, 0]]),
    "binary, certain and wrong": (np.array([0, 1, 1, 0]), np.array([1.0, 0.0, 0.0, 1.0])),
    "an impossible label": (np.array([2, *Y[1:]]), np.array([[0.5, 0.5, 0.0], *P[1:]])),
}


@pytest.mark.parametrize(
    ("estimator", "method"),
    [
        (None, Aggregated(19)),
        (None, Aggregated(19, log_score=True)),
        (None, QUICK),
        (SKCE(unbiased=False), QUICK),
        (MMCE(), QUICK),
        (ECE(), QUICK),
        (ECE(), Consistency(19)),
        (None, Consistency(19)),
    ],
)
@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_data_have_an_answer(core, name, estimator, method):
    result = calibration_test(*DEGENERATE[name], estimator=estimator, method=method, rng=0)
    assert 0 < result.pvalue <= 1
    assert math.isfinite(result.statistic)
    assert math.isfinite(result.estimate)
    if name == "certain and right":
        assert result.pvalue == 1.0
    if name in ("certain and wrong", "one class observed") and method != Consistency(19):
        assert result.pvalue == 0.05
    copy = cal.CalibrationTestResult.from_dict(json.loads(json.dumps(result.to_dict())))
    assert copy.summary() == result.summary()


def test_impossible_labels_are_reported_and_do_not_decide():
    y, p = M1(3, 1.0).sample(200, rng=2)
    p = p.copy()
    p[7] = [0.6, 0.4, 0.0]
    y[7] = 2
    result = calibration_test(y, p, rng=0)
    assert result.details["impossible_labels"] == 1
    assert list(result.details["impossible_rows"]) == [7]
    assert "1 label had predicted probability exactly 0" in result.summary()
    assert result.pvalue > 0.05


def test_rounded_predictions_are_not_rejected_for_their_rounding():
    # 60 calibrated data sets in four digits, 20 classes; four standard errors above 5 %
    y, p = M1(20, 0.1).sample_many(60, 100, 3)
    rounded = np.round(p, 4)
    pvalues = [
        calibration_test(a, b, method=Aggregated(39), rng=i, effects=False, normalize=True).pvalue
        for i, (a, b) in enumerate(zip(y, rounded, strict=True))
    ]
    assert np.mean(np.array(pvalues) <= 0.05) <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 60)


def test_power_at_a_moderate_temperature():
    # the design promises .75 at n = 250 (.79 seen); 30 data sets: three standard errors of .08
    model = TemperatureModel(0.1, 10, temperature=1.3)
    pvalues = [
        calibration_test(
            *model.sample(250, rng=s), method=Aggregated(99), rng=s, effects=False
        ).pvalue
        for s in range(30)
    ]
    assert np.mean(np.array(pvalues) <= 0.05) >= 0.55


def test_many_rows_report_the_estimate_of_features(limit):
    y, p = TemperatureModel(0.5, 4, temperature=3.0).sample(600, rng=0)
    exact = calibration_test(y, p, method=Aggregated(19), rng=0)
    limit(exact_rows=100)
    for effects in (True, False):
        found = calibration_test(y, p, method=Aggregated(19), rng=0, effects=effects)
        assert found.estimate != exact.estimate
        assert found.estimate == pytest.approx(exact.estimate, rel=0.1)
        assert found.pvalue == exact.pvalue
    # an estimator that was asked for is computed as it is
    for method in (QUICK, Coin()):
        asked = calibration_test(y, p, estimator=SKCE(Laplacian(0.4)), method=method, rng=0)
        assert asked.estimate == pytest.approx(SKCE(Laplacian(0.4))(y, p), rel=1e-9)


def test_few_labels_at_once_change_nothing(limit):
    predictions = Predictions(*M1(3).sample(50, rng=0))
    whole = calibration_test(predictions, rng=0).to_dict()
    limit(label_bytes=350)  # seven label sets
    assert calibration_test(predictions, rng=0).to_dict() == whole


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_estimate_is_the_same_with_and_without_effects(n_classes):
    data = cal.Predictions(*cal.models.M2(n_classes).sample(90, rng=0))
    options = {"method": cal.methods.Aggregated(9), "rng": 0}
    alone = cal.calibration_test(data, effects=False, **options)
    assert alone.effects == {}
    assert alone.estimate == cal.calibration_test(data, **options).estimate
