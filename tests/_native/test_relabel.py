"""Statistics of many label_sets at once: native routines against plain loops."""

import math

import numpy as np
import pytest
from tests._engine.full_matrix import kernel, rows

label_types = pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
METRICS = ["cityblock", "euclidean"]
PROFILES = ["distance", "laplacian", "gaussian"]


def label_sets(seed, n, replicates, m, dtype):
    """Sample-major labels (n, replicates), with the largest values the type holds among them."""
    labels = np.random.default_rng(seed).integers(m, size=(n, replicates))
    return np.ascontiguousarray(labels, dtype=dtype)


def wide(labels):
    """The same agreements with large codes, which a comparison of low bits would confuse."""
    top = np.iinfo(labels.dtype).max
    return np.ascontiguousarray(top - labels * (top // 4)).astype(labels.dtype)


def agreement(labels_i, labels_j, values, triangle, b):
    return math.fsum(
        values[i, j]
        for i in range(len(labels_i))
        for j in range(len(labels_j))
        if labels_i[i, b] == labels_j[j, b] and (i < j or not triangle)
    )


@label_types
@pytest.mark.parametrize("triangle", [True, False])
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 3), (17, 3), (40, 5)])
def test_pairs_of_equal_labels(native, dtype, n, m, triangle):
    x, v = rows(n, n, m, 1)
    z, u = (x, v) if triangle else rows(n + 1, 13, m, 1)
    labels_i = wide(label_sets(0, n, 64, 3, dtype))
    labels_j = labels_i if triangle else wide(label_sets(1, 13, 64, 3, dtype))
    rates = np.array([1.0, 2.0, 7.5])
    out = np.full((3, 64), 0.5)
    native.same_label_sums(x, v, z, u, 0, 1, rates, labels_i, labels_j, triangle, out)
    for q, rate in enumerate(rates):
        values = kernel(x, z, "cityblock", "laplacian", rate) * (v @ u.T)
        for b in range(64):
            expected = 0.5 + agreement(labels_i, labels_j, values, triangle, b)
            assert out[q, b] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@label_types
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", ["laplacian", "gaussian"])
@pytest.mark.parametrize(("n", "m", "replicates"), [(33, 257, 64), (70, 3, 192), (257, 2, 128)])
def test_every_kernel_and_several_batches(native, dtype, metric, profile, n, m, replicates):
    x, v = rows(n, n, m, 1)
    labels = label_sets(n, n, replicates, 4, dtype)
    out = np.zeros((1, replicates))
    codes = METRICS.index(metric), PROFILES.index(profile)
    native.same_label_sums(x, v, x, v, *codes, np.array([1.3]), labels, labels, True, out)
    values = np.triu(kernel(x, x, metric, profile, 1.3) * (v @ v.T), 1)
    expected = [np.sum(values * (y[:, None] == y)) for y in labels.T]
    np.testing.assert_allclose(out[0], expected, rtol=1e-11, atol=1e-11)


@label_types
@pytest.mark.parametrize("n", [1, 2, 3, 17, 40])
@pytest.mark.parametrize("replicates", [64, 576])
def test_residuals_on_a_line(native, dtype, n, replicates):
    rng = np.random.default_rng(n)
    x = np.sort(np.round(rng.random(n), 1))
    hit, miss, order = rng.random(n), -rng.random(n), rng.permutation(n)
    labels = label_sets(n, n, replicates, 3, dtype)
    out = np.full(replicates, 0.5)
    native.line_label_sums(x, hit, miss, order, 1, 2.5, labels, out)
    for b in range(0, replicates, 7):
        r = [hit[i] if labels[order[i], b] == 1 else miss[i] for i in range(n)]
        expected = 0.5 + math.fsum(
            math.exp(-2.5 * (x[j] - x[i])) * r[i] * r[j] for j in range(n) for i in range(j)
        )
        assert out[b] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@label_types
@pytest.mark.parametrize("replicates", [64, 192])
def test_scores_of_the_labels(native, dtype, replicates):
    m = 300 if dtype is np.uint16 else 200
    scores = np.random.default_rng(0).normal(size=(21, m))
    labels = label_sets(1, 21, replicates, m, dtype)
    out = np.full(replicates, 0.5)
    native.score_sums(scores, labels, out)
    for b in range(replicates):
        expected = 0.5 + math.fsum(scores[i, labels[i, b]] for i in range(21))
        assert out[b] == pytest.approx(expected, rel=1e-12, abs=1e-13)


@label_types
@pytest.mark.parametrize(("n", "f"), [(1, 1), (21, 5), (300, 3)])
def test_features_of_every_class(native, dtype, n, f):
    features = np.random.default_rng(0).normal(size=(n, f))
    labels = label_sets(1, n, 64, 4, dtype)
    out = np.full((64, 4, f), 0.5)
    native.feature_sums(features[None], labels, out[:, None])
    expected = np.full((64, 4, f), 0.5)
    for b in range(64):
        for i in range(n):
            expected[b, labels[i, b]] += features[i]
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-13)
