"""What stands out beyond the common error of all rows."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._followup.where._common_temperature import CommonTemperature
from calibrant.models import Distorted, LogitShift, TemperatureModel
from calibrant.recalibration import Identity, Temperature, VectorScaling, cross_fit


def test_a_common_temperature_is_taken_out():
    y, P = TemperatureModel(0.5, 4, temperature=1.6).sample(900, rng=0)
    site = np.arange(900) % 3
    result = cal.where(y, P, groups={"site": site}, rng=0, n_resamples=199)
    assert len(result.significant) >= 8
    assert result.beyond.significant == ()
    assert "; beyond a robust common temperature of 1." in result.verdict
    assert result.verdict.endswith(": nothing.")
    whole = CommonTemperature().fit(P, y)
    assert result.beyond.taken_out == f"a robust common temperature of {whole.temperature:.3g}"


def test_nothing_common_is_taken_out_where_one_row_has_nearly_all_the_weight():
    y, P = TemperatureModel(0.5, 4, temperature=1.6).sample(400, rng=0)
    weight = np.r_[1000.0, np.ones(399)]
    assert cal.where(y, P, rng=0, n_resamples=39).beyond is not None
    assert cal.where(y, P, sample_weight=weight, rng=0, n_resamples=39).beyond is None


def test_the_view_beyond_is_that_of_the_cross_fitted_repair(sites):
    y, P, site = sites
    predictions = Predictions(y, P)
    beyond = cal.where(predictions, groups=site, rng=0, n_resamples=39).beyond
    repaired = cross_fit(CommonTemperature(), predictions)
    assert beyond.estimate == pytest.approx(cal.SKCE()(y, repaired), rel=1e-12)
    again = cal.where(y, repaired, groups=site, common=Identity(), rng=0, n_resamples=39)
    assert again.beyond is None
    # regions may differ, and with them what p-values are adjusted for
    for one, other in zip(again.classes + again.groups["group"],
                          beyond.classes + beyond.groups["group"], strict=True):  # fmt: skip
        assert (one.name, one.pvalue, one.estimate) == (other.name, other.pvalue, other.estimate)
    assert beyond.beyond is None


def test_both_views_have_the_same_rows_in_their_regions(sites):
    y, P, _ = sites
    result = cal.where(y, P, rng=0, n_resamples=19)
    rows = [{f.name: f.n_samples for f in view.regions} for view in (result, result.beyond)]
    assert rows[0] == rows[1]


@pytest.mark.parametrize("m", [2, 4])
def test_a_group_that_differs_is_named_beyond_the_common_error(m):
    good = TemperatureModel(0.5, m, temperature=1.3).sample(800, rng=0)
    bad = TemperatureModel(0.5, m, temperature=4.0).sample(200, rng=1)
    y, P = (np.concatenate(both) for both in zip(good, bad, strict=True))
    site = np.repeat(["A", "B", "C", "D", "E"], 200)
    beyond = cal.where(y, P, groups={"site": site}, rng=0, n_resamples=199).beyond
    named = [f for f in beyond.significant if f.kind == "group"]
    assert named[0].name == "E"
    assert named[0].direction == ("over-confident" if m > 2 else "too extreme")


def test_a_swap_in_one_group_is_named_in_both_views():
    y, P = TemperatureModel(0.3, 4).sample(800, rng=0)
    site, y = np.arange(800) % 4, np.array(y)
    swapped = (site == 2) & (y < 2)
    y[swapped] = 1 - y[swapped]
    result = cal.where(y, P, groups={"site": site}, rng=0, n_resamples=199)
    for view in (result, result.beyond):
        assert view.groups["site"][0].name == 2
        assert view.groups["site"][0].adjusted_pvalue == 1 / 200


def test_a_shift_of_two_classes_is_taken_out_by_slope_and_intercept():
    rng = np.random.default_rng(0)
    x = rng.normal(size=1500)
    y = (rng.random(1500) < 1 / (1 + np.exp(-x))).astype(int)
    result = cal.where(y, 1 / (1 + np.exp(1.0 - x)), rng=0, n_resamples=199)
    assert len(result.significant) >= 5
    assert {f.direction for f in result.significant} == {"predicted too rarely"}
    assert result.beyond.significant == ()
    assert result.beyond.taken_out == "the common slope and intercept"


def test_another_common_map():
    y, P = Distorted(0.5, 4, truth=LogitShift([1.5, 0.0, 0.0, 0.0])).sample(900, rng=0)
    one, other = (
        cal.where(y, P, common=common, rng=0, n_resamples=199).beyond
        for common in (Temperature(), VectorScaling())
    )
    assert one.significant
    assert not other.significant
    assert other.taken_out == "the common vector scaling"


@pytest.mark.slow
@pytest.mark.parametrize(("m", "temperature"), [(2, 1.5), (5, 1.5), (5, 1.0)])
def test_false_names_beyond_the_common_error_are_rare(m, temperature):
    # 100 runs at alpha .2: mean at most 20, standard deviation 4; the bound is 3 of them away
    named, rng = 0, np.random.default_rng(m)
    for run in range(100):
        y, P = TemperatureModel(0.5, m, temperature=temperature).sample(120, rng=rng)
        groups = {"a": np.arange(120) % 3, "b": rng.integers(0, 2, 120)}
        options = {"n_resamples": 39, "alpha": 0.2, "rng": run, "n_jobs": 1}
        named += bool(cal.where(y, P, groups=groups, n_regions=2, **options).beyond.significant)
    assert named <= 32
