"""Statistics of many label sets together: native routines against plain loops."""

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


def literal(i, j, values, count):
    """The sums of `label_pair_sums`, pair by pair; `values` is 0 if there is no pair."""
    (p, y), (q, z) = i, j
    agree, cross = np.zeros(count), np.zeros(count)
    for b in range(count):
        agree[b] = np.sum(values * (y[:, None, b] == z[:, b]))
        cross[b] = np.sum(values * (q[:, y[:, b]].T + p[:, z[:, b]]))
    return agree, cross, np.sum(values * (p @ q.T))


@label_types
@pytest.mark.parametrize("triangle", [True, False])
@pytest.mark.parametrize("count", [1, 8, 20, 37, 64])
@pytest.mark.parametrize(("n", "m"), [(1, 2), (2, 3), (17, 3), (40, 17)])
def test_pairs_of_label_sets(native, dtype, n, m, count, triangle):
    x, w = rows(n, n, m, 1)
    z, u = (x, w) if triangle else rows(n + 1, 13, m, 1)
    rng = np.random.default_rng(5)
    p = rng.random((n, m))
    q = p if triangle else rng.random((13, m))
    labels_i = label_sets(0, n, 64, m, dtype)
    labels_j = labels_i if triangle else label_sets(1, 13, 64, m, dtype)
    rates = np.array([1.0, 2.0, 7.5])
    agree, cross, constant = np.full((3, 64), 0.5), np.full((3, 64), 0.25), np.full(3, 0.125)
    given = x, w[:, 0].copy(), p, z, u[:, 0].copy(), q, 0, 1, rates, labels_i, labels_j
    native.label_pair_sums(*given, triangle, count, agree, cross, constant)
    for k, rate in enumerate(rates):
        values = kernel(x, z, "cityblock", "laplacian", rate) * (w @ u.T)
        values = np.triu(values, 1) if triangle else values
        expected = literal((p, labels_i), (q, labels_j), values, count)
        starts = (agree, 0.5), (cross, 0.25), (constant, 0.125)
        for (found, start), sums in zip(starts, expected, strict=True):
            part = found[k, :count] if found.ndim == 2 else found[k]
            np.testing.assert_allclose(part, start + sums, rtol=1e-12, atol=1e-12)


@label_types
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("profile", ["laplacian", "gaussian"])
@pytest.mark.parametrize(("n", "m", "replicates"), [(33, 257, 64), (70, 3, 192), (257, 2, 128)])
def test_every_kernel_and_several_batches(native, dtype, metric, profile, n, m, replicates):
    x, w = rows(n, n, m, 1)
    labels = label_sets(n, n, replicates, min(m, 4), dtype)
    agree, cross, constant = np.zeros((1, replicates)), np.zeros((1, replicates)), np.zeros(1)
    codes = METRICS.index(metric), PROFILES.index(profile)
    side, rates = (x, w[:, 0].copy(), x), np.array([1.3])
    given = *side, *side, *codes, rates, labels, labels
    native.label_pair_sums(*given, True, replicates, agree, cross, constant)
    values = np.triu(kernel(x, x, metric, profile, 1.3) * (w @ w.T), 1)
    expected = literal((x, labels), (x, labels), values, replicates)
    for found, sums in zip((agree[0], cross[0], constant[0]), expected, strict=True):
        np.testing.assert_allclose(found, sums, rtol=1e-11, atol=1e-11)


@label_types
@pytest.mark.parametrize("triangle", [True, False])
@pytest.mark.parametrize("count", [1, 8, 20, 37, 64])
@pytest.mark.parametrize("n", [1, 2, 17, 40])
def test_values_whose_labels_agree(native, dtype, n, count, triangle):
    columns = n if triangle else 13
    values = np.random.default_rng(n).normal(size=(n, columns))
    labels_i = wide(label_sets(0, n, 64, 3, dtype))
    labels_j = labels_i if triangle else wide(label_sets(1, 13, 64, 3, dtype))
    out = np.full(64, 0.5)
    native.agreeing_sums(values, labels_i, labels_j, triangle, count, out)
    for b in range(count):
        expected = 0.5 + agreement(labels_i, labels_j, values, triangle, b)
        assert out[b] == pytest.approx(expected, rel=1e-12, abs=1e-13)


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
