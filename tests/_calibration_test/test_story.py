"""The sentence of a result: the clearest effect, and the upper bound of the error."""

import math

import numpy as np
import pytest

import calibrant as cal
from calibrant._calibration_test._story import clearness, is_clear, order_text, tell
from calibrant._engine import agreed_direction
from calibrant._output import pvalue_text
from calibrant.effects import Effect, Interval, rmsce, upper_bound


def effect(name, estimate, low, high, **details):
    return Effect(name, estimate, Interval(low, high), "", details=details)


def draw(rng, q):
    totals = q.cumsum(axis=1)
    return (totals[:, :-1] <= rng.random(len(q))[:, None] * totals[:, -1:]).sum(axis=1)


def tempered(p, tau):
    q = p ** (1.0 / tau)
    return q / q.sum(axis=1, keepdims=True)


def test_the_smallest_resampled_pvalue_is_a_bound():
    assert pvalue_text(0.001, 999) == "p ≤ 0.001"
    assert pvalue_text(0.002, 999) == "p = 0.002"
    assert pvalue_text(0.001, None) == "p = 0.001"


def test_the_order_is_named_where_it_is_the_clearest_finding():
    details = {"component": "ranked", "ordered_direction": "too wide"}
    assert order_text(details) == "the spread along the order of the classes is too wide"
    assert not order_text(details | {"component": "log"})
    assert not order_text(details | {"ordered_direction": None})
    assert not order_text({"component": "kernel"})


def test_clearness_is_1_where_the_interval_ends_at_no_effect():
    assert clearness(effect("bias", 0.2, 0.0, 0.4)) == pytest.approx(1.0)
    assert clearness(effect("bias", -0.2, -0.3, -0.1)) == pytest.approx(2.0)
    assert clearness(effect("temperature", 2.0, 1.0, 4.0)) == pytest.approx(1.0)
    assert clearness(effect("temperature", math.inf, 1.0, math.inf)) == 0.0
    assert is_clear(effect("slope", 1.2, 1.1, 1.3))
    assert not is_clear(effect("accuracy", 0.9, 0.8, 1.0))


def test_the_clearest_effect_is_told():
    found = {
        "bias": effect("bias", -0.2, -0.22, -0.18, **{"class": "ill"}),
        "temperature": effect("temperature", 2.0, 1.8, 2.2),
    }
    over = {"direction": "over-confident", "log_z": -3.0}
    assert tell(found, over).startswith("class ill is predicted too rarely: bias −0.2")
    found["bias"] = effect("bias", -0.2, -0.4, 0.0, **{"class": "ill"})
    hot = "the predictions are over-confident: temperature 2 [1.8, 2.2]"
    assert tell(found, over) == hot
    assert tell(found, {"log_z": -1.0}) == ""
    assert tell(found, {}) == hot  # the test was not asked for a direction
    at_bound = effect("temperature", 20.0, 8.0, 20.0, remark="20 or more")
    told = tell(found | {"temperature": at_bound}, over)
    assert told.endswith(": temperature 20 [8, 20] (20 or more)")
    conflict = agreed_direction({"brier": 2.5, "log": -4.0})
    assert tell(found, {"direction": conflict, "log_z": -4.0}) == f"the direction is {conflict}"
    found["rmsce"] = effect("rmsce", 0.1, 0.05, 0.15)
    assert tell(found, {"log_z": -1.0}) == "the typical error is 0.1 [0.05, 0.15]"


def test_class_totals_tell_their_bias_also_where_the_temperature_is_clearer():
    found = {
        "bias": effect("bias", 0.0036, 0.0009, 0.0063, **{"class": "ill"}),
        "temperature": effect("temperature", 0.8, 0.75, 0.85),
    }
    details = {"direction": "under-confident", "log_z": 2.5, "component": "bias"}
    assert tell(found, details).startswith("class ill is predicted too often: bias 0.0036")
    assert "temperature" in tell(found, details | {"component": "kernel"})
    found["bias"] = effect("bias", 0.0036, -0.0009, 0.008, **{"class": "ill"})
    assert "temperature" in tell(found, details)  # a bias that is not clear is not told


def test_a_score_that_stands_alone_is_named_with_the_one_that_denies_it():
    found = {"rmsce": effect("rmsce", 0.1, 0.05, 0.15)}
    details = {"direction": None, "component": "log", "log_z": -9.0, "brier_z": 1.0}
    alone = "the predictions are over-confident by the log score, but not by the Brier score"
    assert tell(found, details) == f"{alone}; the typical error is 0.1 [0.05, 0.15]"
    assert tell({}, details) == alone
    assert tell({}, details | {"component": "kernel"}) == ""
    assert tell({}, details | {"log_z": -1.0}) == ""


def test_a_model_that_is_too_low_is_said_to_be_too_low():
    rng = np.random.default_rng(0)
    q = rng.uniform(0.25, 0.95, 2000)
    result = cal.calibration_test((rng.random(2000) < q).astype(int), q - 0.2, rng=0)
    assert "; class 1 is predicted too rarely: bias −0." in result.verdict
    assert "confident" not in result.verdict
    assert not result.within(0.1)
    assert result.within(0.3)


def test_a_hot_model_is_said_to_be_over_confident():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(10, 0.3), 1000)
    result = cal.calibration_test(draw(rng, tempered(p, 1.6)), p, rng=0)
    assert "; the predictions are over-confident: temperature 1." in result.verdict


def test_without_evidence_the_sentence_bounds_the_error():
    rng = np.random.default_rng(2)
    p = rng.dirichlet(np.full(3, 0.5), 500)
    result = cal.calibration_test(draw(rng, p), p, rng=0)
    assert not result.reject()
    bound = result.upper_bound()
    assert result.verdict.endswith(
        f"with 95 % confidence the typical error of the predicted label is below {bound:.3g}."
    )
    assert result.within(bound)
    assert not result.within(0.9 * bound)


def test_intervals_clear_of_no_effect_are_explained_where_nothing_is_rejected():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.full(3, 0.5), 200)
    result = cal.calibration_test(draw(rng, p), p, rng=0)
    clear = {**result.effects, "temperature": effect("temperature", 1.2, 1.1, 1.3)}
    from dataclasses import replace

    assert not any("not adjusted" in note for note in result.notes)
    assert any("not adjusted" in note for note in replace(result, effects=clear).notes)


@pytest.mark.parametrize("limit", [0.0, 1.0, -0.1])
def test_a_limit_outside_0_and_1_is_refused(limit):
    result = cal.calibration_test([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4], rng=0)
    with pytest.raises(ValueError, match=r"`limit` must be in \(0, 1\)"):
        result.within(limit)


@pytest.mark.slow
@pytest.mark.parametrize(("m", "tau"), [(2, 1.0), (2, 1.5), (10, 1.5)])
def test_the_upper_bound_covers(m, tau):
    # 200 runs; a coverage of .95 gives fewer than 180 with probability .001
    rng = np.random.default_rng(m)
    p = rng.dirichlet(np.full(m, 0.5), 200_000)
    q = tempered(p, tau)
    top = np.ones(len(p), dtype=int) if m == 2 else p.argmax(axis=1)
    rows = np.arange(len(p))
    order = np.argsort(p[rows, top])
    gap = (p[rows, top] - q[rows, top])[order].reshape(200, -1).mean(axis=1)
    truth = math.sqrt(np.mean(gap**2))
    covered = 0
    for _ in range(200):
        some = rng.choice(len(p), 500)
        covered += upper_bound(rmsce(cal.Predictions(draw(rng, q[some]), p[some]))) >= truth
    assert covered >= 180
