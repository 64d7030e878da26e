"""Ordered classes: the definitions as loops, and what an order changes and what it does not."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from tests.samples import make_sample

import calibrant as cal
from calibrant import Predictions, _native
from calibrant._engine import LabelResampler, LabelSets
from calibrant._execution import Parallel
from calibrant.methods import Aggregated, Setting, simulate_pvalues
from calibrant.methods._components import Components, choose_components
from calibrant.methods._families import direction_scores, full_families
from calibrant.methods._linear_families import LinearRows
from calibrant.methods._linear_plan import LinearPlan
from calibrant.methods._pearson import pearson3_sf
from calibrant.methods._reach import (
    ReachMoments,
    ranked_scores,
    reach_probabilities,
    reach_squares,
)
from calibrant.methods._scales import WIDTHS

ORDERED = Components(is_ordered=True, reach=WIDTHS, ranked=True, grades=True)
NAMES = ("reach", "grades")


def setup(m=4, n=12, weighted=True, sets=5):
    y, P, w = make_sample(m, n, m, 0.7)
    predictions = Predictions(y, P, sample_weight=w if weighted else None, ordered=True)
    return predictions, LabelSets.label_sets(predictions, LabelResampler(3), range(sets))


def rps(p, y):
    return sum((sum(p[k:]) - (y >= k)) ** 2 for k in range(1, len(p)))


def test_chances_of_reaching_a_class_are_sums_of_the_classes_above():
    p = np.array([[0.1, 0.2, 0.3, 0.4], [1.0, 0.0, 0.0, 0.0]])
    np.testing.assert_allclose(reach_probabilities(p), [[0.9, 0.7, 0.4], [0, 0, 0]], atol=1e-15)


def test_squares_of_a_label_are_its_ranked_probability_score():
    predictions, _ = setup()
    for p, scores in zip(predictions.y_prob, reach_squares(predictions.y_prob), strict=True):
        np.testing.assert_allclose(scores, [rps(p, c) for c in range(4)], rtol=1e-13)


def test_the_ranked_direction_is_the_excess_of_the_rps_in_exact_deviations(core):
    predictions, label_sets = setup()
    found = direction_scores(predictions, label_sets, ORDERED)["ranked"]
    P, w = predictions.y_prob, predictions.weights
    scores = np.array([[rps(p, c) for c in range(4)] for p in P])
    means = (P * scores).sum(axis=1)
    sd = np.sqrt(np.sum(w**2 * (P * (scores - means[:, None]) ** 2).sum(axis=1)))
    for b in range(5):
        own = scores[np.arange(len(P)), label_sets.labels(b)]
        # a score above its mean is a miss: over-confident, negative
        assert found[b] == pytest.approx(-np.sum(w * (own - means)) / sd, rel=1e-10)


def test_of_two_classes_the_ranked_direction_is_the_brier_direction():
    predictions, label_sets = setup(m=2)
    found = direction_scores(predictions, label_sets, ORDERED)
    np.testing.assert_allclose(found["ranked"], found["brier"], rtol=1e-12)


@pytest.mark.parametrize("truth", [0.5, 2.0])
def test_the_sign_says_whether_the_spread_is_too_narrow_or_too_wide(truth):
    grades = np.arange(7.0)
    center = np.random.default_rng(0).uniform(1.0, 5.0, 400)

    def normal(scale):
        p = np.exp(-0.5 * ((grades - center[:, None]) / scale) ** 2)
        return p / p.sum(axis=1, keepdims=True)

    y = cal.Predictions(np.zeros(400, int), normal(truth), ordered=True)
    labels = LabelSets.label_sets(y, LabelResampler(1), range(1, 2)).labels(0)
    result = cal.calibration_test(labels, normal(1.0), ordered=True, rng=0, effects=False)
    assert result.details["ordered_direction"] == ("too wide" if truth < 1.0 else "too narrow")


@pytest.mark.parametrize("weighted", [False, True])
def test_reach_sums_are_the_literal_sums_over_pairs_and_classes(core, weighted):
    predictions, label_sets = setup(weighted=weighted)
    found = full_families(predictions, 0.6, label_sets, ORDERED, Parallel(1)).reach
    P, w = predictions.y_prob, predictions.weights
    for b, (width_row, width) in product(range(5), enumerate(WIDTHS)):
        y, total = label_sets.labels(b), 0.0
        for i, j, k in product(range(len(P)), range(len(P)), range(1, 4)):
            if i != j:
                qi, qj = P[i, k:].sum(), P[j, k:].sum()
                both = ((y[i] >= k) - qi) * ((y[j] >= k) - qj)
                total += w[i] * w[j] * both * np.exp(-abs(qi - qj) / width)
        assert found[width_row, b] == pytest.approx(total, rel=1e-10, abs=1e-11)


def test_moments_of_the_totals_are_those_of_all_label_sets():
    P, w = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]]), np.array([1.0, 2.0])
    moments = ReachMoments.of(P, w)
    for k in (1, 2):
        powers = np.zeros(3)
        for labels in product(range(3), repeat=2):
            chance = np.prod(P[[0, 1], labels])
            total = np.sum(w * (np.array(labels) >= k)) - moments.expected[k - 1]
            powers += chance * total ** np.array([1, 2, 3])
        expected = [0.0, moments.variance[k - 1], moments.third[k - 1]]
        np.testing.assert_allclose(powers, expected, atol=1e-15)


def test_statistics_of_the_totals_are_the_literal_ones(core):
    predictions, label_sets = setup()
    found = full_families(predictions, 0.6, label_sets, ORDERED, Parallel(1)).grades
    P, w = predictions.y_prob, predictions.weights
    moments = ReachMoments.of(P, w)
    for b in range(5):
        tails, squares = [], 0.0
        for k in range(1, 4):
            off = np.sum(w * ((label_sets.labels(b) >= k) - P[:, k:].sum(axis=1)))
            z = off / np.sqrt(moments.variance[k - 1])
            skewness = np.sign(off) * moments.third[k - 1] / moments.variance[k - 1] ** 1.5
            tail = pearson3_sf(np.array([[abs(z)]]), np.array([[skewness]]))[0, 0]
            tails.append(min(2.0 * tail, 1.0))
            squares += z**2
        assert found[0, b] == pytest.approx(-np.log(3 / np.sum(1 / np.array(tails))), rel=1e-9)
        assert found[1, b] == pytest.approx(squares, rel=1e-9)


def test_cells_have_the_sums_of_the_definition(core):
    predictions, label_sets = setup()
    plan = LinearPlan.make(4, 0.6, ORDERED, LabelResampler(3))
    found = LinearRows(predictions, plan).families(range(5), Parallel(1))
    full = full_families(predictions, 0.6, label_sets, ORDERED, Parallel(1))
    np.testing.assert_allclose(found.grades, full.grades, rtol=1e-9)
    np.testing.assert_allclose(found.directions["ranked"], full.directions["ranked"], rtol=1e-10)
    P, w = predictions.y_prob, predictions.weights
    q = reach_probabilities(P)
    cells = np.minimum(np.floor(q * plan.n_cells), plan.n_cells - 1)
    for b, (width_row, width) in product(range(5), enumerate(WIDTHS)):
        y, total = label_sets.labels(b), 0.0
        for i, j, k in product(range(len(P)), range(len(P)), range(3)):
            if i != j:
                both = ((y[i] > k) - q[i, k]) * ((y[j] > k) - q[j, k])
                away = abs(cells[i, k] - cells[j, k]) / plan.n_cells
                total += w[i] * w[j] * both * np.exp(-away / width)
        assert found.reach[width_row, b] == pytest.approx(total, rel=1e-9, abs=1e-10)


def test_label_sets_in_any_parts_memory_and_executor_give_the_same_bits(core, limit):
    predictions, _ = setup(n=40)
    plan = LinearPlan.make(4, 0.6, ORDERED, LabelResampler(3))
    limit(chunk_rows=8, segment_rows=24)
    kept = LinearRows(predictions, plan).families(range(20), Parallel(2))
    with ThreadPoolExecutor(2) as executor:
        there = LinearRows(predictions, plan).families(range(20), Parallel(executor=executor))
    limit(kept_bytes=0, pass_sets=3)
    passes = LinearRows(predictions, plan).families(range(20), Parallel(2))
    for name in NAMES:
        for other in (there, passes):
            np.testing.assert_array_equal(getattr(other, name), getattr(kept, name))


def test_both_cores_agree(native):
    predictions, _ = setup(n=60)
    plan = LinearPlan.make(4, 0.6, ORDERED, LabelResampler(3))
    found = {}
    for core in ("native", "numpy"):
        with _native.using(core):
            found[core] = LinearRows(predictions, plan).families(range(10), Parallel(1))
    for name in NAMES:
        one, other = getattr(found["native"], name), getattr(found["numpy"], name)
        np.testing.assert_allclose(one, other, rtol=1e-9)


def test_an_order_adds_components_and_leaves_the_others_as_they_are():
    predictions, label_sets = setup(n=30)
    plain = full_families(predictions, 0.6, label_sets, Components(), Parallel(1))
    more = full_families(predictions, 0.6, label_sets, ORDERED, Parallel(1))
    assert plain.reach.shape == plain.grades.shape == (0, 5)
    for name in ("kernel", "classwise", "confidence", "scaling", "bias"):
        np.testing.assert_array_equal(getattr(more, name), getattr(plain, name))
    assert set(more.directions) - set(plain.directions) == {"ranked"}


@pytest.mark.parametrize("n", [60, 2500])
def test_two_classes_in_order_are_two_classes(n):
    y, p, _ = make_sample(5, n, 2, 1.0)
    plain = cal.calibration_test(y, p, method=Aggregated(39), rng=0)
    ordered = cal.calibration_test(y, p, method=Aggregated(39), ordered=True, rng=0)
    assert ordered.to_dict() == plain.to_dict()


def test_an_order_is_used_only_where_it_was_said():
    y, p, _ = make_sample(5, 60, 3, 1.0)
    plain = cal.calibration_test(y, p, method=Aggregated(39), rng=0)
    ordered = cal.calibration_test(y, p, method=Aggregated(39), ordered=True, rng=0)
    assert not {"ranked", "reach", "grades"} & set(plain.details["components"])
    assert {"ranked", "reach", "grades"} < set(ordered.details["components"])
    assert ordered.details["ordered"] is True
    assert "ordered" not in plain.details


@pytest.mark.parametrize(("decimals", "kept"), [(6, True), (1, False)])
def test_rounding_leaves_out_what_it_could_move(decimals, kept):
    rng = np.random.default_rng(0)
    units = np.rint(rng.dirichlet(np.full(4, 0.3), 20_000) * 10**decimals)
    p = units / units.sum(axis=1, keepdims=True)
    rows = Predictions(np.zeros(len(p), int), p, ordered=True)
    chosen = choose_components(rows, log_score=True)
    assert chosen.is_ordered
    assert (chosen.reach == WIDTHS) is kept
    assert chosen.ranked is kept
    assert ("the ranked-probability direction" in chosen.note) is not kept


def test_scores_differ_from_the_rps_by_a_term_of_the_row():
    predictions, _ = setup()
    P = predictions.y_prob
    difference = ranked_scores(P) + 0.5 * reach_squares(P)
    np.testing.assert_allclose(np.ptp(difference, axis=1), 0.0, atol=1e-14)


def test_components_of_other_classes_have_no_order():
    predictions, _ = setup()
    unordered = Predictions(predictions.y_true, predictions.y_prob)
    assert not choose_components(unordered, log_score=True).is_ordered


@pytest.mark.slow
def test_the_test_of_ordered_classes_has_its_level():
    # binomial: .05 ± 3.3 · sqrt(.05 · .95/600)
    rng = np.random.default_rng(0)
    rejected = 0
    for seed in range(600):
        p = rng.dirichlet(np.ones(4), 40)
        y = (np.cumsum(p, axis=1) < rng.random((40, 1))).sum(axis=1)
        result = cal.calibration_test(
            y, p, method=Aggregated(39), ordered=True, effects=False, rng=seed, n_jobs=1
        )
        rejected += result.pvalue <= 0.05
    assert abs(rejected / 600 - 0.05) < 0.03


def test_simulated_power_counts_the_order():
    # a spread along the order that is too wide, which the other families see less well
    rng = np.random.default_rng(0)
    center = rng.uniform(0.0, 4.0, (250, 1))

    def graded(scale):
        p = np.exp(-0.5 * ((np.arange(5) - center) / scale) ** 2)
        return p / p.sum(axis=1, keepdims=True)

    y = np.zeros(250, int)
    power = []
    for ordered in (False, True):
        rows = Predictions(y, graded(1.0), ordered=ordered)
        setting = Setting(np.random.default_rng(1), Parallel(1))
        pvalues = simulate_pvalues(rows, graded(0.85), 100, 99, setting)
        power.append(np.mean(pvalues <= 0.05))
    assert power[1] > power[0] + 0.05
