"""The smooth test of the confidence: its definition, its moments and its basis."""

import itertools

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import Predictions
from calibrant._engine._label_sets import LabelSets
from calibrant._engine._resampling import LabelResampler
from calibrant._predictions import event_classes
from calibrant.methods._confidence import (
    CELLS,
    GROUPS,
    ORDERS,
    Confidence,
    SmoothBasis,
    cell_statistics,
    confidence_statistics,
    hit_sums,
)


def sample(m=3, n=40, weighted=True, seed=0):
    y, P, w = make_sample(seed, n, m)
    return Predictions(y, P, sample_weight=w if weighted else None)


def literal(predictions, y, top):
    """Σ_{k≤K} (z_k² − 1) with the residuals of the event, row by row."""
    P, w = predictions.y_prob, predictions.weights
    events = P.argmax(axis=1) if top else np.ones(len(P), int)
    found = Confidence.of(predictions, events)
    basis = SmoothBasis.of(found.variance)
    z = np.zeros(1 + max(ORDERS))
    for i, event in enumerate(events):
        place = np.arcsin(np.sqrt(P[i, event])) * 2 / np.pi
        group = basis.groups[min(int(place * CELLS), CELLS - 1)]
        z += w[i] * ((y[i] == event) - P[i, event]) * basis.functions[group]
    exists = np.any(basis.functions != 0, axis=0)
    return [np.sum(z[: k + 1] ** 2 - exists[: k + 1]) for k in ORDERS]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_statistics_are_their_definition(core, m, weighted):
    predictions = sample(m, weighted=weighted)
    label_sets = LabelSets.label_sets(predictions, LabelResampler(1), range(5))
    found = confidence_statistics(predictions, label_sets)
    for b in range(5):
        labels = label_sets.labels(b)
        positive = [] if m > 2 else literal(predictions, labels, top=False)
        expected = [*positive, *literal(predictions, labels, top=True)]
        np.testing.assert_allclose(found[:, b], expected, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("m", [2, 3])
def test_statistics_average_to_zero_over_all_labels(m):
    predictions = sample(m, n=5, seed=4)
    every = np.array(list(itertools.product(range(m), repeat=5)))
    q = np.prod(predictions.y_prob[np.arange(5), every], axis=1)
    found = confidence_statistics(predictions, LabelSets.of(every, m))
    np.testing.assert_allclose(found @ q, 0.0, atol=1e-10)


def test_the_basis_is_orthonormal_in_the_variance_of_the_event():
    found = Confidence.of(sample(n=300))
    basis = SmoothBasis.of(found.variance)
    spread = np.bincount(basis.groups, found.variance, GROUPS)
    gram = basis.functions.T @ (spread[:, None] * basis.functions)
    np.testing.assert_allclose(gram, np.eye(1 + max(ORDERS)), atol=1e-9)


def test_two_groups_of_rows_leave_two_functions():
    predictions = Predictions([0, 1, 1, 0], [0.3, 0.3, 0.6, 0.6])
    basis = SmoothBasis.of(Confidence.of(predictions).variance)
    assert np.count_nonzero(np.any(basis.functions != 0, axis=0)) == 2


def test_certain_predictions_have_nothing_to_say(core):
    predictions = Predictions(np.zeros(9, int), np.eye(3)[np.zeros(9, int)])
    label_sets = LabelSets.label_sets(predictions, LabelResampler(1), range(3))
    np.testing.assert_array_equal(confidence_statistics(predictions, label_sets), 0.0)


def test_opposite_errors_of_two_classes_do_not_cancel():
    # P(positive) too low everywhere: max(p, 1 − p) is right on average
    rng = np.random.default_rng(0)
    p = rng.uniform(0.2, 0.8, 400)
    y = (rng.random(400) < p + 0.15).astype(int)
    predictions = Predictions(y, p)
    label_sets = LabelSets.label_sets(predictions, LabelResampler(1), range(100))
    found = confidence_statistics(predictions, label_sets)
    assert np.all(found[:3, 0] > found[:3, 1:].max(axis=1))
    assert not np.any(found[3:, 0] > found[3:, 1:].max(axis=1))


@pytest.mark.parametrize("m", [2, 3])
def test_sums_of_cells_give_the_same_statistics(m):
    predictions = sample(m, n=60)
    label_sets = LabelSets.label_sets(predictions, LabelResampler(1), range(5))
    events = event_classes(predictions)
    confidence = Confidence.of(predictions)
    sums = np.zeros((5, 2, CELLS))
    hit_sums(events, confidence.cells, predictions.weights, label_sets, sums)
    deviations = sums[:, 1] - confidence.expected
    found = cell_statistics(deviations, confidence.variance, m)
    expected = confidence_statistics(predictions, label_sets)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-10)


def test_errors_that_mirror_each_other_are_seen_better_in_the_confidence():
    # too sure of itself between .6 and .7, whichever class it predicts
    rng, z = np.random.default_rng(0), []
    for _ in range(20):
        p = rng.uniform(0.0, 1.0, 400)
        sure = np.abs(p - 0.5)
        truth = p - 0.2 * np.sign(p - 0.5) * ((sure > 0.1) & (sure < 0.2))
        predictions = Predictions((rng.random(400) < truth).astype(int), p)
        label_sets = LabelSets.label_sets(predictions, LabelResampler(1), range(50))
        found = confidence_statistics(predictions, label_sets)
        z.append(found[:, 0] / found[:, 1:].std(axis=1))
    positive, top = np.mean(z, axis=0).reshape(2, 3)
    assert np.all(top[:2] > positive[:2])
