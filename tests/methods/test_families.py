"""The statistics of the aggregated test against their definitions, literally."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles
from tests.samples import make_sample

from calibrant import Predictions, _native
from calibrant._engine import LOG_FLOOR, standardize
from calibrant._engine._label_sets import LabelSets
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._parallel import Parallel
from calibrant.methods._components import Components
from calibrant.methods._families import (
    FRACTIONS,
    WIDTHS,
    classwise_line_sums,
    direction_scores,
    full_families,
    sum_in_order,
)
from calibrant.methods._lines import LinePlan, line_families

NO_LOG = Components(log_floor=None)


def setup(m, weighted, n=9, sets=5, alpha=0.7):
    y, P, w = make_sample(m, n, m, alpha)
    predictions = Predictions(y, P, sample_weight=w if weighted else None)
    label_sets = LabelSets.label_sets(predictions, LabelResampler(3), range(sets))
    return predictions, label_sets


def literal_families(predictions, y, bandwidths):
    P, w = predictions.y_prob, predictions.weights
    n, m = P.shape
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    r = [oracles.residual(P[i], y[i]) for i in range(n)]
    kernel = [
        sum(w[i] * w[j] * oracles.laplacian(h)(P[i], P[j]) * np.dot(r[i], r[j]) for i, j in pairs)
        for h in bandwidths
    ]
    classwise = [
        sum(
            w[i] * w[j] * r[i][c] * r[j][c] * np.exp(-abs(P[i, c] - P[j, c]) / width)
            for i, j in pairs
            for c in range(m)
        )
        for width in WIDTHS
    ]
    return kernel, classwise


def literal_direction(predictions, y, f):
    """Σ w⟨r, f⟩/√(Σ w² fᵀΣf)."""
    P, w = predictions.y_prob, predictions.weights
    score = variance = 0.0
    for i in range(len(P)):
        fi = f(P[i])
        sigma = np.diag(P[i]) - np.outer(P[i], P[i])
        score += w[i] * np.dot(oracles.residual(P[i], y[i]), fi)
        variance += w[i] ** 2 * fi @ sigma @ fi
    return score / np.sqrt(variance)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3, 4])
def test_families_are_the_literal_sums_over_pairs(core, m, weighted):
    predictions, label_sets = setup(m, weighted)
    found = full_families(predictions, 0.6, label_sets, Components(), Parallel(1))
    assert found.bandwidths == tuple(0.6 * f for f in FRACTIONS) == (0.0375, 0.15, 0.3, 0.6)
    for b in range(5):
        kernel, classwise = literal_families(predictions, label_sets.labels(b), found.bandwidths)
        np.testing.assert_allclose(found.kernel[:, b], kernel, rtol=1e-11, atol=1e-12)
        np.testing.assert_allclose(found.classwise[:, b], classwise, rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(found.median_pair_sums, found.kernel[3])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_directions_are_the_literal_scores(core, m, weighted):
    predictions, label_sets = setup(m, weighted, alpha=0.2)
    found = direction_scores(predictions, label_sets, Components())
    assert set(found) == {"brier", "log"}
    for b in range(5):
        y = label_sets.labels(b)
        brier = literal_direction(predictions, y, lambda p: p)
        log = literal_direction(predictions, y, lambda p: np.log(np.maximum(p, LOG_FLOOR)))
        np.testing.assert_allclose(found["brier"][b], brier, rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(found["log"][b], log, rtol=1e-10, atol=1e-12)
    assert set(direction_scores(predictions, label_sets, NO_LOG)) == {"brier"}


def test_brier_direction_is_spiegelhalters_with_the_other_sign():
    # ORACLES §6: z = −1.03024 for these six rows; ours is positive for under-confidence
    y, s = np.array([1, 0, 1, 0, 1, 0]), np.array([0.8, 0.3, 0.5, 0.5, 0.7, 0.1])
    z = direction_scores(Predictions(y, s), LabelSets.of(y[None], 2), NO_LOG)["brier"]
    assert z[0] == pytest.approx(1.03024, abs=5e-6)


@pytest.mark.parametrize("row", [[0.0, 1.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0]])
def test_directions_without_variance_are_zero(core, row):
    # equal predictions leave rounding, which must not be divided by its own size
    P = np.tile(row, (7, 1))
    y = np.array([1] * 7)
    label_sets = LabelSets.label_sets(Predictions(y, P), LabelResampler(1), range(9))
    found = direction_scores(Predictions(y, P), label_sets, Components() if row[2] else NO_LOG)
    for z in found.values():
        np.testing.assert_array_equal(z, 0.0)
    np.testing.assert_array_equal(standardize(np.ones(3), 0.0), 0.0)


def test_class_sums_add_up_in_order():
    parts = [np.array([1e16]), np.array([1.0]), np.array([-1e16])]
    assert sum_in_order(parts)[0] == (1e16 + 1.0) - 1e16
    predictions, label_sets = setup(3, True)
    found = full_families(predictions, 0.6, label_sets, NO_LOG, Parallel(1)).classwise
    by_class = [classwise_line_sums(predictions, c, label_sets) for c in range(3)]
    np.testing.assert_array_equal(found, sum_in_order(by_class))


@pytest.mark.parametrize("m", [2, 3, 300])
def test_both_cores_agree(native, m):
    predictions, label_sets = setup(m, True, n=70, sets=70)
    found = {}
    for core in ("native", "numpy"):
        with _native.using(core):
            found[core] = full_families(predictions, 0.5, label_sets, Components(), Parallel(1))
    one, other = found["native"], found["numpy"]
    for a, b in (
        (one.kernel, other.kernel),
        (one.classwise, other.classwise),
        (one.confidence, other.confidence),
        (one.scaling, other.scaling),
        (one.bias, other.bias),
        (one.directions["brier"], other.directions["brier"]),
        (one.directions["log"], other.directions["log"]),
    ):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11 * np.abs(b).max())


@pytest.mark.parametrize("sets", [1, 7, 64])
def test_two_classes_are_the_same_a_few_label_sets_at_a_time(core, limit, sets):
    predictions, label_sets = setup(2, True, n=30, sets=70)
    whole = full_families(predictions, 0.5, label_sets, Components(), Parallel(1))
    limit(line_sets=sets, line_labels=0)
    for jobs in (1, 2):
        plan = LinePlan(0.5, LabelResampler(3), Components())
        parts = line_families(predictions, plan, range(70), Parallel(jobs))
        np.testing.assert_allclose(parts.kernel, whole.kernel, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(parts.classwise, whole.classwise, rtol=1e-12, atol=1e-13)
        for name in ("confidence", "scaling", "bias"):
            one, other = getattr(parts, name), getattr(whole, name)
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-10)
        np.testing.assert_allclose(
            parts.directions["brier"], whole.directions["brier"], rtol=1e-12, atol=1e-13
        )


@settings(max_examples=30, deadline=None)
@given(
    n=st.integers(2, 12),
    m=st.integers(2, 5),
    seed=st.integers(0, 2**32),
    alpha=st.sampled_from([0.05, 1.0]),
)
def test_order_of_samples_and_names_of_classes_do_not_matter(n, m, seed, alpha):
    rng = np.random.default_rng(seed)
    P, w = rng.dirichlet(np.full(m, alpha), n), rng.random(n) + 0.1
    labels = rng.integers(m, size=(3, n))
    rows, classes = rng.permutation(n), rng.permutation(m)

    def families(labels, P, w):
        predictions = Predictions(labels[0], P, sample_weight=w)
        found = full_families(predictions, 0.5, LabelSets.of(labels, m), Components(), Parallel(1))
        safe = P.min() > 1e-5  # 1 − p must have digits
        sums = [found.kernel, found.classwise, *found.directions.values()]
        return np.vstack([*sums, found.bias] if safe else sums), found.scaling if safe else 0.0

    one = families(labels, P, w)
    # column classes[c] moves to place c
    other = families(np.argsort(classes)[labels[:, rows]], P[rows][:, classes], w[rows])
    np.testing.assert_allclose(other[0], one[0], rtol=1e-9, atol=1e-9)
    # two rows have no variance in most directions: the ridge enlarges rounding a millionfold
    np.testing.assert_allclose(other[1], one[1], rtol=1e-7, atol=1e-7)
