"""The SKCE of many label sets against the literal sum for each of them."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles
from tests.estimators.kernel_pairs import ANY, THREE
from tests.samples import make_sample

from calibrant import SKCE, Predictions
from calibrant._engine._label_sets import LabelSets
from calibrant._execution._parallel import Parallel
from calibrant.estimators import _skce_label_sets
from calibrant.estimators._skce_label_sets import (
    diagonal_sums_over_label_sets,
    laplacian_pair_sums,
    pair_sums_over_label_sets,
)
from calibrant.kernels import FunctionKernel, Kernel, Laplacian

#: kernels whose label sets need no matrix product
FAST = (
    "laplacian-tv",
    "laplacian-euclidean",
    "laplacian-hellinger",
    "gaussian",
    "rational-quadratic",
    "scaled",
    "sum",
    "classwise-laplacian",
    "function",
    "scaled-function",
)


def setup(m, weighted, n=9, count=4):
    y, P, w = make_sample(m, n, m)
    weights = w if weighted else None
    labels = np.random.default_rng(9).integers(m, size=(count, n))
    return Predictions(y, P, sample_weight=weights), P, weights, labels


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("name", FAST)
def test_pair_and_diagonal_sums_are_the_literal_ones(core, name, m, weighted):
    predictions, P, weights, labels = setup(m, weighted)
    kernel, literal = ANY[name]
    w = np.ones(len(P)) if weights is None else weights
    label_sets = LabelSets.of(labels, m)
    pairs = pair_sums_over_label_sets(predictions, kernel, label_sets, Parallel(1))
    assert pairs is not None
    diagonal = diagonal_sums_over_label_sets(predictions, kernel, label_sets)
    for b, y in enumerate(labels):
        h = np.array(
            [
                [w[i] * w[j] * oracles.h(literal, P, y, i, j) for j in range(len(P))]
                for i in range(len(P))
            ]
        )
        np.testing.assert_allclose(pairs[b], h.sum() - np.trace(h), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(diagonal[b], np.trace(h), rtol=1e-12)


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize(("kernel", "literal"), THREE.values(), ids=THREE)
def test_every_kernel_gives_the_literal_estimates(core, kernel, literal, unbiased):
    predictions, P, weights, labels = setup(3, True)
    found = SKCE(kernel, unbiased=unbiased).over_labels(predictions, labels, Parallel(n_jobs=1))
    oracle = oracles.skce_unbiased if unbiased else oracles.skce_biased
    expected = [oracle(literal, P, y, weights) for y in labels]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("unbiased", [True, False])
@pytest.mark.parametrize("A", [[[1.0, 0.0], [0.0, 4.0]], [[2.0, 0.5], [0.5, 1.0]]])
def test_two_classes_stay_on_the_line(core, unbiased, A, monkeypatch):
    monkeypatch.setattr(_skce_label_sets, "lifted_pair_sums", None)
    predictions, P, weights, labels = setup(2, True)
    kernel = Laplacian(0.3) * np.array(A)
    label_sets = LabelSets.of(labels, 2)
    assert pair_sums_over_label_sets(predictions, kernel, label_sets, Parallel(1)) is not None
    found = SKCE(kernel, unbiased=unbiased).over_labels(predictions, labels)
    oracle = oracles.skce_unbiased if unbiased else oracles.skce_biased
    literal = oracles.lift(oracles.laplacian(0.3), A)
    expected = [oracle(literal, P, y, weights) for y in labels]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", sorted(THREE))
def test_no_kernel_is_recomputed_for_every_label_set(core, name, weighted):
    predictions, P, weights, labels = setup(3, weighted)
    kernel, literal = THREE[name]
    found = pair_sums_over_label_sets(predictions, kernel, LabelSets.of(labels, 3), Parallel(1))
    assert found is not None
    w = np.ones(len(P)) if weights is None else weights
    pairs = [(i, j) for i in range(len(P)) for j in range(len(P)) if i != j]
    expected = [sum(w[i] * w[j] * oracles.h(literal, P, y, i, j) for i, j in pairs) for y in labels]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_a_kernel_that_does_not_tell_its_lifts_is_recomputed(core):
    class Squeezed(Kernel):
        def blocks(self, s, t):
            return (s @ t.T)[:, :, None, None] * np.eye(s.shape[1])

        def forms(self, x, v):
            return super().forms(x, v)

    predictions, _, _, labels = setup(3, True)
    label_sets = LabelSets.of(labels, 3)
    assert pair_sums_over_label_sets(predictions, Squeezed(), label_sets, Parallel(1)) is None
    found = SKCE(Squeezed()).over_labels(predictions, labels)
    expected = SKCE(FunctionKernel(lambda p, q: p @ q.T)).over_labels(predictions, labels)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("m", [2, 3, 300])
def test_several_bandwidths_at_once_are_those_one_by_one(core, m):
    predictions, _, _, labels = setup(m, True, n=40, count=70)
    label_sets = LabelSets.of(labels, m)
    kernels = [Laplacian(h) for h in (0.05, 0.2, 0.8)]
    together = laplacian_pair_sums(predictions, kernels, label_sets, Parallel(1))
    for kernel, row in zip(kernels, together, strict=True):
        alone = pair_sums_over_label_sets(predictions, kernel, label_sets, Parallel(1))
        np.testing.assert_allclose(row, alone, rtol=1e-11, atol=1e-11)
    assert together.shape == (3, 70)


@pytest.mark.parametrize("unbiased", [True, False])
def test_one_wrong_label_among_certain_ones_makes_no_pair(core, unbiased):
    # every other residual is exactly 0: nothing but rounding could be left of the pair sum
    rng = np.random.default_rng(0)
    modes = rng.integers(5, size=300)
    certain = Predictions(modes, np.eye(5)[modes], sample_weight=rng.random(300))
    wrong = np.stack([modes, modes, modes])
    wrong[1, 7] = (wrong[1, 7] + 1) % 5
    wrong[2, 8] = (wrong[2, 8] + 2) % 5
    found = SKCE(Laplacian(0.37), unbiased=unbiased).over_labels(certain, wrong)
    own = 2 * certain.weights[7] ** 2 / certain.weights.sum() ** 2
    expected = [0.0, 0.0] if unbiased else [0.0, own]
    np.testing.assert_allclose(found[:2], expected, rtol=1e-12, atol=0)
    assert (found[2] == 0) == unbiased


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 9),
    m=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    h=st.floats(0.01, 5.0),
    alpha=st.sampled_from([0.05, 1.0, 20.0]),
)
def test_any_data_give_the_literal_estimates(n, m, seed, h, alpha):
    rng = np.random.default_rng(seed)
    P, w = rng.dirichlet(np.full(m, alpha), n), rng.random(n) + 0.01
    labels = rng.integers(m, size=(3, n))
    predictions = Predictions(labels[0], P, sample_weight=w)
    literal = oracles.times_identity(oracles.laplacian(h))
    found = SKCE(Laplacian(h)).over_labels(predictions, labels, Parallel(n_jobs=1))
    expected = [oracles.skce_unbiased(literal, P, y, w) for y in labels]
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
