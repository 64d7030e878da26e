"""Laws of the kernel errors on random data, on both cores."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from calibrant import KCE, SKCE, Predictions, _native
from calibrant._engine._forms import RadialForm
from calibrant._engine._pair_sums import pair_sum, row_sums
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Classwise, Gaussian, Laplacian, RationalQuadratic

KERNELS = [
    Laplacian(0.3),
    Laplacian(),
    Laplacian(0.3, metric="euclidean"),
    Laplacian(0.3, metric="hellinger"),
    Gaussian(0.4),
    RationalQuadratic(0.4),
    Laplacian(0.2) + 0.5 * Gaussian(0.6),
    Classwise(Laplacian(0.25)),
]
CORES = ["numpy"] if _native._core is None else ["native", "numpy"]

# the core is chosen anew by every test, not by every example, which is all a law needs
few = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@st.composite
def samples(draw, min_rows=2, max_rows=70, weighted=False):
    """Labels, predictions from vertices to the middle of the simplex, and weights."""
    n, m = draw(st.integers(min_rows, max_rows)), draw(st.integers(2, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    P = rng.dirichlet(np.full(m, draw(st.sampled_from([0.02, 0.3, 1.0, 20.0]))), n)
    if draw(st.booleans()):
        P = np.round(P, 1)  # ties, and rows with zeros
        P /= P.sum(axis=1, keepdims=True)
    y = rng.integers(m, size=n)
    return (y, P, rng.random(n) + 0.01) if weighted else (y, P)


kernels = st.sampled_from(KERNELS)
both = st.booleans()


def size(kernel, P):
    """What rounding is relative to: Σ_ij |h_ij|/n² is at most 2·sup k."""
    return 2.0 * kernel.bound(P.shape[1])


def same(value, other, kernel, P, rel=1e-12):
    assert value == pytest.approx(other, rel=rel, abs=1e-15 * size(kernel, P))


@few
@given(samples(weighted=True), kernels, both, st.randoms(use_true_random=False))
def test_order_of_samples_means_nothing(core, sample, kernel, unbiased, random):
    y, P, w = sample
    kernel = kernel.resolve(P)
    rows = random.sample(range(len(y)), len(y))
    skce = SKCE(kernel, unbiased=unbiased)
    same(skce(y[rows], P[rows]), skce(y, P), kernel, P)
    weighted = skce(y, P, sample_weight=w)
    same(skce(y[rows], P[rows], sample_weight=w[rows]), weighted, kernel, P)


@few
@given(samples(), kernels, both, st.randoms(use_true_random=False))
def test_names_of_classes_mean_nothing(core, sample, kernel, unbiased, random):
    y, P = sample
    kernel = kernel.resolve(P)
    columns = random.sample(range(P.shape[1]), P.shape[1])
    skce = SKCE(kernel, unbiased=unbiased)
    same(skce(np.argsort(columns)[y], P[:, columns]), skce(y, P), kernel, P)


@few
@given(samples(), kernels, st.integers(1, 80))
def test_size_of_the_tiles_means_nothing(core, sample, kernel, tile):
    y, P = sample
    residuals = Predictions(y, P).residuals
    forms = kernel.resolve(P).forms(P, residuals)
    whole, parts = pair_sum(forms), pair_sum(forms, Parallel(tile=tile))
    assert parts == pytest.approx(whole, rel=1e-12, abs=1e-14 * len(y) ** 2)
    np.testing.assert_allclose(
        row_sums(forms, Parallel(tile=tile)), row_sums(forms), rtol=1e-12, atol=1e-14 * len(y)
    )


@few
@given(samples(min_rows=1), kernels)
def test_biased_error_is_not_negative(core, sample, kernel):
    assert SKCE(kernel, unbiased=False)(*sample) >= 0
    assert KCE(kernel)(*sample) >= 0


@few
@given(samples(), kernels)
def test_one_block_of_all_samples_is_the_unbiased_error(core, sample, kernel):
    y, P = sample
    same(SKCE(kernel, block_size=len(y))(y, P), SKCE(kernel)(y, P), kernel, P)


@few
@given(samples(), kernels, st.integers(2, 4))
def test_repeating_the_data_leaves_the_biased_error(core, sample, kernel, times):
    y, P = sample
    skce = SKCE(kernel.resolve(P), unbiased=False)
    same(skce(np.tile(y, times), np.tile(P, (times, 1))), skce(y, P), kernel, P)


@few
@given(samples(), kernels, both, st.sampled_from([1.0, 0.5, 8.0]))
def test_equal_weights_change_nothing(core, sample, kernel, unbiased, weight):
    y, P = sample
    skce = SKCE(kernel, unbiased=unbiased)
    value = skce(y, P, sample_weight=np.full(len(y), weight))
    # powers of two scale without rounding; only sums of weights in another order are left
    same(value, skce(y, P), kernel, P, rel=1e-14)


@few
@given(samples(min_rows=1), st.integers(2, 5), kernels)
def test_integer_weights_repeat_samples_in_the_biased_error(core, sample, top, kernel):
    y, P = sample
    kernel = kernel.resolve(P)
    w = 1 + np.arange(len(y)) % top
    skce = SKCE(kernel, unbiased=False)
    same(skce(np.repeat(y, w), np.repeat(P, w, axis=0)), skce(y, P, sample_weight=w), kernel, P)


@few
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), kernels, both)
def test_one_column_is_its_two_column_form(core, seed, n, kernel, unbiased):
    rng = np.random.default_rng(seed)
    p, y = rng.random(n), rng.integers(2, size=n)
    skce = SKCE(kernel, unbiased=unbiased)
    assert skce(y, p) == skce(y, np.column_stack([1 - p, p]))


@few
@given(samples(weighted=True), kernels, both)
def test_cores_agree(native, sample, kernel, unbiased):
    y, P, w = sample
    values = []
    for core in CORES:
        with _native.using(core):
            skce = SKCE(kernel, unbiased=unbiased)
            values.append((skce(y, P), skce(y, P, sample_weight=w)))
    for one, other in zip(*values, strict=True):
        same(one, other, kernel, P)


def line_data(n=2000):
    rng = np.random.default_rng(0)
    p = np.round(rng.beta(0.5, 0.5, n), 3)
    return p, rng.random(n) < p


def test_sorting_equals_tiles(core):
    p, y = line_data()
    predictions = Predictions(y, p)
    for kernel, stretch in [(Laplacian(0.2), 0.5), (Laplacian(0.2, metric="euclidean"), 1.0)]:
        # the same distances, from two columns: no line
        tiles = RadialForm(
            predictions.y_prob,
            predictions.residuals,
            "cityblock" if kernel.metric == "tv" else "euclidean",
            "laplacian",
            stretch / 0.2,
        )
        assert len(kernel.forms(predictions.y_prob, predictions.residuals)[0].x[0]) == 1
        line = SKCE(kernel)(predictions)
        assert line == pytest.approx(2 * pair_sum([tiles]) / (2000 * 1999), rel=1e-10)


@pytest.fixture(scope="module")
def large():
    """Enough work for the engine to share it out."""
    rng = np.random.default_rng(0)
    P = rng.dirichlet(np.ones(4), 1300)
    return Predictions(rng.integers(4, size=1300), P)


@pytest.fixture(scope="module")
def processes():
    # processes that do not fork: threads are running
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as executor:
        yield executor


SHARED_OUT = [Laplacian(0.3), Gaussian(0.4), RationalQuadratic(0.4), Laplacian(0.2) + Gaussian(0.6)]


@pytest.mark.parametrize("kernel", SHARED_OUT, ids=repr)
@pytest.mark.parametrize("unbiased", [True, False])
def test_number_of_threads_changes_no_bit(core, large, kernel, unbiased):
    skce = SKCE(kernel, unbiased=unbiased)
    one = skce(large, n_jobs=1)
    for n_jobs in (2, 3, 8, None):
        assert skce(large, n_jobs=n_jobs) == one


def test_number_of_threads_changes_no_bit_of_rows_and_blocks(core, large):
    forms = Laplacian(0.3).forms(large.y_prob, large.residuals)
    blocks = SKCE(Laplacian(0.3), block_size=100)
    one = row_sums(forms, Parallel(1)), blocks.block_estimates(large, Parallel(n_jobs=1))
    for n_jobs in (2, 5):
        np.testing.assert_array_equal(row_sums(forms, Parallel(n_jobs)), one[0])
        np.testing.assert_array_equal(
            blocks.block_estimates(large, Parallel(n_jobs=n_jobs)), one[1]
        )


@pytest.mark.parametrize("kernel", SHARED_OUT, ids=repr)
def test_executors_change_no_bit(core, large, processes, kernel):
    skce = SKCE(kernel)
    one = skce(large, n_jobs=1)
    with ThreadPoolExecutor(3) as threads:
        assert skce.estimate(large, Parallel(executor=threads)) == one
    assert skce.estimate(large, Parallel(executor=processes)) == one
