"""Cumulative differences: the literal partial sums, ties, published values."""

import csv
import math

import numpy as np
import pytest

from calibrant.estimators import KolmogorovSmirnov, Kuiper, cumulative_differences


def literal(y, p, w):
    """Partial sums over the rows up to each distinct probability, from 0."""
    sums = [0.0, *(np.sum((w * (y - p))[p <= t]) for t in sorted(set(p)))]
    return max(map(abs, sums)), max(sums) - min(sums)


@pytest.mark.parametrize("standardized", [False, True])
def test_they_are_the_extremes_of_partial_sums(standardized):
    rng = np.random.default_rng(0)
    p = rng.integers(0, 20, 100) / 20 * 0.9 + 0.05  # many ties
    y, w = (rng.random(100) < 0.5).astype(int), rng.uniform(0.1, 2.0, 100)
    scale = np.sqrt(np.sum(w**2 * p * (1 - p))) if standardized else w.sum()
    ks, kuiper = literal(y, p, w)
    found = KolmogorovSmirnov(standardized)(y, p, sample_weight=w)
    assert found == pytest.approx(ks / scale, rel=1e-12)
    assert Kuiper(standardized)(y, p, sample_weight=w) == pytest.approx(kuiper / scale, rel=1e-12)


def test_ties_are_one_step():
    # whatever their order, the labels 1, 0 at one half leave no partial sum
    for y in ([1, 0], [0, 1]):
        assert Kuiper(standardized=False)(y, [0.5, 0.5]) == 0.0


@pytest.mark.parametrize(("y", "value"), [([0, 1, 0, 1], 0.15), ([1, 1, 1, 1], 0.5)])
def test_range_of_the_paper_of_cumulative_differences(y, value):
    # ORACLES 9: ECCE range of s = [.6, .8, .2, .4]
    assert Kuiper(standardized=False)(y, [0.6, 0.8, 0.2, 0.4]) == pytest.approx(value, rel=1e-14)


def test_values_of_mapie(shared):
    # MAPIE 1.6 on the logistic forecasts of precipitation in Niamey: ORACLES 9. MAPIE adds noise of
    # 1e-7 to the predictions to part ties.
    with (shared / "data" / "precip_niamey_2016.csv").open() as file:
        rows = list(csv.DictReader(file))
    y = np.array([int(float(row["obs"])) for row in rows])
    p = np.array([float(row["Logistic"]) for row in rows])
    assert KolmogorovSmirnov()(y, p) == pytest.approx(0.962533912618999, rel=1e-7)
    assert Kuiper()(y, p) == pytest.approx(1.2130716937104091, rel=1e-7)


def test_certain_predictions_have_no_deviations_to_count_in():
    assert KolmogorovSmirnov()([1, 0], [0.0, 1.0]) == 0.0
    assert KolmogorovSmirnov(standardized=False)([1, 0], [0.0, 1.0]) == 0.5


def test_the_curve_ends_at_the_bias_and_knows_its_deviation():
    rng = np.random.default_rng(1)
    p = rng.random(50)
    y, w = (rng.random(50) < p).astype(int), rng.uniform(0.5, 2.0, 50)
    found = cumulative_differences(y, p, sample_weight=w)
    assert found.difference[-1] == pytest.approx(np.average(y - p, weights=w), rel=1e-10)
    assert found.share[-1] == pytest.approx(1.0, rel=1e-14)
    sd = math.sqrt(np.sum(w**2 * p * (1 - p))) / w.sum()
    assert found.sd[-1] == pytest.approx(sd, rel=1e-12)
    largest = np.abs(found.difference).max()
    assert KolmogorovSmirnov(standardized=False)(y, p, sample_weight=w) == largest
