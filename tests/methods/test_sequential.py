"""Stopping early: the p-value is valid at every level, by enumeration of everything there is."""

from itertools import permutations, product

import numpy as np
import pytest

import calibrant as cal
from calibrant import Predictions
from calibrant._engine._label_sets import LabelSets
from calibrant._execution._parallel import Parallel
from calibrant.methods import Aggregated, Exact, Setting, _sequential
from calibrant.methods._base import monte_carlo_pvalue
from calibrant.methods._combination import combine
from calibrant.methods._components import Components
from calibrant.methods._families import full_families
from calibrant.methods._family_tails import WEIGHTS, component_tails, family_tails
from calibrant.methods._sequential import Stopping


def sequential_pvalue(rule, statistics, full):
    """The rule as a sentence: p = h/L with the h-th draw that reaches T_0, else the full test."""
    reached = 0
    for draw, value in enumerate(statistics[1 : 1 + rule.longest], start=1):
        reached += value >= statistics[0]
        if reached == rule.stop_after:
            return rule.stop_after / draw
    return full


def assert_valid(pvalues, chances):
    for a in np.unique(pvalues):
        assert chances[pvalues <= a].sum() <= a + 1e-12, a


@pytest.mark.parametrize(("h", "longest"), [(1, 1), (1, 4), (2, 3), (2, 5), (3, 5)])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_pvalue_is_valid_whatever_the_full_test_ranks(h, longest, sign):
    # every order of five draws and the observed value; the full test may rank the opposite
    rule = Stopping(h, 0, longest)
    orders = [np.array(order, float) for order in permutations(range(6))]
    pvalues = []
    for order in orders:
        full = monte_carlo_pvalue(sign * order[0], sign * order[1:])
        draws = rule.stops_at(order[0], order[1:])
        pvalue = full if draws is None else h / draws
        assert pvalue == sequential_pvalue(rule, order, full)
        pvalues.append(pvalue)
    assert_valid(np.array(pvalues), np.full(len(orders), 1.0 / len(orders)))


def test_an_invalid_rule_would_be_noticed():
    # (h − 1)/L, the unbiased estimate of the exceedance probability, is too small
    rule = Stopping(2, 0, 5)
    orders = [np.array(order, float) for order in permutations(range(6))]
    stops = [rule.stops_at(order[0], order[1:]) for order in orders]
    pvalues = np.array([1 / 6 if draws is None else 1 / draws for draws in stops])
    with pytest.raises(AssertionError):
        assert_valid(pvalues, np.full(len(orders), 1.0 / len(orders)))


@pytest.mark.parametrize("reference", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_aggregated_pvalue_is_valid_on_all_label_sets_of_two_rows(reference):
    # four equally likely label sets of two rows, in every order of observed and drawn
    predictions = Predictions([0, 1], [[0.5, 0.5], [0.5, 0.5]])
    rule, every = Stopping(1, reference, 2), list(product(range(2), repeat=2))
    orders = list(product(every, repeat=1 + reference + 2))
    pvalues = []
    for sets in orders:
        label_sets = LabelSets.of(np.array(sets), 2)
        found = full_families(predictions, 0.5, label_sets, Components(), Parallel(1))
        full = combine(family_tails(component_tails(found)), WEIGHTS)
        some = combine(family_tails(component_tails(found, reference)), WEIGHTS)
        draws = rule.stops_at(some[0], some[1:])
        pvalues.append(monte_carlo_pvalue(full[0], full[1:]) if draws is None else 1 / draws)
    assert len(set(pvalues)) > 1
    assert_valid(np.array(pvalues), np.full(len(orders), 1.0 / len(orders)))


def run(predictions, method, **settings):
    setting = Setting(np.random.default_rng(3), Parallel(1, **settings))
    estimator = cal.SKCE() if isinstance(method, Aggregated) else cal.ECE()
    return method.test(predictions, estimator, setting)


def calibrated(n=80):
    return Predictions(*cal.models.M1(n_classes=3).sample(n, rng=4))


@pytest.mark.parametrize("method", [Aggregated, Exact])
def test_a_test_that_stops_says_so(method):
    evidence = run(calibrated(), method(stop_after=20))
    details = evidence.details
    draws = len(evidence.null_distribution)
    assert evidence.pvalue == 20 / draws >= 0.2
    assert details["stopped_after"] == 20
    assert details["n_resamples_at_most"] == 999
    assert f"stopped after {details['n_resamples']} of 999" in details["stopping_note"]
    assert details["n_resamples"] == len(evidence.null_estimates)
    assert details["n_resamples"] == draws + (_sequential.REFERENCE if method is Aggregated else 0)
    # the last draw is the twentieth that reaches the observed one
    assert np.sum(evidence.null_distribution >= evidence.statistic) == 20
    assert evidence.null_distribution[-1] >= evidence.statistic
    whole = run(calibrated(), method(stop_after=0))
    assert whole.details["n_resamples"] == 999
    assert "stopped_after" not in whole.details
    assert abs(whole.pvalue - evidence.pvalue) < 5 * details["monte_carlo_error"]
    n = len(evidence.null_estimates)
    np.testing.assert_allclose(evidence.null_estimates, whole.null_estimates[:n], rtol=1e-12)


@pytest.mark.parametrize("method", [Aggregated, Exact])
def test_where_evidence_is_strong_nothing_changes(method):
    predictions = calibrated()
    wrong = predictions.with_labels(np.argmin(predictions.y_prob, axis=1))
    stopping, whole = (run(wrong, method(stop_after=h)) for h in (20, 0))
    assert stopping.pvalue == whole.pvalue == 0.001
    assert stopping.details["n_resamples"] == 999
    np.testing.assert_allclose(stopping.null_distribution, whole.null_distribution, rtol=1e-12)


def test_tests_of_many_probabilities_stop_by_default(limit):
    assert Stopping.choose(None, 999_999, 999) is None
    assert Stopping.choose(None, 1_000_000, 999) == Stopping(20, 0, 100)
    assert Stopping.choose(0, 10**9, 999) is None
    assert Stopping.choose(20, 10, 60, 55) is None  # five draws cannot reach it twenty times
    assert Stopping.choose(20, 10, 99, 55) == Stopping(20, 55, 44)
    limit(sequential_size=240)
    assert "stopped_after" in run(calibrated(), Aggregated()).details
    assert "stopped_after" not in run(calibrated(79), Aggregated()).details


@pytest.mark.parametrize("stops", [True, False])
def test_progress_never_goes_back(stops):
    predictions = calibrated()
    if not stops:
        predictions = predictions.with_labels(np.argmin(predictions.y_prob, axis=1))
    told = []
    run(predictions, Aggregated(stop_after=20), progress=lambda *step: told.append(step))
    shares = [done / total for done, total in told]
    assert shares == sorted(shares)
    assert told[-1][0] == told[-1][1]


@pytest.mark.parametrize("method", [Aggregated, Exact])
@pytest.mark.parametrize("wrong", [-1, 2.5, True, "20"])
def test_other_stops_are_refused(method, wrong):
    with pytest.raises(ValueError, match="`stop_after` must be None or a non-negative integer"):
        method(stop_after=wrong)


@pytest.mark.slow
@pytest.mark.parametrize("method", [Aggregated, Exact])
def test_calibrated_models_are_rejected_no_more_often_than_promised(method):
    # 400 runs: four standard errors
    pvalues = []
    for k in range(400):
        rng = np.random.default_rng([1, k])
        P = rng.dirichlet(np.ones(3), 60)
        y = (P.cumsum(axis=1)[:, :2] < rng.random((60, 1))).sum(axis=1)
        setting = Setting(np.random.default_rng([2, k]), Parallel(1))
        estimator = cal.SKCE() if method is Aggregated else cal.ECE()
        rule = method(199, stop_after=10)
        pvalues.append(rule.test(Predictions(y, P), estimator, setting).pvalue)
    for a in (0.05, 0.1, 0.2, 0.5, 0.8):
        assert np.mean(np.array(pvalues) <= a) <= a + 4 * np.sqrt(a * (1 - a) / 400)
