"""Follow-up questions with clustered rows."""

from itertools import product

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._followup.compare._hits import Hits, clustered_pvalue
from calibrant.errors import DataError


def models(n=120, size=1, seed=0):
    y, p = cal.models.M1(3).sample(n, rng=seed)
    rng = np.random.default_rng(seed)
    q = p * np.exp(0.5 * rng.normal(size=p.shape))
    q /= q.sum(axis=1, keepdims=True)
    index = np.repeat(np.arange(n), size)
    return y[index], {"one": p[index], "other": q[index]}, index


@pytest.mark.parametrize("d", [[1, 1, 0, -1, 1], [3, -1, 2, 0, 1], [2, 2, 2], [-4, 1, 1, 1]])
def test_the_pvalue_counts_all_signs(d):
    d = np.array(d, dtype=float)
    sums = [
        abs(sum(s * x for s, x in zip(signs, d, strict=True)))
        for signs in product((1, -1), repeat=len(d))
    ]
    assert clustered_pvalue(d) == pytest.approx(np.mean(np.array(sums) >= abs(d.sum()) - 1e-9))


def test_single_rows_have_mcnemars_pvalue():
    d = np.array([1.0] * 9 + [-1.0] * 3 + [0.0] * 40)
    assert clustered_pvalue(d) == pytest.approx(Hits.of(d).pvalue, rel=1e-12)
    assert np.isnan(clustered_pvalue(np.ones(5000)))


def test_copies_of_rows_leave_the_comparison_as_it_is():
    y, few, alone = models(120)
    once = cal.compare(y, few, clusters=alone)
    y, many, index = models(120, 4)
    copied, naive = cal.compare(y, many, clusters=index), cal.compare(y, many)
    for measure in ("log_loss", "brier", "accuracy"):
        one, four = (r.difference("one", "other", measure) for r in (once, copied))
        assert four.estimate == pytest.approx(one.estimate, rel=1e-9, abs=1e-12)
        assert four.pvalue == pytest.approx(one.pvalue, rel=1e-6)
        ends = [one.interval.low, one.interval.high]
        np.testing.assert_allclose([four.interval.low, four.interval.high], ends, rtol=1e-6)
    brier = naive.difference("one", "other", "brier")
    assert brier.standard_error < 0.6 * copied.difference("one", "other", "brier").standard_error
    assert "480 rows in 120 clusters" in str(copied)
    assert "jackknife over clusters" in str(copied)


def test_models_with_other_clusters_are_refused():
    y, p, _ = models(20)
    rows = {
        "one": Predictions(y, p["one"], clusters=np.arange(20) // 2),
        "other": Predictions(y, p["other"], clusters=np.arange(20) // 4),
    }
    with pytest.raises(DataError, match="clusters that differ"):
        cal.compare(None, rows)


def test_where_names_nothing_in_copies_of_calibrated_rows():
    found = 0
    for seed in range(6):
        y, p = cal.models.M1(3).sample(40, rng=seed)
        index = np.repeat(np.arange(40), 10)
        result = cal.where(y[index], p[index], clusters=index, n_resamples=39, rng=seed)
        found += bool(result.significant)
    assert found <= 2
    assert result.details["clusters"]["null"] == "coupled labels"
    assert result.beyond.details["clusters"]["n_clusters"] == 40


def test_bands_and_bars_are_wider_for_clusters():
    y, p = cal.models.M1(2).sample(60, rng=0)
    index = np.repeat(np.arange(60), 6)
    binning = cal.binning.Uniform(4)
    wide = cal.binning.reliability(y[index], p[index], clusters=index, binning=binning, rng=0)
    narrow = cal.binning.reliability(y[index], p[index], binning=binning, rng=0)
    assert np.all(wide.bin_high - wide.bin_low >= 1.5 * (narrow.bin_high - narrow.bin_low))
    bars = (wide.interval_high - wide.interval_low) / (narrow.interval_high - narrow.interval_low)
    assert np.all(bars > 1.5)
    alone = cal.binning.reliability(y, p, clusters=np.arange(60), binning=binning, rng=0)
    np.testing.assert_allclose(
        wide.interval_high - wide.interval_low, alone.interval_high - alone.interval_low, atol=0.05
    )
    curve = cal.estimators.corp_curve(y[index], p[index], clusters=index, rng=0)
    assert curve.n_resamples == 999


def test_repair_of_few_clusters_tests_one_row_of_each():
    y, p = cal.models.TemperatureModel(0.5, 3, temperature=2.0).sample(300, rng=0)
    result = cal.repair(y, p, clusters=np.arange(300) // 20, n_resamples=39, rng=0)
    halves = [one for one in result.checks if one.question == "the fitted map, on unseen rows"]
    assert all(one.n_samples < 10 for one in halves)
    assert result.details["n_clusters"] == 15


def test_reports_gates_and_scorers_take_clusters():
    y, p, index = models(60, 3)
    report = cal.Report(y, {"one": p["one"]}, clusters=index, rng=0, n_resamples=39)
    assert "60 clusters" in report.text()

    class Model:
        classes_ = (0, 1, 2)

        def predict_proba(self, X):
            return p["one"]

    score = cal.SKCE().scorer()
    assert score(Model(), y, y, clusters=index) == score(Model(), y, y)
