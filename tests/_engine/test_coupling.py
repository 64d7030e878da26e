"""Coupled label sets: exact marginals, shared noise, and the same bits for any core and split."""

import numpy as np
import pytest
from scipy.stats import chi2

from calibrant import Predictions, _native
from calibrant._engine import (
    CoupledResampler,
    LabelResampler,
    couple,
    coupling_of_rows,
    estimate_coupling,
    shared_agreement,
)
from calibrant._engine._coupled_sets import exponentials
from calibrant.errors import DataError
from calibrant.methods import require_clusters


def rows_of(n, m, clusters, seed=0, **options):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(m, 0.5), n)
    labels = [rng.choice(m, p=row) for row in p]
    return Predictions(labels, p, clusters=clusters, **options)


@pytest.mark.parametrize("m", [2, 3, 40, 300])
@pytest.mark.parametrize("coupling", [0.0, 0.3, 1.0])
def test_both_cores_and_any_split_draw_the_same_labels(m, coupling):
    rows = rows_of(150, m, np.random.default_rng(1).integers(0, 40, 150))
    resampler = CoupledResampler(5, 1, coupling)
    whole = resampler.draw(rows, range(1, 140), first_row=7)
    with _native.using("numpy"):
        np.testing.assert_array_equal(resampler.draw(rows, range(1, 140), first_row=7), whole)
    part = resampler.draw(rows.take(slice(40, 90)), range(31, 77), first_row=47)
    np.testing.assert_array_equal(part, whole[30:76, 40:90])


def test_labels_are_those_of_a_literal_race():
    rows, coupling = rows_of(30, 4, np.arange(30) // 3), 0.6
    resampler = CoupledResampler(9, coupling=coupling)
    drawn = resampler.draw(rows, range(20))
    uniforms = LabelResampler(9).uniforms(range(30), range(20))
    with _native.using("numpy"):
        for i in range(30):
            noise = resampler._exponentials(rows.clusters[[i]].view(np.uint64), 4, range(20))[:, 0]
            for b in range(20):
                u, p = uniforms[b, i], rows.y_prob[i]
                if u < coupling:
                    expected = np.argmin(noise[b] / p)
                else:
                    rest = (u - coupling) / (1.0 - coupling)
                    expected = np.searchsorted(np.cumsum(p)[:-1], rest * p.sum(), side="right")
                assert drawn[b, i] == expected


def test_exponentials_are_minus_logarithms():
    words = np.random.default_rng(0).integers(0, 1 << 32, (2, 10_000), dtype=np.uint64)
    words[:, 0], words[:, 1] = 0, (1 << 32) - 1
    six = np.uint64(6)
    u = ((words[0] >> six) * 2.0**26 + (words[1] >> six) + 0.5) * 2.0**-52
    np.testing.assert_allclose(exponentials(*words), -np.log(u), rtol=1e-13)
    assert exponentials(*words).min() > 0.0


@pytest.mark.parametrize("coupling", [0.5, 1.0])
def test_every_label_keeps_its_distribution(coupling):
    rows = rows_of(12, 4, np.arange(12) // 4, seed=3)
    labels = CoupledResampler(2, coupling=coupling).draw(rows, range(20_000))
    counts = np.stack([(labels == c).sum(axis=0) for c in range(4)], axis=1)
    expected = 20_000 * rows.distributions
    statistic = np.sum((counts - expected) ** 2 / expected)
    # rows of a cluster are dependent, each sum has 3 degrees of freedom: far in the tail only
    assert statistic < chi2.ppf(1 - 1e-6, 36) * 2.5
    assert np.all(np.abs(counts - expected) < 5 * np.sqrt(expected) + 5)


def test_rows_agree_as_often_as_predicted():
    rows = rows_of(8, 5, [0, 0, 1, 1, 2, 2, 3, 3], seed=4)
    p = rows.distributions
    for coupling in (1.0, 0.7):
        labels = CoupledResampler(3, coupling=coupling).draw(rows, range(20_000))
        same = (labels[:, ::2] == labels[:, 1::2]).mean(axis=0)
        shared, alone = shared_agreement(p[::2], p[1::2]), np.sum(p[::2] * p[1::2], axis=1)
        np.testing.assert_allclose(same, alone + coupling**2 * (shared - alone), atol=0.02)


def test_agreement_is_the_double_sum_of_the_formula():
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(6), (2, 20))
    loops = [
        sum(
            1.0 / sum(max(a[d] / a[c], b[d] / b[c]) for d in range(6))
            for c in range(6)
        )
        for a, b in zip(p, q, strict=True)
    ]  # fmt: skip
    np.testing.assert_allclose(shared_agreement(p, q), loops, rtol=1e-12)
    certain = np.array([[1.0, 0.0, 0.0]])
    np.testing.assert_allclose(shared_agreement(certain, np.array([[0.2, 0.8, 0.0]])), 0.2)


def test_coupling_is_the_ratio_of_the_formula():
    clusters = np.repeat(np.arange(12), 3)
    rows = rows_of(36, 3, clusters, seed=5, sample_weight=np.arange(36) % 4 + 1.0)
    p, r, w = rows.distributions, rows.residuals, rows.weights
    products, agreement = np.zeros(12), np.zeros(12)
    for i in range(36):
        for j in range(i):
            if clusters[i] == clusters[j]:
                shared = shared_agreement(p[[i]], p[[j]])[0]
                products[clusters[i]] += w[i] * w[j] * r[i] @ r[j]
                agreement[clusters[i]] += w[i] * w[j] * (shared - p[i] @ p[j])
    found = estimate_coupling(rows)
    square = products.sum() / agreement.sum()
    assert found.estimate == pytest.approx(np.sqrt(np.clip(square, 0, 1)), rel=1e-10)
    without = [np.delete(products, g).sum() / np.delete(agreement, g).sum() for g in range(12)]
    error = np.sqrt(11 / 12 * np.sum((np.array(without) - np.mean(without)) ** 2))
    assert found.error == pytest.approx(error, rel=1e-10)


def test_coupling_is_found_again():
    clusters = np.arange(6000) // 4
    rows = rows_of(6000, 3, clusters, seed=6)
    labels = CoupledResampler(8, coupling=0.6).draw(rows, range(1))[0]
    found = estimate_coupling(rows.with_labels(labels.astype(np.int64)))
    assert found.estimate**2 == pytest.approx(0.36, abs=4 * found.error)
    assert found.used**2 == pytest.approx(found.estimate**2 + 2 * found.error)


def test_single_rows_and_no_clusters_are_drawn_as_ever():
    plain = LabelResampler(4)
    alone = rows_of(50, 3, np.arange(50))
    assert couple(plain, coupling_of_rows(alone)) is plain
    assert couple(plain, coupling_of_rows(alone.without_clusters())) is plain


def test_unlike_labels_are_drawn_as_independent():
    # every cluster has one label of each class: they agree less often than by chance
    rows = Predictions([0, 1] * 30, np.full((60, 2), 0.5), clusters=np.arange(60) // 2)
    found = coupling_of_rows(rows)
    assert found.used == 0.0
    assert found.estimate == 0.0


def test_equal_labels_are_fully_coupled():
    labels = np.repeat(np.random.default_rng(0).integers(0, 2, 40), 3)
    rows = Predictions(labels, np.full((120, 2), 0.5), clusters=np.arange(120) // 3)
    found = coupling_of_rows(rows)
    assert found.estimate == pytest.approx(1.0)
    assert found.design_effect != 1.0 or np.isnan(found.design_effect)


def test_few_clusters_are_refused_by_tests_only():
    rows = rows_of(45, 3, np.arange(45) // 5)
    found = coupling_of_rows(rows)
    assert found.used == 1.0
    with pytest.raises(DataError, match="at least 10 clusters; got 9"):
        require_clusters(found)
    require_clusters(coupling_of_rows(rows_of(9, 3, np.arange(9))))
