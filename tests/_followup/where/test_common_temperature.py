"""The common temperature: its equation, its folds, and its robustness to a bad group."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._followup.where._common_temperature import CommonTemperature
from calibrant.models import TemperatureModel
from calibrant.recalibration import Temperature, assign_folds


def literal_equation(predictions, beta):
    """Return what the equation of the estimate leaves, row by row and class by class."""
    p, y, w = predictions.y_prob, predictions.y_true, predictions.weights
    z = np.log(np.maximum(p, 1e-12))

    def scores(row, b):
        q = np.exp(b * (row - row.max()))
        q /= q.sum()
        return q, row - q @ row

    expected = sum(
        wi * (q @ u**2) for wi, (q, u) in zip(w, (scores(r, 1.0) for r in z), strict=True)
    )
    reach = np.sqrt(expected / w.sum())
    total = 0.0
    for row, label, weight in zip(z, y, w, strict=True):
        q, u = scores(row, beta)
        bounded = np.clip(u, -reach, reach)
        total += weight * (bounded[label] - q @ bounded)
    return total


def sample(temperature=1.3, n=300, m=5, seed=0, weighted=False):
    y, p = TemperatureModel(0.3, m, temperature=temperature).sample(n, rng=seed)
    w = np.random.default_rng(1).random(n) + 0.1 if weighted else None
    return Predictions(y, p, sample_weight=w)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [3, 10])
def test_the_estimate_solves_its_equation(m, weighted):
    predictions = sample(m=m, weighted=weighted)
    fitted = CommonTemperature().fit_predictions(predictions)
    beta = 1.0 / fitted.temperature
    assert abs(literal_equation(predictions, beta)) < 1e-6
    assert literal_equation(predictions, 0.9 * beta) > 0.1
    assert literal_equation(predictions, 1.1 * beta) < -0.1


def test_a_temperature_is_estimated_without_bias():
    # 30 data sets of 2 000 rows: the standard error of their mean is .006
    found = [
        CommonTemperature().fit_predictions(sample(1.6, 2000, seed=seed)).temperature
        for seed in range(30)
    ]
    assert np.mean(found) == pytest.approx(1.6, abs=0.03)


def test_a_fold_is_close_to_a_fit_without_it():
    predictions = sample(n=600)
    folds = assign_folds(predictions.n_samples)
    whole, others = CommonTemperature().fit_folds(predictions, folds)
    assert whole.temperature == CommonTemperature().fit_predictions(predictions).temperature
    moved = []
    for k, other in enumerate(others):
        again = CommonTemperature().fit_predictions(predictions.take(folds != k))
        assert other.temperature == pytest.approx(again.temperature, rel=0.005)
        moved.append(abs(again.temperature / whole.temperature - 1.0))
    assert max(moved) > 0.01


def swapped(m, seed, rows=200):
    """Return five sites with a temperature of 1.3, and two classes swapped in the last one."""
    predictions = sample(1.3, 5 * rows, m, seed)
    y = predictions.y_true.copy()
    bad = np.arange(len(y)) >= 4 * rows
    y[bad & (predictions.y_true == 0)] = 1
    y[bad & (predictions.y_true == 1)] = 0
    return Predictions(y, predictions.y_prob), np.repeat(list("ABCDE"), rows)


@pytest.mark.parametrize("m", [5, 10])
def test_one_bad_group_draws_it_less_than_the_likelihood(m):
    pulls = []
    for seed in range(5):
        bad, _ = swapped(m, seed)
        good = bad.take(slice(0, 800))
        pulls.append(
            [
                one.fit_predictions(bad).temperature - one.fit_predictions(good).temperature
                for one in (CommonTemperature(), Temperature())
            ]
        )
    ours, theirs = np.mean(pulls, axis=0)
    assert abs(ours) < 0.6 * theirs


def test_a_swap_in_one_of_five_sites_is_found_and_no_other_is_blamed():
    # .95 of 20 data sets, no other site in any; .08 and .04 with the likelihood's temperature
    found = []
    for seed in range(4):
        rows, site = swapped(10, seed)
        result = cal.where(rows, groups={"site": site}, rng=seed, n_resamples=99)
        found += [f.name for f in result.beyond.significant if f.kind == "group"]
    assert set(found) == {"E"}
    assert len(found) >= 2


@pytest.mark.parametrize("certain", [False, True])
def test_extreme_labels_end_at_a_bound(certain):
    p = np.random.default_rng(0).dirichlet(np.full(3, 0.5), 50)
    y = p.argmax(axis=1) if certain else p.argmin(axis=1)
    fitted = CommonTemperature().fit_predictions(Predictions(y, p))
    assert fitted.temperature == pytest.approx(0.05 if certain else 20.0)
