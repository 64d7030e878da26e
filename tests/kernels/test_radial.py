"""Kernels of a distance: formulas, forms and refusals."""

from __future__ import annotations

import math
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from calibrant.kernels import Gaussian, Laplacian, Matern, Mean, Median, RationalQuadratic

P, Q = [0.9, 0.1, 0.0], [0.4, 0.1, 0.5]
TV = 0.5
EUCLIDEAN = math.sqrt(0.5)
HELLINGER = math.sqrt(0.5 * ((math.sqrt(0.9) - math.sqrt(0.4)) ** 2 + 0.5))


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        (Laplacian(0.3), math.exp(-TV / 0.3)),
        (Laplacian(0.3, metric="euclidean"), math.exp(-EUCLIDEAN / 0.3)),
        (Laplacian(0.3, metric="hellinger"), math.exp(-HELLINGER / 0.3)),
        (Gaussian(0.3), math.exp(-(EUCLIDEAN**2) / 0.18)),
        (Gaussian(0.3, metric="hellinger"), math.exp(-(HELLINGER**2) / 0.18)),
        (RationalQuadratic(0.3, 2.5), (1.0 + EUCLIDEAN**2 / (5.0 * 0.09)) ** -2.5),
        (
            RationalQuadratic(0.3, metric="hellinger"),
            1.0 / (1.0 + HELLINGER**2 / 0.18),
        ),
        (
            Matern(0.3),
            (1.0 + math.sqrt(3.0) * EUCLIDEAN / 0.3) * math.exp(-math.sqrt(3.0) * EUCLIDEAN / 0.3),
        ),
        (
            Matern(0.3, 2.5, "hellinger"),
            (1.0 + math.sqrt(5.0) * HELLINGER / 0.3 + 5.0 * HELLINGER**2 / (3.0 * 0.3**2))
            * math.exp(-math.sqrt(5.0) * HELLINGER / 0.3),
        ),
    ],
)
def test_values_equal_the_formula(kernel, expected):
    assert kernel(P, Q) == pytest.approx(expected, rel=1e-14)
    assert kernel(Q, P) == kernel(P, Q)
    assert kernel(P, P) == 1.0 == kernel.sup


def test_rows_give_a_tile():
    kernel = Laplacian(0.3)
    values = kernel([P, Q], [Q, P, P])
    assert values.shape == (2, 3)
    assert values[1, 0] == 1.0
    assert values[0, 0] == kernel(P, Q)
    assert kernel(P, [Q, P]).shape == (1, 2)


def test_a_rational_quadratic_of_huge_alpha_is_gaussian():
    assert RationalQuadratic(0.3, 1e12)(P, Q) == pytest.approx(Gaussian(0.3)(P, Q), rel=1e-10)


@pytest.mark.parametrize(
    ("kernel", "norm", "profile", "rate", "transform"),
    [
        (Laplacian(0.4), "cityblock", "laplacian", 1 / 0.8, np.asarray),
        (Laplacian(0.4, metric="euclidean"), "euclidean", "laplacian", 1 / 0.4, np.asarray),
        (
            Laplacian(0.4, metric="hellinger"),
            "euclidean",
            "laplacian",
            1 / (0.4 * math.sqrt(2)),
            np.sqrt,
        ),
        (Gaussian(0.4), "euclidean", "gaussian", 1 / (0.4 * math.sqrt(2)), np.asarray),
        (Gaussian(0.4, metric="hellinger"), "euclidean", "gaussian", 1 / 0.8, np.sqrt),
    ],
)
def test_form_of_the_pair_engine(kernel, norm, profile, rate, transform):
    x, v = np.array([P, Q]), np.array([[0.1, -0.1, 0.0], [0.6, -0.1, -0.5]])
    (form,) = kernel.forms(x, v)
    np.testing.assert_array_equal(form.x, transform(x))
    np.testing.assert_array_equal(form.v, v)
    assert (form.metric, form.profile, form.scale) == (norm, profile, 1.0)
    assert form.rate == pytest.approx(rate, rel=1e-15)


@pytest.mark.parametrize("kernel", [RationalQuadratic(0.4, 2.0), Matern(0.4), Matern(0.4, 2.5)])
def test_forms_of_other_profiles_can_be_pickled(kernel):
    (form,) = kernel.forms(np.array([P, Q]), np.zeros((2, 3)))
    profile = pickle.loads(pickle.dumps(form.profile))
    value = profile(form.rate * np.array([EUCLIDEAN]))[0]
    assert value == pytest.approx(kernel(P, Q), rel=1e-15)


@pytest.mark.parametrize("nu", [1.5, 2.5])
def test_matern_kernels_solve_their_differential_equation(nu):
    # (d/dt − √(2ν))^{ν + ½} φ = 0 in |t|: φ·e^{√(2ν)t} is a polynomial of degree ν − ½
    t = np.linspace(0.0, 4.0, 9)
    scaled = Matern(1.0, nu).profile(t) * np.exp(math.sqrt(2.0 * nu) * t)
    np.testing.assert_allclose(np.diff(scaled, int(nu + 0.5)), 0.0, atol=1e-12)
    slope = (Matern(1.0, nu).profile(np.array([1e-5])) - 1.0) / 1e-5
    np.testing.assert_allclose(slope, 0.0, atol=1e-4)  # smooth at 0, unlike the Laplacian


def test_forms_hold_contiguous_doubles():
    x = np.asfortranarray(np.random.default_rng(0).dirichlet(np.ones(3), 5), dtype=np.float32)
    for kernel in (Laplacian(0.4), Gaussian(0.4), Laplacian(0.4, metric="hellinger")):
        for rows in (x, x[:, :2] / x[:, :2].sum(axis=1, keepdims=True)):
            (form,) = kernel.forms(rows, rows)
            for array in (form.x, form.v):
                assert array.flags.c_contiguous
                assert array.dtype == np.float64


@pytest.mark.parametrize(("metric", "stretch"), [("tv", 1.0), ("euclidean", math.sqrt(2.0))])
def test_two_classes_lie_on_a_line(metric, stretch):
    p = np.random.default_rng(0).random(50)
    x = np.column_stack([1.0 - p, p])
    kernel = Laplacian(0.3, metric=metric)
    (form,) = kernel.forms(x, x)
    assert form.x.shape == (50, 1)
    assert form.metric == "cityblock"
    assert form.rate == pytest.approx(stretch / 0.3, rel=1e-15)
    values = np.exp(-form.rate * np.abs(form.x - form.x.T))
    np.testing.assert_allclose(values, kernel(x, x), rtol=1e-14)


def test_two_classes_on_a_line_are_off_by_half_the_difference_of_row_sums():
    rng = np.random.default_rng(0)
    d, s = rng.uniform(-0.5, 0.5, 80), 1.0 + rng.uniform(-1e-6, 1e-6, 80)
    d[40:] = d[:40]  # pairs that differ by their sums only
    x = np.column_stack([0.5 * s - d, 0.5 * s + d])
    off = 0.5 * np.abs(s[:, None] - s[None, :])
    (form,) = Laplacian(1.0).forms(x, x)
    tv = 0.5 * np.abs(x[:, None] - x[None, :]).sum(axis=2)
    error = tv - np.abs(form.x - form.x.T)
    assert error.min() > -1e-15
    assert (error <= off + 1e-15).all()
    assert error.max() > 1e-8
    (form,) = Laplacian(1.0, metric="euclidean").forms(x, x)
    euclidean = np.sqrt(((x[:, None] - x[None, :]) ** 2).sum(axis=2))
    error = euclidean - form.rate * np.abs(form.x - form.x.T)
    assert (error <= math.sqrt(2.0) * off + 1e-15).all()


def test_two_columns_that_do_not_sum_to_one_stay_in_the_plane():
    x = np.array([[0.5, 0.5], [0.3, 0.7001]])
    (form,) = Laplacian(0.3).forms(x, x)
    assert form.x.shape == (2, 2)
    (form,) = Laplacian(0.3, metric="hellinger").forms(x[:1], x[:1])
    assert form.x.shape == (1, 2)


def test_defaults_and_positional_order():
    assert Laplacian() == Laplacian(Median(), "tv")
    assert Gaussian() == Gaussian(Median(), "euclidean")
    assert RationalQuadratic() == RationalQuadratic(Median(), 1.0, "euclidean")
    assert Matern() == Matern(Median(), 1.5, "euclidean")


def test_kernels_are_frozen_hashable_values():
    kernel = Laplacian(1)
    assert isinstance(kernel.bandwidth, float)
    assert {kernel: "found"}[Laplacian(np.float32(1.0))] == "found"
    with pytest.raises(FrozenInstanceError):
        kernel.bandwidth = 2.0
    assert pickle.loads(pickle.dumps(Laplacian())) == Laplacian()


@pytest.mark.parametrize("bandwidth", [Median(), Mean()])
def test_rules_are_resolved_with_the_metric_of_the_kernel(bandwidth):
    x = np.random.default_rng(0).dirichlet(np.ones(3), 20)
    for kernel in (
        Laplacian(bandwidth),
        Gaussian(bandwidth, metric="hellinger"),
        RationalQuadratic(bandwidth, 2.0),
    ):
        resolved = kernel.resolve(x)
        assert resolved.bandwidth == bandwidth.resolve(x, kernel.metric)
        assert type(resolved) is type(kernel)
        assert resolved.resolve(x[:5]) is resolved


def test_an_unresolved_kernel_says_what_to_do():
    with pytest.raises(ValueError, match=r"rule Median\(.*\); call kernel.resolve\(y_prob\) first"):
        Laplacian()(P, Q)
    with pytest.raises(ValueError, match=r"call kernel.resolve\(y_prob\) first"):
        Laplacian().forms(np.array([P]), np.array([Q]))


@pytest.mark.parametrize("kind", [Gaussian, RationalQuadratic])
def test_total_variation_is_refused_where_it_is_not_positive_semidefinite(kind):
    with pytest.raises(ValueError, match=r"'euclidean', 'hellinger'; got 'tv'.*Laplacian"):
        kind(0.3, metric="tv")


def test_a_gaussian_of_total_variation_is_indeed_not_positive_semidefinite():
    x = np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 0, 1]]) / 2
    x = np.vstack([x, [[0, 1, 1, 0]], np.eye(4)])
    tv = 0.5 * np.abs(x[:, None] - x[None, :]).sum(axis=2)
    assert np.linalg.eigvalsh(np.exp(-(tv**2)))[0] < -1e-3


@pytest.mark.parametrize("bandwidth", [0.0, -1.0, math.inf, math.nan])
def test_bandwidths_must_be_positive(bandwidth):
    with pytest.raises(ValueError, match=r"`bandwidth` of Laplacian must be positive and finite"):
        Laplacian(bandwidth)


@pytest.mark.parametrize("bandwidth", ["median", None, True, Median, Laplacian(0.1)])
def test_other_bandwidths_are_refused(bandwidth):
    with pytest.raises(ValueError, match=r"must be a positive number or a rule such as Median\(\)"):
        Gaussian(bandwidth)


def test_other_parameters_are_checked():
    with pytest.raises(ValueError, match=r"`metric` of Laplacian must be .*; got 'cosine'\."):
        Laplacian(metric="cosine")
    with pytest.raises(ValueError, match=r"`alpha` must be positive and finite; got 0"):
        RationalQuadratic(alpha=0)
    with pytest.raises(
        ValueError, match=r"`nu` must be 1.5 or 2.5; got 0.5. For 0.5 use Laplacian"
    ):
        Matern(nu=0.5)
    with pytest.raises(
        ValueError, match="a Matern of the total variation distance is not positive"
    ):
        Matern(metric="tv")
    with pytest.raises(ValueError, match=r"same number of classes; got 2 and 3"):
        Laplacian(0.3)([0.5, 0.5], P)
