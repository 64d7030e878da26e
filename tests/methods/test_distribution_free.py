import itertools
import math

import numpy as np
import pytest

from calibrant import ECE, SKCE, Predictions
from calibrant._engine import SMALLEST
from calibrant.kernels import Classwise, Laplacian, MatrixKernel
from calibrant.methods._base import Setting
from calibrant.methods._distribution_free import DistributionFree, mean_diagonal

KERNEL = Laplacian(0.4)
SKCES = [SKCE(KERNEL, False), SKCE(KERNEL), SKCE(KERNEL, block_size=2), SKCE(KERNEL, block_size=5)]


def run(method, predictions, estimator):
    method.check(estimator)
    return method.test(predictions, estimator, Setting(np.random.default_rng(0)))


def confident_and_wrong(n, m=3):
    return Predictions(np.zeros(n, int), np.tile(np.eye(m)[m - 1], (n, 1)))


def sample(n, m=3, seed=0):
    rng = np.random.default_rng(seed)
    return Predictions(rng.integers(m, size=n), rng.dirichlet(np.ones(m), n))


def test_pvalues_of_a_model_that_is_always_wrong():
    # Every h_ij is 2, the bound itself: D_b = exp(-(√n - 1)²/2), D_uq = exp(-⌊n/2⌋/2).
    predictions = confident_and_wrong(11)
    pvalues = [run(DistributionFree(), predictions, skce).pvalue for skce in SKCES]
    expected = [-0.5 * (math.sqrt(11) - 1) ** 2, -5 / 2, -5 / 2, -(2 * 2) / 2]
    np.testing.assert_allclose(pvalues, np.exp(expected), rtol=1e-13)


def test_mean_as_the_center_of_the_biased_bound():
    # Certain predictions have h_ii = 0 in the mean: D_b = exp(-n·2/(2·2)).
    evidence = run(DistributionFree(center="mean"), confident_and_wrong(6), SKCES[0])
    assert evidence.pvalue == pytest.approx(math.exp(-6 / 2), rel=1e-13)
    predictions = sample(30)
    bound = run(DistributionFree(), predictions, SKCES[0])
    mean = run(DistributionFree(center="mean"), predictions, SKCES[0])
    assert mean.pvalue <= bound.pvalue
    center = math.sqrt(np.mean(1 - (predictions.y_prob**2).sum(axis=1)) / 30)
    excess = max(0, math.sqrt(bound.estimate) - center)
    assert mean.pvalue == pytest.approx(math.exp(-0.5 * excess**2 * 30 / 2), rel=1e-12)


def outer(p, q):
    return np.exp(-np.abs(p[:, None] - q[None]).sum(-1))[:, :, None, None] * (np.eye(3) + 0.5)


@pytest.mark.parametrize(
    "kernel", [KERNEL, KERNEL * (np.eye(3) + 0.5), Classwise(Laplacian(0.3)), MatrixKernel(outer)]
)
def test_mean_diagonal_is_the_mean_over_the_labels(kernel):
    p = sample(4).y_prob
    expected = np.zeros(4)
    for i, y in itertools.product(range(4), range(3)):
        r = np.eye(3)[y] - p[i]
        expected[i] += p[i, y] * r @ kernel.blocks(p[[i]], p[[i]])[0, 0] @ r
    np.testing.assert_allclose(mean_diagonal(kernel, p), expected, rtol=1e-12)


@pytest.mark.parametrize("skce", SKCES)
@pytest.mark.parametrize("center", ["bound", "mean"])
def test_pvalue_at_the_critical_value_is_the_level(skce, center):
    method, predictions = DistributionFree(center=center), sample(50)
    for alpha in (0.5, 0.05, 1e-6):
        critical = method.critical_value(alpha, 50, 3, skce, predictions=predictions)
        exponent = method._exponent(critical, 50, 3, skce, predictions)
        assert math.exp(-exponent) == pytest.approx(alpha, rel=1e-10)


def test_acceptance_regions_of_the_corollaries():
    method, reach = DistributionFree(), math.sqrt(-2 * math.log(0.1))
    assert method.critical_value(0.1, 101, 3, SKCES[1]) == pytest.approx(2 / math.sqrt(50) * reach)
    assert method.critical_value(0.1, 101, 3, SKCES[3]) == pytest.approx(2 / math.sqrt(40) * reach)
    root = math.sqrt(method.critical_value(0.1, 101, 3, SKCES[0]))
    assert root == pytest.approx(math.sqrt(2 / 101) * (1 + reach))


def test_the_bound_of_the_paper_is_used_where_asked_for():
    default = run(DistributionFree(), confident_and_wrong(40), SKCES[1])
    asked = run(DistributionFree(p=1, q=2), confident_and_wrong(40), SKCES[1])
    assert default.details["bound"] == 2
    assert asked.details["bound"] == pytest.approx(2**1.5)
    assert asked.pvalue == pytest.approx(default.pvalue**0.5)


def test_estimates_that_are_not_positive_have_pvalue_one():
    for seed in range(20):
        predictions = sample(6, seed=seed)
        for skce in SKCES[1:]:
            evidence = run(DistributionFree(), predictions, skce)
            assert (evidence.pvalue == 1) == (evidence.estimate <= 0)


@pytest.mark.parametrize("skce", SKCES)
@pytest.mark.parametrize("center", ["bound", "mean"])
def test_level_holds_over_all_labels_given_the_predictions(skce, center):
    p = np.linspace(0.88, 0.95, 8)[:, None] * [1, -1] + [0, 1]
    pvalues, weights = [], []
    for labels in itertools.product(range(2), repeat=8):
        predictions = Predictions(np.array(labels), p)
        pvalues.append(run(DistributionFree(center=center), predictions, skce).pvalue)
        weights.append(np.prod(p[np.arange(8), labels]))
    pvalues, weights = np.array(pvalues), np.array(weights)
    assert pvalues.min() < 0.9  # else nothing is tested
    for alpha in np.unique(pvalues):
        assert weights[pvalues <= alpha].sum() <= alpha + 1e-12


def test_intervals_contain_the_estimate_and_stay_inside_the_possible_values():
    for skce in SKCES:
        low, high = DistributionFree().confidence_interval(0.3, 10_000, 3, skce)
        assert 0 <= low < 0.3 < high <= 2
        wide = DistributionFree().confidence_interval(0.3, 10_000, 3, skce, confidence_level=0.999)
        assert wide[0] < low
        assert wide[1] > high
        assert DistributionFree().confidence_interval(0.3, 10, 3, skce) == (0, 2)


def test_interval_of_the_biased_estimator_has_no_factor_two():
    low, high = DistributionFree().confidence_interval(0.25, 400, 3, SKCES[0], confidence_level=0.9)
    reach = math.sqrt(2 / 400) + math.sqrt(2 * 2 * math.log(10) / 400)
    assert (low, high) == pytest.approx(((0.5 - reach) ** 2, (0.5 + reach) ** 2))


def test_interval_of_the_unbiased_estimators_is_two_sided():
    for skce, n_independent in ((SKCES[1], 200), (SKCES[3], 160)):
        low, high = DistributionFree().confidence_interval(0.9, 401, 3, skce, confidence_level=0.9)
        reach = 2 * math.sqrt(2 * math.log(2 / 0.1) / n_independent)
        assert (low, high) == pytest.approx((0.9 - reach, 0.9 + reach))


def test_intervals_cover_the_error_of_a_miscalibrated_model():
    # A constant prediction (½, ½) of labels that are always 0: SKCE = |r|² = ½ exactly.
    predictions = Predictions(np.zeros(60, int), np.full((60, 2), 0.5))
    for skce in SKCES:
        details = run(DistributionFree(), predictions, skce).details
        low, high = details["confidence_interval"]
        assert low <= 0.5 <= high


def test_tiny_pvalues_are_floored_and_their_logarithm_is_kept():
    evidence = run(DistributionFree(), confident_and_wrong(6000), SKCES[2])
    assert evidence.pvalue == SMALLEST
    assert evidence.details["log_pvalue"] == pytest.approx(-1500)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"works with SKCE .*ECE.*Exact"):
        DistributionFree().check(ECE())
    weighted = Predictions([0, 1], [0.5, 0.5], sample_weight=[1, 2])
    with pytest.raises(ValueError, match=r"unweighted means.*Exact"):
        run(DistributionFree(), weighted, SKCES[1])
    with pytest.raises(ValueError, match="center"):
        DistributionFree(center="median")
    with pytest.raises(ValueError, match="together"):
        DistributionFree(p=1)
    with pytest.raises(ValueError, match="alpha"):
        DistributionFree().critical_value(0, 10, 2)
    with pytest.raises(ValueError, match="pass `predictions`"):
        DistributionFree(center="mean").critical_value(0.1, 10, 2, SKCES[0])
    with pytest.raises(ValueError, match="at least 5"):
        DistributionFree().critical_value(0.1, 4, 2, SKCES[3])
