"""CORP: isotonic regression as its min-max formula, published values, laws of the parts."""

import csv
import math

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import Predictions
from calibrant.estimators import MCB, corp_decomposition
from calibrant.estimators._corp import isotonic
from calibrant.testing import check_estimator


def literal(mean, weight):
    """max over starts of min over ends of the weighted mean of everything between."""
    k = len(mean)
    return [
        max(
            min(np.average(mean[a : b + 1], weights=weight[a : b + 1]) for b in range(i, k))
            for a in range(i + 1)
        )
        for i in range(k)
    ]


def test_isotonic_regression_is_the_min_max_of_means():
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.1, 3.0, 12)
    means = rng.random((20, 12))
    fitted, blocks = isotonic(means * weight, weight)
    for row, mean in zip(fitted, means, strict=True):
        np.testing.assert_allclose(row, literal(mean, weight), rtol=1e-12)
    assert np.all(np.diff(fitted, axis=1) >= 0)
    flat = blocks.ravel()
    assert np.all(np.diff(flat) >= 0)
    # a block never reaches into the next label set, and has one value
    assert all(len(set(fitted.ravel()[flat == b])) == 1 for b in set(flat))
    assert all(len(set(np.flatnonzero(flat == b) // 12)) == 1 for b in set(flat))


def test_published_values(shared):
    with (shared / "data" / "precip_niamey_2016.csv").open() as file:
        rows = list(csv.DictReader(file))
    y = np.array([int(float(row["obs"])) for row in rows])
    for name, score, mcb, dsc in (
        ("Logistic", 0.2057461718863881, 0.017076057358150015, 0.0555406605190209),
        ("EMOS", 0.23202517936819927, 0.018282943343354563, 0.03046853902241428),
    ):
        p = np.array([float(row[name]) for row in rows])
        parts = corp_decomposition(y, p)
        np.testing.assert_allclose(
            [parts.score, parts.miscalibration, parts.discrimination, parts.uncertainty],
            [score, mcb, dsc, 0.244210775047259],
            rtol=1e-12,
        )


@pytest.mark.parametrize("score", ["brier", "log"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_parts_add_up_and_are_not_negative(score, weighted):
    y, P, _ = make_sample(0, 200, 2)
    w = np.random.default_rng(3).integers(0, 4, 200) if weighted else None
    parts = corp_decomposition(y, P, score=score, sample_weight=w)
    total = parts.miscalibration - parts.discrimination + parts.uncertainty
    assert math.isclose(parts.score, total, rel_tol=1e-12)
    assert min(parts.miscalibration, parts.discrimination, parts.uncertainty) >= 0.0
    if weighted:
        repeated = corp_decomposition(np.repeat(y, w), np.repeat(P, w, axis=0), score=score)
        assert parts.miscalibration == pytest.approx(repeated.miscalibration, rel=1e-9)


def test_the_score_is_that_of_the_event():
    y, p = np.array([0, 1, 1]), np.array([0.2, 0.4, 0.9])
    assert corp_decomposition(y, p).score == pytest.approx(np.mean((p - y) ** 2), rel=1e-14)
    log = corp_decomposition(y, p, score="log").score
    assert log == pytest.approx(-np.mean(np.log([0.8, 0.4, 0.9])), rel=1e-14)
    y, P, _ = make_sample(0, 100, 4)
    top = Predictions(y, P).top_label()
    assert corp_decomposition(y, P) == corp_decomposition(top)


def test_recalibrated_predictions_have_no_miscalibration_left():
    y, p = [0, 0, 1, 0, 1], [0.0, 0.0, 0.5, 0.5, 1.0]
    assert corp_decomposition(y, p).miscalibration == 0.0
    assert corp_decomposition(y, p, score="log").miscalibration == 0.0


def test_tied_predictions_are_one():
    # apart, the labels 0, 1 would fit exactly; tied, their mean does
    assert corp_decomposition([0, 1], [0.3, 0.4]).discrimination == 0.25
    assert corp_decomposition([0, 1], [0.4, 0.4]).discrimination == 0.0


def test_an_impossible_event_has_an_infinite_log_score():
    parts = corp_decomposition([0, 1, 1], [0.0, 0.0, 1.0], score="log")
    assert parts.score == parts.miscalibration == math.inf
    assert math.isfinite(parts.discrimination)


@pytest.mark.parametrize("score", ["brier", "log"])
@pytest.mark.parametrize("m", [2, 4])
def test_label_sets_are_measured_like_data(score, m):
    y, P, _ = make_sample(0, 60, m)
    w = np.random.default_rng(5).integers(0, 3, 60).astype(float)
    predictions = Predictions(y, P, sample_weight=w)
    labels = np.random.default_rng(6).integers(0, m, (7, 60))
    expected = [MCB(score)(labels[k], P, sample_weight=w) for k in range(7)]
    np.testing.assert_allclose(MCB(score).over_labels(predictions, labels), expected, rtol=1e-12)


def test_it_obeys_the_rules_of_errors():
    check_estimator(MCB())
    with pytest.raises(ValueError, match='`score` must be "brier" or "log"; got'):
        MCB("spherical")
