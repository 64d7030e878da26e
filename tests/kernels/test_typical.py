"""The default bandwidth is the median, except where most of two classes' rows tell nothing."""

import numpy as np
import pytest

import calibrant as cal
from calibrant import SKCE, Predictions
from calibrant.kernels import Laplacian, Median, Typical
from calibrant.kernels._metrics import pairwise


def rare(n=200, a=0.05, b=3.0, seed=0):
    p = np.random.default_rng(seed).beta(a, b, n)
    return np.column_stack([1.0 - p, p])


@pytest.mark.parametrize("metric", ["tv", "euclidean", "hellinger"])
def test_rare_events_have_the_median_weighted_by_variance(metric):
    x = rare()
    i, j = np.triu_indices(len(x), k=1)
    distance, v = pairwise(metric, x, x)[i, j], x[:, 0] * x[:, 1]
    order = np.argsort(distance)
    mass = np.cumsum((v[i] * v[j])[order])
    expected = distance[order][np.searchsorted(mass, 0.5 * mass[-1])]
    assert Typical().resolve(x, metric) == pytest.approx(expected, rel=1e-9)
    assert expected > 10.0 * Median().resolve(x, metric)


@pytest.mark.parametrize("shape", [(0.1, 0.1), (0.5, 0.5), (1.0, 1.0), (5.0, 2.0)])
def test_other_predictions_of_two_classes_have_the_median(shape):
    x = rare(300, *shape)
    assert Typical().resolve(x, "tv") == Median().resolve(x, "tv")


@pytest.mark.parametrize("m", [3, 10])
def test_more_classes_have_the_median(m):
    x = np.random.default_rng(0).dirichlet(np.full(m, 0.05), 100)
    for metric in ("tv", "classwise"):
        assert Typical().resolve(x, metric) == Median().resolve(x, metric)


@pytest.mark.parametrize("p", [[0.0, 0.0, 1.0], [0.3], [0.2, 0.2], [0.0, 0.0]])
def test_certain_equal_and_single_predictions_have_the_median(p):
    x = np.column_stack([1.0 - np.array(p), p])
    assert Typical().resolve(x, "tv") == Median().resolve(x, "tv")


def test_both_orders_of_the_classes_have_the_same_bandwidth():
    x = rare()
    assert Typical().resolve(x[:, ::-1], "tv") == pytest.approx(Typical().resolve(x, "tv"))


def test_the_default_error_takes_it():
    x = rare()
    predictions = Predictions((np.random.default_rng(1).random(200) < x[:, 1]).astype(int), x)
    assert SKCE() == SKCE(Laplacian(Typical()))
    fixed = SKCE(Laplacian(Typical().resolve(x, "tv")))
    assert SKCE()(predictions) == fixed(predictions)


@pytest.mark.slow
def test_a_shift_of_rare_events_is_found():
    # 40 runs, standard error at most .08: .75 and .15 in a study of 60 runs
    found = np.zeros(2)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        p = np.clip(rng.beta(0.05, 3.0, 2000), 1e-12, 1.0)
        odds = p / (1.0 - p) * np.exp(0.6)
        y = (rng.random(2000) < odds / (1.0 + odds)).astype(int)
        for k, rule in enumerate((Typical(), Median())):
            result = cal.calibration_test(
                y,
                p,
                classes=(0, 1),
                estimator=SKCE(Laplacian(rule)),
                method=cal.methods.Exact(99),
                rng=seed,
                effects=False,
            )
            found[k] += result.pvalue <= 0.05
    assert found[0] > 22
    assert found[1] < 18
