"""Step-down maxT against its definition in plain loops."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from calibrant._followup.where._pvalues import adjusted_pvalues


def literal(statistics):
    """Westfall and Young (1993), algorithm 4.1: successive maxima, enforced monotonicity."""
    n_hypotheses, n_sets = len(statistics), len(statistics[0])
    order = sorted(range(n_hypotheses), key=lambda h: -statistics[h][0])
    adjusted, before = [0.0] * n_hypotheses, 0.0
    for k, h in enumerate(order):
        count = sum(
            max(statistics[g][b] for g in order[k:]) >= statistics[h][0] for b in range(1, n_sets)
        )
        before = max(before, (1 + count) / n_sets)
        adjusted[h] = before
    return adjusted


@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(2, 30), st.booleans())
def test_equals_the_literal_loops(seed, n_hypotheses, n_sets, ties):
    statistics = np.random.default_rng(seed).normal(size=(n_hypotheses, n_sets))
    if ties:
        statistics = np.round(statistics)
    np.testing.assert_allclose(adjusted_pvalues(statistics), literal(statistics), rtol=1e-14)


def test_one_hypothesis_has_its_own_pvalue():
    assert adjusted_pvalues(np.array([[2.0, 1.0, 3.0, 2.0]])) == pytest.approx([0.75])


def test_never_below_the_pvalue_alone():
    statistics = np.random.default_rng(1).normal(size=(5, 200))
    alone = np.mean(statistics >= statistics[:, :1], axis=1)
    assert (adjusted_pvalues(statistics) >= alone).all()


def test_no_hypotheses_no_pvalues():
    assert adjusted_pvalues(np.empty((0, 10))).shape == (0,)
