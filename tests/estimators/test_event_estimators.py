"""Laws of every error of one probability: label sets, lenses, weights, rules, exact tests."""

import math

import numpy as np
import pytest
from tests.samples import make_sample

import calibrant as cal
from calibrant import Predictions
from calibrant.effects import MEASURES
from calibrant.estimators import (
    DSC,
    ICI,
    MCB,
    RPS,
    UNC,
    HosmerLemeshow,
    KolmogorovSmirnov,
    Kuiper,
    MultiScale,
)
from calibrant.testing import check_estimator

EVENT = [
    MCB(),
    MCB("log"),
    DSC(),
    DSC("log"),
    UNC(),
    UNC("log"),
    KolmogorovSmirnov(),
    KolmogorovSmirnov(standardized=False),
    Kuiper(),
    Kuiper(standardized=False),
    HosmerLemeshow(),
    MultiScale(),
    ICI(),
    ICI("median"),
    ICI("p90"),
    ICI("max"),
]
each = pytest.mark.parametrize("estimator", EVENT, ids=repr)
all_of_them = pytest.mark.parametrize("estimator", [*EVENT, RPS()], ids=repr)


@all_of_them
@pytest.mark.parametrize("m", [2, 4])
def test_label_sets_are_measured_like_data(estimator, m):
    y, P, _ = make_sample(0, 60, m)
    w = np.random.default_rng(5).integers(0, 3, 60).astype(float)
    predictions = Predictions(y, P, sample_weight=w)
    labels = np.random.default_rng(6).integers(0, m, (7, 60))
    expected = [estimator(row, P, sample_weight=w) for row in labels]
    found = estimator.over_labels(predictions, labels)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-14)


@each
def test_more_classes_are_looked_at_through_the_top_label(estimator):
    y, P, _ = make_sample(0, 80, 4)
    assert estimator(y, P) == estimator(Predictions(y, P).top_label())


@all_of_them
def test_rows_of_weight_zero_do_not_count(estimator):
    y, P, _ = make_sample(0, 60, 2)
    w = np.r_[np.ones(50), np.zeros(10)]
    kept = estimator(y[:50], P[:50])
    assert estimator(y, P, sample_weight=w) == pytest.approx(kept, rel=1e-12)


#: infinite where something impossible happened; 0 for equal predictions, whatever their weights
SPECIAL = (MCB("log"), DSC(), DSC("log"))


@pytest.mark.parametrize("estimator", [e for e in [*EVENT, RPS()] if e not in SPECIAL], ids=repr)
def test_they_obey_the_rules_of_errors(estimator):
    check_estimator(estimator)


@pytest.mark.slow
@all_of_them
def test_each_is_exact_as_a_test(estimator):
    # calibrated: the p-value is (super-)uniform; 200 data sets, three standard errors of .05
    rejected = 0
    for run in range(200):
        y, P = cal.models.M1(2, 1.0).sample(40, rng=[7, run])
        result = cal.calibration_test(
            y, P, estimator=estimator, method=cal.methods.Exact(19), rng=run, effects=False
        )
        rejected += result.pvalue <= 0.05
    assert rejected <= 200 * 0.05 + 3 * math.sqrt(200 * 0.05 * 0.95)


def test_each_has_a_row_in_the_table_of_measures():
    rows = [one.estimator for one in MEASURES]
    assert all(estimator in rows for estimator in [*EVENT, RPS()])
    assert {"slope", "intercept", "observed_expected"} <= {one.name for one in MEASURES}
