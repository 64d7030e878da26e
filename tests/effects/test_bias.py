"""Bias: mean prediction minus frequency, with simultaneous intervals for all classes."""

import math

import numpy as np
import pytest
from tests.effects import oracles_effects as oracles

from calibrant import Predictions
from calibrant.effects import bias, find_measure
from calibrant.models import M1, Distorted, LogitShift


def test_two_classes_have_that_of_the_last():
    effect = bias(Predictions([1, 1, 0, 1], [0.5, 0.25, 0.25, 0.5]))
    assert effect.estimate == pytest.approx(0.375 - 0.75)
    assert effect.details["class"] == 1
    ratio = effect.details["observed_expected"]
    assert ratio["estimate"] == pytest.approx(2.0)
    reach = math.exp(1.959963984540054 * math.sqrt(0.25 / 3))
    assert (ratio["low"], ratio["high"]) == pytest.approx((2 / reach, 2 * reach))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 5])
def test_values_are_those_of_the_plain_loop(m, weighted):
    y, p = oracles.sample(3, 80, m)
    w = np.random.default_rng(1).random(80) if weighted else np.ones(80)
    classes = bias(Predictions(y, p, sample_weight=w if weighted else None)).details["classes"]
    z = {2: 1.959963984540054, 5: 2.5758293035489004}[m]
    for c in range(m):
        d = p[:, c] - (y == c)
        value = np.sum(w * d) / w.sum()
        spread = 80 / 79 * np.sum((w * (d - value)) ** 2)
        error = math.sqrt(max(spread, np.sum(w**2 * p[:, c] * (1 - p[:, c])))) / w.sum()
        assert classes[c]["estimate"] == pytest.approx(value, rel=1e-9)
        mean = np.sum(w * p[:, c]) / w.sum()
        assert classes[c]["low"] == pytest.approx(max(value - z * error, mean - 1), rel=1e-9)
        assert classes[c]["high"] == pytest.approx(min(value + z * error, mean), rel=1e-9)


def test_a_lens_has_the_bias_of_its_class():
    y, p = oracles.sample(4, 200, 4)
    whole = Predictions(y, p)
    one = bias(whole.one_vs_rest(2))
    assert one.estimate == pytest.approx(bias(whole).details["classes"][2]["estimate"], rel=1e-12)
    top = bias(whole.top_label())
    assert top.estimate == pytest.approx(p.max(axis=1).mean() - (p.argmax(axis=1) == y).mean())
    assert find_measure("bias").put_into_words(top, None).startswith("The predicted label is")


def test_more_classes_show_the_one_furthest_off():
    shift = LogitShift([0.0, 0.0, 1.5, 0.0])
    effect = bias(
        Predictions(*Distorted(0.5, 4, truth=shift).sample(1000, rng=0), classes=list("abcd"))
    )
    assert effect.details["class"] == "c"
    assert effect.remark == "class c"
    assert effect.interval.high < -0.1
    words = find_measure("bias").put_into_words(effect, None)
    assert words.startswith("Class c is predicted at ")
    assert words.endswith("predicted too rarely.")


def test_a_class_that_did_not_occur_is_not_known_exactly():
    effect = bias(Predictions([0] * 100, [0.01] * 100))
    assert effect.estimate == pytest.approx(0.01)
    assert 0.0 in effect.interval
    assert effect.details["observed_expected"]["estimate"] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("m", [2, 10])
def test_intervals_of_a_calibrated_model_hold_all_at_once(m):
    # 400 data sets: .95 ± .011, three errors below; Bonferroni may be above
    model, held = M1(m, 0.5), 0
    for seed in range(400):
        classes = bias(Predictions(*model.sample(100, rng=seed))).details["classes"]
        held += all(one["low"] <= 0.0 <= one["high"] for one in classes)
    assert held / 400 > 0.95 - 3 * 0.011
