"""Directions of confidence: both cores agree, and rounding does not count as a score."""

import numpy as np
import pytest

from calibrant import _native
from calibrant._engine import center_scores, direction_terms, floored_log


@pytest.fixture(params=[1, 2, 7, 16, 130])
def probabilities(request):
    return np.random.default_rng(0).dirichlet(np.ones(request.param), size=11)


@pytest.mark.parametrize("values", [lambda p: p, floored_log], ids=["brier", "log"])
def test_scores_are_centered_under_the_predictions_with_both_cores(probabilities, values):
    p, weights = probabilities, np.linspace(0.5, 2.0, 11)
    f = values(p)
    centered = f - np.sum(p * f, axis=1, keepdims=True)
    spread = np.sum(p * centered**2, axis=1)
    for core in ("native", "numpy"):
        with _native.using(core):
            found, variance = center_scores(p, f)
            scores, total = direction_terms(p, f, weights)
        np.testing.assert_allclose(found, centered, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(variance, spread, rtol=1e-12, atol=1e-25)
        np.testing.assert_allclose(scores, weights[:, None] * centered, rtol=1e-12, atol=1e-13)
        assert total == pytest.approx(np.sum(weights**2 * spread), rel=1e-12, abs=1e-25)


@pytest.mark.parametrize("m", [3, 10, 37])
def test_equal_probabilities_have_no_score_with_either_core(m):
    p = np.full((5, m), 1.0 / m)
    for core in ("native", "numpy"):
        with _native.using(core):
            scores, variance = direction_terms(p, np.log(p), np.ones(5))
        assert not scores.any()
        assert variance == 0.0
