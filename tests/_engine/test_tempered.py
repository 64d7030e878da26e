"""Moments of tempered and shifted rows against plain loops, on both cores."""

import math

import numpy as np
import pytest

from calibrant._engine._tempered import (
    label_logs,
    odds_scores,
    odds_sums,
    shifted_moments,
    shifted_odds,
    tempered_moments,
)

#: fewer classes than a vector has lanes, as many, more, and many
CLASSES = (1, 3, 8, 9, 17, 130)
FLOOR = 1e-4


def make(m, n=13, seed=0):
    """Rows that sum to anything, some with zeros and one that is certain."""
    rng = np.random.default_rng(seed)
    p = rng.random(n)[:, None] * rng.dirichlet(np.full(m, 0.3), n)
    p[0] = 0.0
    p[0, m // 2] = 1.0
    return p, rng.integers(m, size=n), rng.random(n) + 0.1


def logits(row, relative):
    z = [math.log(max(x, FLOOR * (sum(row) if relative else 1.0))) for x in row]
    return max(z), [one - max(z) for one in z]


def softmax(logits):
    e = [math.exp(x - max(logits)) for x in logits]
    return max(logits) + math.log(sum(e)), [x / sum(e) for x in e]


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("relative", [True, False])
@pytest.mark.parametrize("beta", [0.05, 1.0, 3.7, 20.0])
def test_tempered_moments_are_expectations_of_each_row(core, m, relative, beta):
    p, _, _ = make(m)
    found = tempered_moments(p, beta, FLOOR, relative=relative)
    for i, row in enumerate(p):
        top, z = logits(row, relative)
        total, q = softmax([beta * one for one in z])
        expected = {
            "log_largest": top,
            "row_sum": sum(row),
            "log_total": total,
            "mean": sum(a * b for a, b in zip(q, z, strict=True)),
            "square": sum(a * b**2 for a, b in zip(q, z, strict=True)),
            "cube": sum(a * b**3 for a, b in zip(q, z, strict=True)),
            "concentration": sum(a**2 for a in q),
            "agreement": sum(a * b for a, b in zip(q, row, strict=True)),
            "product": sum(a * b * c for a, b, c in zip(q, row, z, strict=True)),
        }
        for name, value in expected.items():
            assert getattr(found, name)[i] == pytest.approx(value, rel=1e-12, abs=1e-13), name


def test_central_moments_are_those_about_the_mean(core):
    p, _, _ = make(9)
    found = tempered_moments(p, 1.3, FLOOR, relative=True)
    for i, row in enumerate(p):
        _, z = logits(row, relative=True)
        _, q = softmax([1.3 * one for one in z])
        for power, moment in ((2, found.variance[i]), (3, found.third[i])):
            about = sum(a * (b - found.mean[i]) ** power for a, b in zip(q, z, strict=True))
            assert moment == pytest.approx(about, rel=1e-9, abs=1e-10)


def test_rows_are_those_that_were_asked_for(core):
    p, _, _ = make(9)
    rows = np.array([11, 3, 3])
    every, some = (tempered_moments(p, 1.3, FLOOR, rows=r, relative=True) for r in (None, rows))
    for name, values in vars(every).items():
        np.testing.assert_array_equal(getattr(some, name), values[rows])


@pytest.mark.parametrize("relative", [True, False])
def test_label_logs_are_the_logits_of_the_labels(core, relative):
    p, y, _ = make(9)
    found = tempered_moments(p, 1.0, FLOOR, relative=relative)
    sums = found.row_sum if relative else np.ones(1)
    z = label_logs(p[np.arange(len(p)), y], found.log_largest, sums, FLOOR)
    expected = [logits(row, relative)[1][c] for row, c in zip(p, y, strict=True)]
    np.testing.assert_allclose(z, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("m", CLASSES)
@pytest.mark.parametrize("slope", [1.0, 2.5, 0.0, -0.7])
def test_shifted_moments_are_expectations_and_sums_by_class(core, m, slope):
    p, _, w = make(m)
    intercepts = np.random.default_rng(1).normal(size=m)
    if m > 3:
        intercepts[[1, m - 1]] = -np.inf  # classes that are left out
    found = shifted_moments(p, w, slope, intercepts, FLOOR, roots=True)
    totals, crosses = np.zeros(m), np.zeros(m)
    for i, row in enumerate(p):
        top, z = logits(row, relative=True)
        total, q = softmax([slope * a + b for a, b in zip(z, intercepts, strict=True)])
        mean = sum(a * b for a, b in zip(q, z, strict=True))
        square = sum(a * b**2 for a, b in zip(q, z, strict=True))
        expected = [top, sum(row), total, mean, square, max(square - mean**2, 0.0)]
        names = ("log_largest", "row_sum", "log_total", "mean", "square", "variance")
        for name, value in zip(names, expected, strict=True):
            assert getattr(found, name)[i] == pytest.approx(value, rel=1e-11, abs=1e-12), name
        np.testing.assert_allclose(found.roots[i], math.sqrt(w[i]) * np.array(q), rtol=1e-11)
        totals += w[i] * np.array(q)
        crosses += w[i] * np.array(q) * (np.array(z) - mean)
    np.testing.assert_allclose(found.totals, totals, rtol=1e-12)
    np.testing.assert_allclose(found.crosses, crosses, rtol=1e-11, atol=1e-13)
    assert shifted_moments(p, w, slope, intercepts, FLOOR, roots=False).roots.size == 0


@pytest.mark.parametrize("m", [2, 3, 8, 9, 130])
def test_odds_sums_add_up_scores_and_information_of_every_class(core, m):
    p, y, w = make(m)
    factors = np.exp(np.random.default_rng(1).normal(size=m))
    expected = np.zeros((5, m))
    for row, label, weight in zip(p, y, w, strict=True):
        e = [max(x, FLOOR * sum(row)) for x in row]
        for c in range(m):
            others = math.fsum(e[:c] + e[c + 1 :])
            own = e[c] * factors[c]
            q, rest = own / (own + others), others / (own + others)
            score = weight * (rest if c == label else -q)
            spread = weight * q * rest
            expected[:, c] += score, spread, weight * spread, score**2, score**4
    np.testing.assert_allclose(odds_sums(p, y, w, factors, FLOOR), expected, rtol=1e-11)


def test_a_class_that_is_nearly_certain_keeps_what_is_left_for_others():
    p = np.array([[1e-30, 1.0, 1e-25]])
    q, rest = shifted_odds(p, np.ones(3), 1e-40)
    assert rest[0, 1] == pytest.approx(1e-25 + 1e-30, rel=1e-14)
    assert odds_scores(q, rest, np.array([1]))[0, 1] == rest[0, 1]


def test_sums_of_a_nearly_certain_class_keep_them_too(core):
    p = np.array([[1e-30, 1.0, 1e-25]])
    sums = odds_sums(p, np.array([1]), np.ones(1), np.ones(3), 1e-40)
    assert sums[0, 1] == pytest.approx(1e-25 + 1e-30, rel=1e-13)
