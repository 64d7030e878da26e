"""Scores of single classes: exact moments, the quadratic form, and the largest total."""

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.samples import make_sample

from calibrant._engine._label_sets import LabelSets
from calibrant.methods._class_scores import (
    LEVELS,
    ClassMoments,
    ScoreScale,
    class_statistics,
    level_sums,
    level_values,
    log_levels,
)
from calibrant.methods._pearson import pearson3_sf

FLOOR = 1e-3


def sample(m=3, n=30, seed=0, weighted=True):
    _, P, w = make_sample(seed, n, m)
    return P, (w if weighted else np.ones(n))


def literal_scores(P, w, y):
    """Σ w r and Σ w r∘g, row by row."""
    g = level_values(FLOOR)[log_levels(P, FLOOR)]
    residuals = np.eye(P.shape[1])[y] - P
    return np.stack([w @ residuals, w @ (residuals * g)])


def test_levels_are_logarithms_within_half_a_step():
    p = np.geomspace(FLOOR, 1.0, 1000)
    g = level_values(FLOOR)[log_levels(p, FLOOR)]
    step = -np.log(FLOOR) / LEVELS
    assert np.max(np.abs(g - np.log(p))) <= 0.5 * step + 1e-12
    assert log_levels(np.array([0.0, 1e-9]), FLOOR).tolist() == [0, 0]


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("m", [2, 3])
def test_covariance_is_that_over_all_labels(m, many):
    P, w = sample(m, n=4)
    every = np.array(list(itertools.product(range(m), repeat=4)))
    q = np.prod(P[np.arange(4), every], axis=1)
    levels = log_levels(P, FLOOR)
    moments = ClassMoments.of(P, w, levels, FLOOR, cross_classes=1 if many else 9)
    sums = level_sums(levels, w, LabelSets.of(every, m))
    scores = moments.scores(sums, FLOOR)
    np.testing.assert_allclose(scores[5], literal_scores(P, w, every[5]), atol=1e-12)
    np.testing.assert_allclose(np.einsum("r,rac->ac", q, scores), 0.0, atol=1e-12)
    covariance = np.einsum("r,rac,rbd->acbd", q, scores, scores)
    whole = covariance.reshape(2 * m, 2 * m)
    expected = np.einsum("acbc->cab", covariance) if many else whole
    np.testing.assert_allclose(moments.covariance(FLOOR), expected, atol=1e-11)
    third = np.einsum("r,rc->c", q, scores[:, 0] ** 3)
    np.testing.assert_allclose(moments.third, third, atol=1e-11)
    scaling, _ = class_statistics(P, w, LabelSets.of(every, m), FLOOR)
    assert scaling[0] @ q == pytest.approx(0.0, abs=1e-6)


def test_scaling_is_the_quadratic_form_of_the_scores(core):
    P, w = sample(3)
    labels = np.random.default_rng(0).integers(3, size=(4, len(P)))
    moments = ClassMoments.of(P, w, log_levels(P, FLOOR), FLOOR)
    inverse = np.linalg.pinv(moments.covariance(FLOOR), rcond=1e-10)
    scaling, _ = class_statistics(P, w, LabelSets.of(labels, 3), FLOOR)
    for b, y in enumerate(labels):
        s = literal_scores(P, w, y).ravel()
        assert scaling[0, b] == pytest.approx(s @ inverse @ s - 5, rel=1e-4)  # rank 2·3 − 1


@pytest.mark.parametrize("m", [3, 5])
def test_bias_is_the_harmonic_mean_of_tails_of_class_counts(core, m):
    P, w = sample(m, n=60, weighted=False)
    labels = np.random.default_rng(1).integers(m, size=(3, 60))
    _, bias = class_statistics(P, w, LabelSets.of(labels, m), FLOOR)
    for b, y in enumerate(labels):
        inverse = 0.0
        for c in range(m):
            p = P[:, c]
            variance = np.sum(p * (1 - p))
            g = np.sum(p * (1 - p) * (1 - 2 * p)) / variance**1.5
            z = (np.sum(y == c) - p.sum()) / np.sqrt(variance)
            inverse += 1 / min(1.0, 2 * float(pearson3_sf(abs(z), np.sign(z) * g)))
        assert bias[0, b] == pytest.approx(np.log(inverse / m), rel=1e-9, abs=1e-12)


def test_tails_of_rare_classes_are_near_those_of_the_poisson_distribution():
    # 500 rows, three of them expected: a normal tail of eight would be .004
    P = np.tile([0.006, 0.494, 0.5], (500, 1))
    moments = ClassMoments.of(P, np.ones(500), log_levels(P, FLOOR), FLOOR)
    scale = ScoreScale.of(moments, FLOOR)
    tail = scale._tails(np.array([[5.0, 0.0, 0.0]]), slice(None))[0, 0]
    assert tail == pytest.approx(2 * stats.poisson.sf(7, 3.0), rel=0.5)
    assert tail > 2 * stats.norm.sf(5 / np.sqrt(3.0))


def test_many_label_sets_are_summed_in_parts(core):
    P, w = sample(3)
    labels = np.random.default_rng(0).integers(3, size=(150, len(P)))
    whole = class_statistics(P, w, LabelSets.of(labels, 3), FLOOR)
    parts = class_statistics(P, w, LabelSets.of(labels, 3), FLOOR, table=1)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)


def test_a_class_that_never_occurs_and_one_impossible_label_decide_nothing(core):
    P = np.tile([0.0, 0.5, 0.5], (20, 1))
    labels = np.array([[1, 2] * 10, [0] + [1, 2] * 9 + [2]])
    scaling, bias = class_statistics(P, np.ones(20), LabelSets.of(labels, 3), FLOOR)
    assert np.all(np.isfinite(scaling))
    assert np.all(bias[:2] < 1.0)
    np.testing.assert_allclose(bias[2], [0.0, 1.0])  # of the classes that can occur


@pytest.mark.parametrize("m", [3, 5])
def test_the_second_bias_statistic_is_the_sum_of_squared_totals(core, m):
    y, P, w = make_sample(2, 30, m)
    labels = np.array([y, np.roll(y, 1)])
    _, bias = class_statistics(P, w, LabelSets.of(labels, m), FLOOR)
    variance = w**2 @ (P * (1 - P))
    for b in range(2):
        totals = w @ (np.eye(m)[labels[b]] - P)
        assert bias[1, b] == pytest.approx(np.sum(totals**2 / variance), rel=1e-9)


@pytest.mark.parametrize("m", [3, 5])
def test_the_third_bias_statistic_is_the_largest_total(core, m):
    y, P, w = make_sample(2, 30, m)
    labels = np.array([y, np.roll(y, 1), np.zeros(30, int)])
    _, bias = class_statistics(P, w, LabelSets.of(labels, m), FLOOR)
    for b in range(3):
        totals = [sum(w[i] * ((labels[b, i] == c) - P[i, c]) for i in range(30)) for c in range(m)]
        assert bias[2, b] == pytest.approx(max(map(abs, totals)), rel=1e-9)


def test_a_certain_class_leaves_no_rounding_in_the_largest_total():
    P = np.tile([0.0, 0.5, 0.5], (10, 1))
    scale = ScoreScale.of(ClassMoments.of(P, np.ones(10), log_levels(P, FLOOR), FLOOR), FLOOR)
    np.testing.assert_array_equal(scale._largest(np.array([[1e-15, 0.0, 0.0]])), 0.0)
    np.testing.assert_array_equal(scale._largest(np.array([[5.0, -2.0, 1.0]])), 2.0)


def test_two_classes_have_one_bias_statistic(core):
    y, P, w = make_sample(2, 30, 2)
    _, bias = class_statistics(P, w, LabelSets.of(y[None], 2), FLOOR)
    assert bias.shape == (1, 1)
