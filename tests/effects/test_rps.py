"""The ranked probability score with its interval."""

import numpy as np
import pytest
from tests.samples import make_sample

import calibrant as cal
from calibrant import Predictions, effects
from calibrant.effects import find_measure
from calibrant.estimators import RPS


@pytest.mark.parametrize("weighted", [False, True])
def test_the_effect_is_the_estimator_with_the_error_of_a_mean(weighted):
    y, p, w = make_sample(1, 50, 4)
    rows = Predictions(y, p, sample_weight=w if weighted else None, ordered=True)
    effect = effects.rps(rows)
    assert effect.estimate == RPS()(rows)
    assert effect.interval.low < effect.estimate < effect.interval.high
    if not weighted:
        each = [RPS()(rows.take([i])) for i in range(50)]
        assert effect.standard_error == pytest.approx(np.std(each, ddof=1) / np.sqrt(50), rel=1e-9)


def test_of_two_classes_it_is_half_the_brier_score():
    y, p, _ = make_sample(2, 60, 2)
    rows = Predictions(y, p)
    half, brier = effects.rps(rows), effects.brier(rows)
    ours = np.array([half.estimate, half.interval.low, half.interval.high])
    theirs = np.array([brier.estimate, brier.interval.low, brier.interval.high])
    np.testing.assert_allclose(2.0 * ours, theirs, rtol=1e-9)


def test_copies_in_clusters_leave_the_interval_as_it_is():
    y, p, _ = make_sample(3, 80, 4)
    index = np.repeat(np.arange(80), 3)
    alone = effects.rps(Predictions(y, p)).interval
    copies = effects.rps(Predictions(y[index], p[index], clusters=index)).interval
    assert (copies.low, copies.high) == pytest.approx((alone.low, alone.high), rel=0.01)


def test_it_is_reported_with_the_p_value_of_ordered_classes_only():
    y, p, _ = make_sample(4, 60, 4)
    method = cal.methods.Aggregated(39)
    plain = cal.calibration_test(y, p, method=method, rng=0)
    ordered = cal.calibration_test(y, p, method=method, ordered=True, rng=0)
    assert "rps" not in plain.effects
    assert ordered.effects["rps"].estimate == RPS()(y, p)
    assert ordered.effects["rps"].noise_floor.n_resamples == 199
    assert set(ordered.effects) - set(plain.effects) == {"rps"}
    assert find_measure("rps").goes_with_test(Predictions(y, p, ordered=True))
    assert not find_measure("rps").goes_with_test(Predictions(y, p))


def test_the_interval_covers_the_mean_score():
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(4), 200)
    truth = np.mean([p[i] @ [RPS()([c], p[[i]]) for c in range(4)] for i in range(200)])
    hits = []
    for _ in range(100):
        y = (np.cumsum(p, axis=1) < rng.random((200, 1))).sum(axis=1)
        interval = effects.rps(Predictions(y, p)).interval
        hits.append(interval.low <= truth <= interval.high)
    assert np.mean(hits) >= 0.90  # conditional on the predictions the interval is wide
