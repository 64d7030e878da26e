import numpy as np
import pytest
from tests.recalibration.literal_maps import vector_objective

from calibrant.models import Distorted, LogitShift, TemperatureModel
from calibrant.recalibration import VectorScaling


def sample(n=150, m=3, seed=0):
    return Distorted(0.7, m, truth=LogitShift([0.7, *[0.0] * (m - 1)])).sample(n, rng=seed)


@pytest.mark.parametrize("penalty", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_no_neighbor_has_a_smaller_literal_objective(penalty, weighted):
    y, p = sample()
    w = np.random.default_rng(0).random(150) if weighted else None
    fitted = VectorScaling(penalty).fit(p, y, w)
    best = vector_objective(p, y, fitted.slopes, fitted.intercepts, penalty, w)
    rng = np.random.default_rng(1)
    for size in (1e-1, 1e-2, 1e-3, 1e-4):
        a, b = rng.normal(scale=size, size=(2, 3))
        near = vector_objective(p, y, fitted.slopes + a, fitted.intercepts + b, penalty, w)
        assert near >= best - 1e-13


@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_without_penalty_are_logistic_regression_on_the_logit(weighted):
    linear_model = pytest.importorskip("sklearn.linear_model")
    y, p = sample(300, 2)
    w = np.random.default_rng(0).random(300) if weighted else None
    logit = np.log(p[:, 1] / p[:, 0])[:, None]
    theirs = linear_model.LogisticRegression(C=np.inf, tol=1e-12).fit(logit, y, sample_weight=w)
    ours = VectorScaling(penalty=0.0).fit(p, y, w)
    np.testing.assert_allclose(ours.slopes, theirs.coef_[0, 0], rtol=1e-6)
    shift = ours.intercepts[1] - ours.intercepts[0]
    np.testing.assert_allclose(shift, theirs.intercept_[0], rtol=1e-6)
    assert ours.n_parameters == 2


def test_two_classes_with_penalty_have_no_better_neighbor():
    y, p = sample(60, 2)
    fitted = VectorScaling().fit(p, y)
    best = vector_objective(p, y, fitted.slopes, fitted.intercepts, 2 / 60)
    for a, c in [(1e-2, 0), (-1e-2, 0), (0, 1e-2), (0, -1e-2), (1e-3, 1e-3)]:
        b = fitted.intercepts + np.array([-c / 2, c / 2])
        assert vector_objective(p, y, fitted.slopes + a, b, 2 / 60) >= best


def test_the_default_penalty_shrinks_with_the_rows():
    y, p = sample(90)
    fitted = VectorScaling().fit(p, y)
    explicit = VectorScaling(penalty=3 / 90).fit(p, y)
    np.testing.assert_allclose(fitted.slopes, explicit.slopes, rtol=1e-12)


def test_the_default_penalty_counts_weighted_rows_by_their_effective_number():
    y, p = sample(90)
    w = np.random.default_rng(0).random(90)
    explicit = VectorScaling(penalty=3 / (w.sum() ** 2 / (w**2).sum())).fit(p, y, w)
    np.testing.assert_allclose(VectorScaling().fit(p, y, w).slopes, explicit.slopes, rtol=1e-12)


def test_a_huge_penalty_leaves_a_common_temperature():
    y, p = TemperatureModel(0.5, 3, temperature=2.0).sample(400, rng=0)
    fitted = VectorScaling(penalty=1e6).fit(p, y)
    np.testing.assert_allclose(fitted.slopes, fitted.slopes.mean(), rtol=1e-5)
    np.testing.assert_allclose(fitted.intercepts, 0.0, atol=1e-5)


def test_separable_labels_have_finite_parameters():
    p = np.array([[0.6, 0.4], [0.3, 0.7], [0.9, 0.1], [0.2, 0.8]])
    for penalty in (0.0, None):
        fitted = VectorScaling(penalty).fit(p, [0, 1, 0, 1])
        assert np.isfinite(fitted.slopes).all()
        assert np.abs(fitted.intercepts).max() < 1e4
        assert np.isfinite(fitted.predict_proba(p)).all()


def test_a_class_without_rows_has_finite_parameters():
    y, p = sample()
    fitted = VectorScaling(0.0).fit(p[y < 2], y[y < 2])
    assert np.isfinite(fitted.intercepts).all()
    assert fitted.predict_proba(p)[:, 2].max() < 1e-6


def test_many_classes_are_fitted_without_a_hessian():
    y, p = TemperatureModel(0.1, 310, temperature=1.5).sample(400, rng=0)
    fitted = VectorScaling().fit(p, y)
    assert fitted.slopes.mean() == pytest.approx(1 / 1.5, abs=0.1)


@pytest.mark.parametrize("penalty", [-1.0, float("inf"), float("nan"), "x"])
def test_penalties_are_not_negative(penalty):
    with pytest.raises(ValueError, match="`penalty` must be None, 0 or a positive number"):
        VectorScaling(penalty)
