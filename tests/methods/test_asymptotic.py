import itertools
import math

import numpy as np
import pytest

from calibrant import ECE, SKCE, Predictions, _native
from calibrant._execution._parallel import Parallel
from calibrant.kernels import Classwise, Gaussian, Laplacian
from calibrant.methods._asymptotic import (
    Asymptotic,
    _Pairs,
    bootstrap_statistics,
    centered_statistics,
    mean_cubes,
    resample_counts,
)
from calibrant.methods._base import Setting
from calibrant.methods._pair_matrix import pair_matrix
from calibrant.methods._pearson import pearson3_sf
from calibrant.models import M1

KERNELS = [
    Laplacian(0.4),
    Gaussian(0.5),
    Laplacian(0.3) * np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]]),
    Classwise(Laplacian(0.3)),
]


SKCE4 = SKCE(Laplacian(0.4))


def run(method, predictions, estimator=SKCE4, seed=0, **parallel):
    method.check(estimator)
    setting = Setting(np.random.default_rng(seed), Parallel(**parallel))
    return method.test(predictions, estimator, setting)


def sample(n=12, m=3, seed=0, **kwargs):
    rng = np.random.default_rng(seed)
    return Predictions(rng.integers(m, size=n), rng.dirichlet(np.ones(m), n), **kwargs)


def literal_matrix(predictions, kernel):
    p, r = predictions.y_prob, predictions.residuals
    n = len(p)
    blocks = kernel.blocks(p, p)
    return np.array([[r[i] @ blocks[i, j] @ r[j] for j in range(n)] for i in range(n)])


def dirichlet_100():
    rng = np.random.default_rng(1234)
    p = rng.dirichlet((3, 2, 5), 100)
    return Predictions(rng.integers(low=1, high=4, size=100) - 1, p)


def test_bootstrap_of_the_pycalibration_readme_data():
    # ORACLES: kernel exp(-TV); statistic n/(n−1)·uq − b, p ≈ .0067. With 20 000 resamples the
    # standard error of p is .0006: four of them.
    evidence = run(Asymptotic(20_000), dirichlet_100(), SKCE(Laplacian(1.0)))
    assert evidence.statistic == pytest.approx(-0.006426550757474104, rel=1e-11)
    assert evidence.estimate == pytest.approx(0.02129650889373521, rel=1e-12)
    assert evidence.pvalue == pytest.approx(0.0067, abs=0.0024)


def test_bootstrap_statistic_of_the_pycalibration_test_data():
    rng = np.random.default_rng(1234)
    p = rng.dirichlet((1, 1), 500)
    predictions = Predictions(1 - (rng.random(500) < p[:, 0]), p)
    evidence = run(Asymptotic(10), predictions, SKCE(Laplacian(1 / 3, metric="euclidean")))
    assert evidence.statistic == pytest.approx(-0.0006669401755004386, rel=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_bootstrap_statistics_are_the_literal_sums(kernel):
    predictions, n = sample(), 12
    h = literal_matrix(predictions, kernel)
    counts = resample_counts(n, 6, np.random.default_rng(3))
    expected, centered = np.zeros(6), np.zeros(6)
    for b, i, j in itertools.product(range(6), range(n), range(n)):
        c = counts[:, b].astype(float)
        expected[b] += c[i] * (n / (n - 1) * (c[j] - (i == j)) - 2) * h[i, j] / n**2
        centered[b] += (i != j) * (c[i] - 1) * (c[j] - 1) * h[i, j] / (n * (n - 1))
    pairs = _Pairs(predictions, kernel, Parallel())
    np.testing.assert_allclose(bootstrap_statistics(pairs, counts), expected, rtol=1e-11)
    np.testing.assert_allclose(centered_statistics(pairs, counts), centered, rtol=1e-11, atol=1e-16)


def test_bootstrap_statistic_of_a_resample_is_that_of_the_paper():
    # T/n of the paper, from the resampled rows themselves; its constant V/n² moves to the
    # statistic that it is compared with.
    predictions, n = sample(), 12
    h = literal_matrix(predictions, KERNELS[0])
    rows = np.random.default_rng(3).integers(n, size=n)
    total = h.sum() / n**2
    paper = 0.0
    for a, b in itertools.combinations(rows, 2):
        paper += 2 / n * (h[a, b] - h[a].mean() - h[b].mean() + total)
    counts = np.bincount(rows, minlength=n)[:, None]
    ours = bootstrap_statistics(_Pairs(predictions, KERNELS[0], Parallel()), counts)
    unbiased = (h.sum() - np.trace(h)) / (n * (n - 1))
    statistic = n / (n - 1) * unbiased - total
    # n·SKCE_uq against T, in units of the statistic: (n·uq − T)/(n−1) = statistic − T'.
    assert (n * unbiased - paper) / (n - 1) == pytest.approx(statistic - ours[0], rel=1e-10)


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("self_pairs", [True, False])
def test_bootstrap_does_not_depend_on_core_tile_and_threads(m, self_pairs):
    predictions, method = sample(90, m), Asymptotic(50, self_pairs=self_pairs)
    reference = run(method, predictions, n_jobs=1).null_distribution
    two = run(method, predictions, n_jobs=2).null_distribution
    np.testing.assert_array_equal(two, reference)
    scale = np.abs(reference).max()
    tiled = run(method, predictions, tile=32).null_distribution
    np.testing.assert_allclose(tiled, reference, atol=1e-12 * scale)
    with _native.using("numpy"):
        twin = run(method, predictions).null_distribution
    np.testing.assert_allclose(twin, reference, atol=1e-12 * scale)


def test_bootstrap_in_parts_is_the_bootstrap(limit):
    whole = run(Asymptotic(20), sample(30)).null_distribution
    limit(bootstrap_counts=7 * 30)
    parts = run(Asymptotic(20), sample(30)).null_distribution
    np.testing.assert_allclose(parts, whole, rtol=1e-12)


def test_counts_are_multinomial():
    counts = resample_counts(5, 4000, np.random.default_rng(0)).astype(float)
    np.testing.assert_array_equal(counts.sum(axis=0), 5)
    # mean 1, variance .8, covariance −.2; four standard errors
    np.testing.assert_allclose(np.cov(counts), np.eye(5) - 0.2, atol=0.1)


@pytest.mark.parametrize("kernel", KERNELS)
def test_pearson_null_has_the_moments_of_hoeffding(kernel):
    predictions, n = sample(9), 9
    h = literal_matrix(predictions, kernel)
    pairs = list(itertools.permutations(range(n), 2))
    triples = list(itertools.permutations(range(n), 3))
    variance = 2 * n * (n - 1) * np.mean([h[i, j] ** 2 for i, j in pairs])
    third = 4 * n * (n - 1) * np.mean([h[i, j] ** 3 for i, j in pairs])
    third += (
        8 * n * (n - 1) * (n - 2) * np.mean([h[i, j] * h[j, k] * h[k, i] for i, j, k in triples])
    )
    evidence = run(Asymptotic(null="pearson"), predictions, SKCE(kernel))
    assert evidence.details["skewness"] == pytest.approx(third / variance**1.5, rel=1e-10)
    assert evidence.details["sd"] * n * (n - 1) == pytest.approx(math.sqrt(variance), rel=1e-11)
    z = sum(h[i, j] for i, j in pairs) / math.sqrt(variance)
    expected = pearson3_sf(z, third / variance**1.5)
    assert evidence.pvalue == pytest.approx(float(expected), rel=1e-9)


def test_third_moment_is_right_over_all_data_sets():
    # Two inputs, two labels, predictions ½: four equally likely samples, calibrated. E T³ over
    # all data sets of three, with the means over all pairs and triples of samples.
    x = np.array([0.1, 0.1, 0.9, 0.9])
    r = np.array([0.5, -0.5, 0.5, -0.5])
    h = 2 * np.exp(-np.abs(x[:, None] - x)) * np.outer(r, r)
    assert np.allclose(h.sum(axis=0), 0)  # degenerate: the mean over a sample is 0
    n, third = 3, 0.0
    for rows in itertools.product(range(4), repeat=n):
        total = sum(h[rows[i], rows[j]] for i, j in itertools.permutations(range(n), 2))
        third += total**3 / 4**n
    cubes = np.mean(h**3)
    triangles = np.einsum("ij,jk,ki->", h, h, h) / 4**3
    assert third == pytest.approx(
        4 * n * (n - 1) * cubes + 8 * n * (n - 1) * (n - 2) * triangles, rel=1e-12
    )


def test_mean_cubes_are_the_literal_means():
    h = pair_matrix(Laplacian(0.4).forms(sample(7).y_prob, sample(7).residuals))
    triples = list(itertools.permutations(range(7), 3))
    cubes, triangles = mean_cubes(h)
    assert cubes == pytest.approx(
        np.mean([h[i, j] ** 3 for i, j in itertools.permutations(range(7), 2)])
    )
    assert triangles == pytest.approx(np.mean([h[i, j] * h[j, k] * h[k, i] for i, j, k in triples]))
    assert mean_cubes(h[:2, :2])[1] == 0


@pytest.mark.slow
def test_nulls_agree_on_a_large_sample():
    y, p = M1(3, 1.0).sample(1200, 5)
    predictions = Predictions(y, p)
    pvalues = [
        run(method, predictions).pvalue
        for method in (
            Asymptotic(600),
            Asymptotic(600, self_pairs=False),
            Asymptotic(null="spectrum"),
            Asymptotic(null="pearson"),
        )
    ]
    # 600 resamples: standard error .02, plus a little for the approximations
    assert max(pvalues) - min(pvalues) < 0.1


def test_subsamples_above_the_limits_are_close_to_the_whole(limit):
    y, p = M1(3, 1.0).sample(1000, 5)
    predictions = Predictions(y, p)
    whole = [run(Asymptotic(null=null), predictions) for null in ("spectrum", "pearson")]
    limit(spectrum_rows=500, spectrum_sample=400, triangle_rows=400)
    part = [run(Asymptotic(null=null), predictions) for null in ("spectrum", "pearson")]
    for a, b in zip(whole, part, strict=True):
        assert b.details["n_rows"] == 400
        assert b.details["standardized"] == pytest.approx(a.details["standardized"], rel=1e-12)
        assert b.pvalue == pytest.approx(a.pvalue, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "low", "high"),
    [
        (Asymptotic(199, self_pairs=False), 0.015, 0.1),
        (Asymptotic(null="spectrum"), 0.015, 0.1),
        (Asymptotic(null="pearson"), 0.015, 0.1),
        (Asymptotic(199), 0.0, 0.08),
    ],
)
def test_level_is_near_the_nominal_one(method, low, high):
    # 250 data sets of 60 rows: the standard error at 5 % is .014.
    y, p = M1(3, 1.0).sample_many(250, 60, 1)
    pvalues = np.array(
        [run(method, Predictions(*one), n_jobs=1).pvalue for one in zip(y, p, strict=True)]
    )
    assert low <= np.mean(pvalues <= 0.05) <= high


@pytest.mark.parametrize(
    "method",
    [
        Asymptotic(99),
        Asymptotic(99, self_pairs=False),
        Asymptotic(null="spectrum"),
        Asymptotic(null="pearson"),
    ],
)
def test_a_model_that_ignores_the_data_is_rejected(method):
    rng = np.random.default_rng(0)
    coin = Predictions(rng.integers(2, size=150), rng.random(150))
    assert run(method, coin).pvalue <= 0.01


@pytest.mark.parametrize("null", ["bootstrap", "spectrum", "pearson"])
def test_certain_and_right_is_no_evidence(null):
    predictions = Predictions(np.arange(9) % 3, np.eye(3)[np.arange(9) % 3])
    assert run(Asymptotic(20, null=null), predictions).pvalue == 1


@pytest.mark.parametrize("null", ["bootstrap", "spectrum", "pearson"])
def test_two_rows_have_an_answer(null):
    assert 0 < run(Asymptotic(20, null=null), sample(2)).pvalue <= 1


def test_what_does_not_fit_is_refused():
    for estimator in (ECE(), SKCE(unbiased=False), SKCE(block_size=2)):
        with pytest.raises(ValueError, match="works with the unbiased SKCE without blocks"):
            Asymptotic().check(estimator)
    with pytest.raises(ValueError, match="null"):
        Asymptotic(null="normal")
    with pytest.raises(ValueError, match="variant of the bootstrap"):
        Asymptotic(null="pearson", self_pairs=False)
    with pytest.raises(ValueError, match="n_resamples"):
        Asymptotic(0)
    with pytest.raises(ValueError, match=r"sample_weight.*Exact"):
        run(Asymptotic(9), sample(sample_weight=np.ones(12)))
    with pytest.raises(ValueError, match="at least 2 rows"):
        run(Asymptotic(9), sample(1))
