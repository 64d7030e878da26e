import math

import numpy as np
import pytest
from scipy import stats

from calibrant import SKCE, Predictions
from calibrant.kernels import Gaussian, Laplacian
from calibrant.methods._asymptotic_block import AsymptoticBlock
from calibrant.methods._base import Setting
from calibrant.models import M1

TEST = AsymptoticBlock()


def run(predictions, estimator, method=TEST):
    method.check(estimator)
    return method.test(predictions, estimator, Setting(np.random.default_rng(0)))


def sample(n=60, m=3, seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    return Predictions(rng.integers(m, size=n), rng.dirichlet(np.ones(m), n), **kwargs)


def pycalibration():
    rng = np.random.default_rng(1234)
    p = rng.dirichlet((1, 1), 500)
    return Predictions(1 - (rng.random(500) < p[:, 0]), p)


@pytest.mark.parametrize(
    ("block_size", "estimate", "z"),
    [
        (2, -0.01786496888521873, -1.7089859890287749),
        (10, -0.004990515939470188, -2.176525107607391),
    ],
)
def test_statistics_of_the_pycalibration_test_data(block_size, estimate, z):
    # CalibrationTests.jl through pycalibration, kernel exp(-3‖p − q‖₂).
    skce = SKCE(Laplacian(1 / 3, metric="euclidean"), block_size=block_size)
    evidence = run(pycalibration(), skce)
    assert evidence.estimate == pytest.approx(estimate, rel=1e-10)
    assert evidence.statistic == pytest.approx(z, rel=1e-10)
    if block_size == 2:
        assert evidence.pvalue == pytest.approx(0.9562732276, abs=5e-11)


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("block_size", [2, 7])
def test_statistic_is_the_literal_one(ddof, block_size):
    predictions, skce = sample(), SKCE(Gaussian(0.5), block_size=block_size)
    blocks = [
        SKCE(Gaussian(0.5)).estimate(predictions.take(slice(i, i + block_size)))
        for i in range(0, 60 - block_size + 1, block_size)
    ]
    z = math.sqrt(len(blocks)) * np.mean(blocks) / np.std(blocks, ddof=ddof)
    evidence = run(predictions, skce, AsymptoticBlock(ddof=ddof))
    assert evidence.statistic == pytest.approx(z, rel=1e-11)
    assert evidence.pvalue == pytest.approx(stats.norm.sf(z), rel=1e-10)
    assert evidence.details["n_blocks"] == 60 // block_size


def test_critical_value_and_lower_bound_are_those_of_the_corollary():
    evidence = run(sample(), SKCE(Gaussian(0.5), block_size=2))
    error = evidence.details["sd"] / math.sqrt(30)
    assert evidence.details["critical_value"] == pytest.approx(stats.norm.ppf(0.95) * error)
    assert evidence.details["standard_error"] == pytest.approx(error)
    method = AsymptoticBlock()
    assert method.lower_bound(1.0, sd=1.0, n_blocks=4, confidence_level=0.5) == pytest.approx(1.0)
    assert method.lower_bound(1.0, sd=1.0, n_blocks=4) == pytest.approx(1 - 1.6448536269 / 2)
    assert method.lower_bound(0.1, sd=1.0, n_blocks=4) == 0


def test_weights_of_one_change_nothing_and_the_estimate_is_the_weighted_one():
    skce = SKCE(Gaussian(0.5), block_size=3)
    plain, ones = run(sample(), skce), run(sample(sample_weight=np.full(60, 2.0)), skce)
    assert ones.statistic == pytest.approx(plain.statistic, rel=1e-11)
    weights = np.random.default_rng(5).random(60)
    weighted = sample(sample_weight=weights)
    assert run(weighted, skce).estimate == pytest.approx(skce.estimate(weighted), rel=1e-11)


def test_equal_blocks_have_pvalue_one_or_no_answer():
    calm = Predictions([0, 1] * 6, np.tile([[1.0, 0.0], [0.0, 1.0]], (6, 1)))
    assert run(calm, SKCE(Gaussian(1.0), block_size=2)).pvalue == 1
    # Always certain and always wrong: every block estimate is the same −2/e, or 2.
    wrong = Predictions([1, 0] * 6, np.tile([[1.0, 0.0], [0.0, 1.0]], (6, 1)))
    assert run(wrong, SKCE(Gaussian(1.0), block_size=2)).pvalue == 1
    same = Predictions([1] * 12, np.tile([1.0, 0.0], (12, 1)))
    with pytest.raises(ValueError, match=r"same positive estimate 2.*Exact"):
        run(same, SKCE(Gaussian(1.0), block_size=2))


def test_blocks_that_differ_by_rounding_count_as_equal():
    rng = np.random.default_rng(0)
    rows, orders = (
        rng.dirichlet(np.ones(6), 9),
        rng.permuted(np.tile(np.arange(9), (20, 1)), axis=1),
    )
    predictions = Predictions(np.full(180, 5), rows[orders].reshape(-1, 6))
    skce = SKCE(Laplacian(0.4, metric="euclidean"), block_size=9)
    with pytest.raises(ValueError, match="same positive estimate"):
        run(predictions, skce)


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match=r"SKCE with a block size.*block_size=2"):
        AsymptoticBlock().check(SKCE())
    with pytest.raises(ValueError, match="at least 2 full blocks; got 1"):
        run(sample(5), SKCE(Gaussian(1.0), block_size=3))
    with pytest.raises(ValueError, match="ddof"):
        AsymptoticBlock(ddof=2)
    AsymptoticBlock().check(AsymptoticBlock().default_estimator())


def test_level_is_near_the_nominal_one_for_many_blocks():
    # 400 data sets: the standard error at 5 % is .011, four of them each way.
    y, p = M1(3, 1.0).sample_many(400, 200, 0)
    skce = SKCE(Laplacian(0.5), block_size=2)
    rejected = np.mean(
        [run(Predictions(*one), skce).pvalue <= 0.05 for one in zip(y, p, strict=True)]
    )
    assert 0.006 < rejected < 0.094
