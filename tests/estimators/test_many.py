"""Many data sets of one size, and many label sets of one, by the kernel errors."""

import numpy as np
import pytest
from tests.estimators.kernel_pairs import ANY, THREE
from tests.samples import make_sample

from calibrant import Parallel, Predictions
from calibrant.errors import RowSumWarning
from calibrant.estimators import KCE, MMCE, SKCE, UCME
from calibrant.kernels import Classwise, FunctionKernel, Gaussian, Laplacian, Mean


def inner(p, q):
    return p @ q.T


def batch(count, n, m, seed=0):
    samples = [make_sample(seed + b, n, m) for b in range(count)]
    return np.stack([s.y for s in samples]), np.stack([s.P for s in samples])


def check(estimator, y, P):
    single = [estimator(a, b) for a, b in zip(y, P, strict=True)]
    np.testing.assert_allclose(estimator.many(y, P), single, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize(("kernel", "k"), THREE.values(), ids=THREE)
def test_every_data_set_gets_its_own_estimate(core, kernel, k, unbiased):
    check(SKCE(kernel, unbiased=unbiased), *batch(4, 11, 3))


@pytest.mark.parametrize(("kernel", "k"), ANY.values(), ids=ANY)
def test_data_sets_of_two_classes(core, kernel, k):
    check(SKCE(kernel), *batch(4, 11, 2))


@pytest.mark.parametrize("n", [2, 3, 7, 8, 9, 16, 17, 33])
@pytest.mark.parametrize("m", [2, 3, 17, 40])
def test_odd_shapes(core, n, m):
    for kernel in (Laplacian(0.3), Gaussian(0.4)):
        check(SKCE(kernel), *batch(3, n, m))


@pytest.mark.parametrize(
    "kernel",
    [
        Laplacian(),
        Laplacian(Mean(), metric="euclidean"),
        Gaussian(),
        Laplacian() + Gaussian(),
        Classwise(),
        Laplacian() * np.diag([1.0, 2.0, 0.5]),
        pytest.param(Laplacian() + FunctionKernel(inner), id="with a function"),
    ],
    ids=repr,
)
def test_rules_are_resolved_for_every_data_set_by_itself(core, kernel):
    check(SKCE(kernel), *batch(4, 11, 3))
    check(SKCE(kernel, unbiased=False), *batch(4, 11, 3))


@pytest.mark.parametrize(
    "estimator",
    [
        SKCE(Laplacian(0.3), block_size=3),
        KCE(Laplacian(0.3)),
        MMCE(),
        UCME(Gaussian(0.4), [([0.2, 0.3, 0.5], 1)]),
    ],
    ids=repr,
)
def test_other_estimators_take_many_too(core, estimator):
    check(estimator, *batch(4, 11, 3))


def test_threads_change_no_bit(core):
    y, P = batch(40, 60, 40)  # enough work to be shared out
    skce = SKCE(Laplacian(0.3))
    one = skce.many(y, P, Parallel(n_jobs=1))
    for n_jobs in (2, 3):
        np.testing.assert_array_equal(skce.many(y, P, Parallel(n_jobs=n_jobs)), one)


def test_rows_that_are_renormalized_are_so_in_a_batch(core):
    y, P = batch(3, 11, 3)
    P = P * (1.0 - 1e-3 * np.arange(11)[:, None] / 11)
    skce = SKCE(Laplacian(0.3))
    with pytest.warns(RowSumWarning):
        many = skce.many(y, P)
    with pytest.warns(RowSumWarning):
        single = [skce(a, b) for a, b in zip(y, P, strict=True)]
    np.testing.assert_allclose(many, single, rtol=1e-12)


def test_two_columns_that_sum_to_one_up_to_rounding(core):
    # Kept as they are by Predictions, and still summed as one number.
    y, P = batch(3, 11, 2)
    P = P.copy()
    P[1, 5] *= 1.0 + 9e-7
    P[1, 6] *= 1.0 - 9e-7
    check(SKCE(Laplacian(0.3)), y, P)


def test_no_data_sets_give_no_estimates(core):
    empty = np.empty((0, 5), dtype=int), np.empty((0, 5, 3))
    for estimator in (SKCE(), SKCE(block_size=2), KCE(), MMCE()):
        assert estimator.many(*empty).shape == (0,)


def test_too_few_rows_are_refused(core):
    with pytest.raises(ValueError, match="the unbiased SKCE needs at least 2 rows; got 1"):
        SKCE(Laplacian(0.3)).many([[0], [1]], np.full((2, 1, 2), 0.5))
    values = SKCE(Laplacian(0.3), unbiased=False).many([[0], [1]], np.full((2, 1, 2), 0.5))
    np.testing.assert_allclose(values, 0.5, rtol=1e-14)


@pytest.mark.parametrize(
    "estimator",
    [SKCE(), SKCE(unbiased=False), SKCE(block_size=2), KCE(), MMCE()],
    ids=repr,
)
def test_label_sets_give_their_own_estimates(core, ternary, estimator):
    y, P, w = ternary
    labels = np.random.default_rng(0).integers(3, size=(4, len(y)), dtype=np.uint8)
    predictions = Predictions(y, P, sample_weight=w)
    single = [estimator(row.astype(int), P, sample_weight=w) for row in labels]
    np.testing.assert_allclose(estimator.over_labels(predictions, labels), single, rtol=1e-12)
