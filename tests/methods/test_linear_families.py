"""Random features and cells: the definition as a loop, and sums that add up over parts."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from tests.samples import make_sample

from calibrant import Predictions, _native
from calibrant._engine._label_sets import LabelSets
from calibrant._engine._resampling import LabelResampler
from calibrant._execution._parallel import Parallel
from calibrant.methods._components import Components
from calibrant.methods._families import full_families
from calibrant.methods._linear_chunk import LinearChunk
from calibrant.methods._linear_families import LinearRows
from calibrant.methods._linear_plan import LinearPlan
from calibrant.methods._linear_state import LinearState
from calibrant.methods._scales import FRACTIONS, WIDTHS

NO_LOG = Components(log_floor=None)


def setup(m=3, n=20, weighted=True, log_score=True, alpha=0.7):
    y, P, w = make_sample(m, n, m, alpha)
    predictions = Predictions(y, P, sample_weight=w if weighted else None)
    return predictions, LinearPlan.make(
        m, 0.6, Components() if log_score else NO_LOG, LabelResampler(3)
    )


def state_of(plan, predictions, sets, rows):
    state = LinearState(plan, sets)
    state.update(LinearChunk.prepare(plan, predictions.take(rows), rows.start))
    return state


def literal(plan, predictions, y):
    P, w, r = predictions.y_prob, predictions.weights, predictions.with_labels(y).residuals
    n, m = P.shape
    phi = plan.features.transform(P).reshape(n, len(plan.features.bandwidths), -1)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    buckets = plan.grids.buckets(P)
    shared = np.mean(buckets[:, :, None] == buckets[:, None, :], axis=0)
    kernel = [sum(w[i] * w[j] * shared[i, j] * (r[i] @ r[j]) for i, j in pairs)] + [
        sum(w[i] * w[j] * (phi[i, k] @ phi[j, k]) * (r[i] @ r[j]) for i, j in pairs)
        for k in range(phi.shape[1])
    ]
    cells = np.minimum(np.floor(P * plan.n_cells), plan.n_cells - 1)
    classwise = [
        sum(
            w[i]
            * w[j]
            * r[i, c]
            * r[j, c]
            * np.exp(-abs(cells[i, c] - cells[j, c]) / plan.n_cells / width)
            for i, j in pairs
            for c in range(m)
        )
        for width in WIDTHS
    ]
    return kernel, classwise


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("m", [2, 3, 10])
def test_features_and_cells_are_their_definition(core, m, weighted):
    predictions, plan = setup(m, weighted=weighted)
    found = LinearRows(predictions, plan).families(range(5), Parallel(1))
    label_sets = LabelSets.label_sets(predictions, plan.resampler, range(5))
    assert found.bandwidths == tuple(0.6 * f for f in FRACTIONS)
    for b in range(5):
        kernel, classwise = literal(plan, predictions, label_sets.labels(b))
        np.testing.assert_allclose(found.kernel[:, b], kernel, rtol=1e-10, atol=1e-11)
        np.testing.assert_allclose(found.classwise[:, b], classwise, rtol=1e-10, atol=1e-11)


def test_directions_are_those_of_the_full_families(core):
    predictions, plan = setup()
    found = LinearRows(predictions, plan).families(range(5), Parallel(1))
    label_sets = LabelSets.label_sets(predictions, plan.resampler, range(5))
    full = full_families(predictions, 0.6, label_sets, Components(), Parallel(1))
    for name in ("brier", "log"):
        np.testing.assert_allclose(
            found.directions[name], full.directions[name], rtol=1e-11, atol=1e-12
        )
    for name in ("confidence", "scaling", "bias"):
        one, other = getattr(found, name), getattr(full, name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)
    # a cell is a thousandth wide, the smallest width a twentieth
    scale = np.abs(full.classwise).max()
    np.testing.assert_allclose(found.classwise, full.classwise, atol=0.03 * scale)


@pytest.mark.parametrize("m", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_merged_parts_are_the_whole(core, m):
    predictions, plan = setup(m, 23)
    sets = range(2, 9)
    whole = state_of(plan, predictions, sets, slice(0, 23))
    merged = state_of(plan, predictions, sets, slice(0, 5))
    merged.merge(state_of(plan, predictions, sets, slice(12, 23)))
    merged.merge(state_of(plan, predictions, sets, slice(5, 12)))
    for name, array in whole.arrays.items():
        np.testing.assert_allclose(merged.arrays[name], array, rtol=1e-12, atol=1e-13)
    chunk = LinearChunk.empty(plan, predictions, 0)
    expected = chunk.fill(plan, slice(0, predictions.n_samples))
    one, other = merged.families(expected), whole.families(expected)
    np.testing.assert_allclose(one.kernel, other.kernel, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(one.classwise, other.classwise, rtol=1e-10, atol=1e-10)
    for name in ("brier", "log"):
        np.testing.assert_allclose(one.directions[name], other.directions[name], atol=1e-12)


def test_states_of_other_label_sets_do_not_merge():
    predictions, plan = setup()
    state = state_of(plan, predictions, range(3), slice(0, 9))
    with pytest.raises(ValueError, match="label sets differ"):
        state.merge(state_of(plan, predictions, range(1, 4), slice(9, 20)))


@pytest.mark.parametrize(("m", "cells"), [(3, 1000), (25, 1000), (50, 500), (51, 250)])
def test_many_classes_have_fewer_cells(m, cells):
    plan = LinearPlan.make(m, 0.6, NO_LOG, LabelResampler(3))
    assert plan.n_cells == cells
    assert 8 <= plan.sets_at_once <= 128


@pytest.mark.parametrize("m", [3, 300])
def test_both_cores_agree(native, m):
    predictions, plan = setup(m, 60)
    found = {}
    for core in ("native", "numpy"):
        with _native.using(core):
            found[core] = LinearRows(predictions, plan).families(range(10), Parallel(1))
    for name in ("kernel", "classwise", "confidence", "scaling", "bias"):
        one, other = getattr(found["native"], name), getattr(found["numpy"], name)
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11 * np.abs(other).max())


@pytest.mark.parametrize(
    "changes", [{"chunk_rows": 7}, {"kept_bytes": 0}, {"state_size": 1}, {"table_size": 1}]
)
def test_chunks_memory_and_tasks_do_not_matter(core, limit, changes):
    predictions, plan = setup(3, 40)
    whole = LinearRows(predictions, plan).families(range(21), Parallel(1))
    limit(**changes)
    parts = LinearRows(predictions, plan).families(range(21), Parallel(1))
    np.testing.assert_allclose(parts.kernel, whole.kernel, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(parts.classwise, whole.classwise, rtol=1e-10, atol=1e-10)
    two = LinearRows(predictions, plan).families(range(21), Parallel(2))
    np.testing.assert_array_equal(two.kernel, parts.kernel)
    np.testing.assert_array_equal(two.classwise, parts.classwise)
    for name in ("confidence", "scaling", "bias"):
        np.testing.assert_array_equal(getattr(two, name), getattr(parts, name))
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-8, atol=1e-9)


def test_certain_predictions_leave_no_rounding(core):
    modes = np.random.default_rng(0).integers(5, size=500)
    certain = Predictions(modes, np.eye(5)[modes])
    wrong = modes.copy()
    wrong[7] = (wrong[7] + 1) % 5  # one residual alone makes no pair
    plan = LinearPlan.make(5, 0.37, NO_LOG, LabelResampler(0))
    for y in (modes, wrong):
        found = LinearRows(certain.with_labels(y), plan).families(range(10), Parallel(1))
        np.testing.assert_array_equal(found.kernel, 0.0)
        np.testing.assert_array_equal(found.classwise, 0.0)


@pytest.mark.parametrize("changes", [{}, {"kept_bytes": 0}, {"state_size": 1}])
def test_rows_that_were_prepared_before_give_the_same_bits(core, limit, changes):
    predictions, plan = setup(3, 40)
    limit(chunk_rows=8, segment_rows=24, **changes)
    rows, looks = LinearRows(predictions, plan), [range(9), range(9, 14), range(14, 30)]
    with ThreadPoolExecutor(2) as executor:
        for parallel in (Parallel(1), Parallel(2), Parallel(executor=executor)):
            for sets in looks:
                found = rows.families(sets, parallel)
                alone = LinearRows(predictions, plan).families(sets, parallel)
                for name in ("kernel", "classwise", "confidence", "scaling", "bias"):
                    np.testing.assert_array_equal(getattr(found, name), getattr(alone, name))
                for name in ("brier", "log"):
                    np.testing.assert_array_equal(found.directions[name], alone.directions[name])


@pytest.mark.parametrize("m", [3, 60, pytest.param(300, marks=pytest.mark.slow)])
def test_label_sets_in_any_parts_memory_and_executor_give_the_same_bits(core, limit, m):
    predictions, plan = setup(m, 40)
    limit(chunk_rows=8, segment_rows=24)
    kept = LinearRows(predictions, plan).families(range(20), Parallel(2))
    with ThreadPoolExecutor(2) as executor:
        there = LinearRows(predictions, plan).families(range(20), Parallel(executor=executor))
    limit(kept_bytes=0, pass_sets=3)
    passes = LinearRows(predictions, plan).families(range(20), Parallel(2))
    later = LinearRows(predictions, plan).families(range(7, 20), Parallel(1))
    for name in ("kernel", "classwise", "confidence", "scaling", "bias"):
        expected = getattr(kept, name)
        np.testing.assert_array_equal(getattr(there, name), expected)
        np.testing.assert_array_equal(getattr(passes, name), expected)
        # other ranges of label sets agree to rounding: einsum may sum them in another order
        np.testing.assert_allclose(getattr(later, name), expected[:, 7:], rtol=1e-9, atol=1e-11)
    for name in ("brier", "log"):
        for other in (there, passes):
            np.testing.assert_array_equal(other.directions[name], kept.directions[name])
