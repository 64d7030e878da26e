"""Generative models: their samples, their truth and their theory."""

from __future__ import annotations

import csv
import inspect
import math
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import special, stats

from calibrant import models
from calibrant.models import (
    M1,
    M2,
    M3,
    DirichletModel,
    Distorted,
    LogitShift,
    Oscillation,
    Swap,
    TemperatureModel,
    temperature_scale,
)

PUBLISHED = Path(__file__).parents[3] / "shared" / "paper" / "published" / "errors_means.csv"

MODELS = [
    M1(),
    M2(n_classes=4, alpha=0.5),
    M3(n_classes=3, alpha=1.0),
    DirichletModel([0.3, 2.0, 0.7], pi=0.4, beta=[0.2, 0.3, 0.5]),
    TemperatureModel(0.5, 4, temperature=1.7),
    TemperatureModel([0.3, 2.0, 0.7], temperature=0.6),
    Distorted(0.5, 5, truth=Swap(1, 3, probability=0.4)),
    Distorted(0.5, 3, truth=LogitShift([0.5, 0.0, -1.0])),
    Distorted(1.0, 2, truth=Oscillation(0.9, frequency=2.0)),
]


def total_variation(p, q):
    return 0.5 * np.abs(p - q).sum(axis=-1)


def assert_mean_is(values, expected):
    """Allow 4.5 standard errors of the Monte Carlo mean."""
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean() - expected) <= 4.5 * error + 1e-12


# samples


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_samples_are_codes_and_distributions(model):
    y_true, y_prob = model.sample_many(3, 40, rng=1)
    assert (y_true.shape, y_true.dtype) == ((3, 40), np.int64)
    assert (y_prob.shape, y_prob.dtype) == ((3, 40, model.n_classes), np.float64)
    assert y_true.min() >= 0
    assert y_true.max() < model.n_classes
    assert (y_prob >= 0).all()
    np.testing.assert_allclose(y_prob.sum(axis=2), 1.0, rtol=1e-14)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_the_seed_determines_the_sample(model):
    y_true, y_prob = model.sample(30, rng=5)
    again = model.sample(30, rng=np.random.default_rng(5))
    assert np.array_equal(y_true, again[0])
    assert np.array_equal(y_prob, again[1])
    assert not np.array_equal(y_prob, model.sample(30, rng=6)[1])


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_labels_follow_the_calibration_function(model):
    y_true, y_prob = model.sample(40_000, rng=2)
    residual = np.eye(model.n_classes)[y_true] - model.calibration_function(y_prob)
    for c in range(model.n_classes):
        assert_mean_is(residual[:, c], 0.0)
        assert_mean_is(residual[:, c] * y_prob[:, c], 0.0)
        assert_mean_is(residual[:, c] * (y_prob[:, c] > 0.5), 0.0)


@pytest.mark.parametrize("alpha", [0.05, 0.7, 3.0])
def test_predictions_have_beta_margins(alpha):
    _, y_prob = DirichletModel([alpha, 0.4, 1.1]).sample(20_000, rng=3)
    margin = stats.beta(alpha, 1.5)
    x = y_prob[:, 0]
    for level in (0.01, 0.1, 0.5, 0.9, 0.99):  # for α = .05 the first is 1e-40
        assert_mean_is((x <= margin.ppf(level)).astype(float), level)
    covariance = -alpha * 0.4 / ((alpha + 1.5) ** 2 * (alpha + 2.5))
    assert_mean_is((x - alpha / (alpha + 1.5)) * (y_prob[:, 1] - 0.4 / (alpha + 1.5)), covariance)


@pytest.mark.parametrize("alpha", [1e-300, 1e-10, 1e-4, 1e-3, 1e3, 1e12])
def test_extreme_concentrations_give_distributions(alpha):
    y_true, y_prob = M1(n_classes=10, alpha=alpha).sample(2000, rng=0)
    assert np.isfinite(y_prob).all()
    np.testing.assert_allclose(y_prob.sum(axis=1), 1.0, rtol=1e-14)
    # the corners are equally likely, and labels never have probability 0
    assert stats.chisquare(np.bincount(y_true, minlength=10)).pvalue > 1e-4
    assert (y_prob[np.arange(2000), y_true] > 0).all()


def test_blocks_continue_the_labels_of_one_resampler(limit):
    limit(model_numbers=30)
    y_true, y_prob = M3(n_classes=3).sample_many(4, 500, rng=0)
    assert len(np.unique(y_prob[..., 0])) > 1000
    # rows of different blocks are independent: the lag-10 agreement of uniform labels is 1/3
    flat = y_true.ravel()
    assert_mean_is((flat[10:] == flat[:-10]).astype(float), 1 / 3)


def test_sampling_needs_little_more_memory_than_the_sample():
    tracemalloc.start()
    try:
        y_true, y_prob = M1(n_classes=10).sample_many(100, 2000, rng=0)
        extra = tracemalloc.get_traced_memory()[1] - y_true.nbytes - y_prob.nbytes
    finally:
        tracemalloc.stop()
    assert extra < 15e6


def test_no_rows_are_no_rows():
    y_true, y_prob = M1().sample(0, rng=0)
    assert y_true.shape == (0,)
    assert y_prob.shape == (0, 10)


# theory


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published values are not at hand")
def test_ece_has_the_published_true_values():
    with PUBLISHED.open() as file:
        rows = [r for r in csv.DictReader(file) if r["estimator"].startswith("ECE")]
    assert len(rows) == 160
    for row in rows:
        model = DirichletModel(
            float(row["alpha"]), int(row["m"]), pi=float(row["pi"]), beta=row["beta"]
        )
        # the published numbers carry a rounding error of 1.3e-13; see the next test for ours
        assert model.ece() == pytest.approx(float(row["true_value"]), rel=2e-13, abs=1e-15)


@pytest.mark.parametrize(
    ("m", "a", "value"),
    [
        (2, 0.1, 0.44157569494468432),
        (10, 0.1, 0.71064180122904294),
        (1000, 0.1, 0.75511354344950997),
        (1000, 1.0, 0.36769542477096404),
    ],
)
def test_ece_agrees_with_forty_digit_arithmetic(m, a, value):
    # ((m−1)^{m−1}/m^m)^a/(a·B(a, (m−1)a)) by mpmath 1.3 with mp.dps = 40
    assert M3(m, a).ece() == pytest.approx(value, rel=2e-15)


@pytest.mark.parametrize(
    "model",
    [
        M2(),
        M3(),
        M3(n_classes=100),
        DirichletModel([0.3, 2.0, 0.7], pi=0.4, beta=[0.2, 0.3, 0.5]),
        DirichletModel([5.0, 0.01], pi=1.0, beta=[0.9, 0.1]),
    ],
    ids=repr,
)
def test_ece_is_the_mean_distance_to_the_truth(model):
    _, y_prob = model.sample(20_000, rng=7)
    assert_mean_is(total_variation(y_prob, model.calibration_function(y_prob)), model.ece())


@given(a=st.floats(1e-3, 50), m=st.integers(2, 300), pi=st.floats(0, 1))
def test_ece_has_the_papers_special_cases(a, m, pi):
    first = DirichletModel(a, m, pi=pi, beta="first").ece()
    assert first == pytest.approx(pi * (m - 1) / m, rel=1e-12)
    uniform = DirichletModel(a, m, pi=pi, beta="uniform").ece()
    power = a * ((m - 1) * math.log(m - 1) - m * math.log(m))
    closed = pi * math.exp(power - special.betaln(a, (m - 1) * a)) / a
    assert uniform == pytest.approx(closed, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("a", [0.1, 1.0, 3.0])
def test_ece_has_the_papers_limits_for_many_classes(a):
    m = 10**6
    limit = math.exp(-a) * a ** (a - 1) / math.gamma(a)
    assert M3(m, a).ece() == pytest.approx(limit, rel=20 / m * max(a, 1 / a))
    assert DirichletModel(a, m, pi=1.0, beta="first").ece() == pytest.approx(1.0, abs=2 / m)


def test_ece_of_a_corner_is_what_the_corner_misses():
    # β = e_j: ‖e_j − p‖_TV = 1 − p_j, of mean 1 − α_j/α₀
    model = DirichletModel([0.3, 2.0, 0.7], pi=0.5, beta=[0.0, 1.0, 0.0])
    assert model.ece() == pytest.approx(0.5 * (1 - 2 / 3), rel=1e-14)


def test_ece_for_tiny_concentrations_is_that_of_corners():
    # p = e_i with probability 1/m: ‖β − e_i‖_TV = 1 − 1/m
    assert M3(10, 1e-4).ece() == pytest.approx(0.9, rel=1e-3)
    assert M3(10, 1e-12).ece() == pytest.approx(0.9, rel=1e-9)


@pytest.mark.parametrize(
    "model",
    [M1(), M1(3, 1.0), M1(100, 0.1), DirichletModel([0.3, 2.0, 0.7]), DirichletModel([5, 0.01])],
    ids=repr,
)
def test_mean_total_variation_is_the_mean_distance_of_two_predictions(model):
    _, y_prob = model.sample_many(2, 20_000, rng=8)
    assert_mean_is(total_variation(y_prob[0], y_prob[1]), model.mean_total_variation())


def test_mean_total_variation_has_closed_forms():
    assert M1(2, 1.0).mean_total_variation() == pytest.approx(1 / 3, rel=1e-14)
    # α = (1, 2): E|X − X'| of Beta(1, 2) = 4/15
    assert DirichletModel([1, 2]).mean_total_variation() == pytest.approx(4 / 15, rel=1e-13)
    # corners: different with probability 1 − 1/m
    assert M1(10, 1e-9).mean_total_variation() == pytest.approx(0.9, rel=1e-7)
    # nearly constant predictions: normal with variance (1/m)(1 − 1/m)/(αm), mean |d| = 2σ/√π
    sigma = math.sqrt(0.25 / 2e6)
    expected = 2 * sigma / math.sqrt(math.pi)
    assert M1(2, 1e6).mean_total_variation() == pytest.approx(expected, rel=1e-5)


@given(st.lists(st.floats(1e-3, 100), min_size=2, max_size=6))
def test_mean_total_variation_is_the_papers_formula(alpha):
    a, a0 = np.array(alpha), sum(alpha)
    terms = -special.betaln(a, a) - special.betaln(a0 - a, a0 - a)
    literal = 2 / a0 * np.exp(special.betaln(a0, a0) + terms).sum()
    assert DirichletModel(alpha).mean_total_variation() == pytest.approx(literal, rel=1e-9)


def test_very_unequal_concentrations_do_not_cancel():
    model = DirichletModel([1e20, 1.0], pi=1.0, beta=[0.0, 1.0])
    assert model.ece() == pytest.approx(1.0, rel=1e-12)
    # p_1 = E/10²⁰ with E exponential, E|E − E'| = 1
    assert model.mean_total_variation() == pytest.approx(1e-20, rel=1e-12, abs=0)


# calibration functions


def test_the_papers_models_are_what_the_paper_says():
    assert M1() == DirichletModel(0.1, 10)
    assert M2() == DirichletModel(0.1, 10, 0.5, "first")
    assert M3() == DirichletModel(0.1, 10, 1.0, "uniform")
    p = np.array([[0.2, 0.3, 0.5]])
    assert np.array_equal(M1(3).calibration_function(p), p)
    np.testing.assert_allclose(M2(3).calibration_function(p), [[0.6, 0.15, 0.25]], rtol=1e-15)
    np.testing.assert_allclose(M3(3).calibration_function(p), np.full((1, 3), 1 / 3), rtol=1e-15)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_calibration_functions_are_distributions_and_leave_their_input_alone(model):
    corners = np.eye(model.n_classes)
    y_prob = np.vstack([corners, model.sample(200, rng=0)[1]])
    y_prob.setflags(write=False)
    q = model.calibration_function(y_prob)
    assert q.shape == y_prob.shape
    assert (q >= 0).all()
    np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-13)


def test_temperature_scaling_has_closed_forms():
    np.testing.assert_allclose(temperature_scale([[0.1, 0.9]], 2.0), [[0.25, 0.75]], rtol=1e-14)
    np.testing.assert_allclose(temperature_scale([[0.25, 0.75]], 0.5), [[0.1, 0.9]], rtol=1e-14)
    np.testing.assert_allclose(temperature_scale([[1, 3]], 1.0), [[0.25, 0.75]], rtol=1e-15)
    # p^{1/τ} of the logits z is the softmax of z/τ
    z = np.random.default_rng(0).normal(size=(20, 5)) * 4
    expected = special.softmax(z / 1.7, axis=1)
    np.testing.assert_allclose(
        temperature_scale(special.softmax(z, axis=1), 1.7), expected, rtol=1e-12
    )


@pytest.mark.parametrize("temperature", [1e-307, 1e-3, 1.0, 1e3, 1e300])
def test_temperature_scaling_keeps_zeros_and_is_safe_at_any_temperature(temperature):
    p = np.array([[0.0, 0.4, 0.6], [1.0, 0.0, 0.0], [1e-320, 0.0, 1.0], [1e-310, 1e-310, 0.0]])
    q = temperature_scale(p, temperature)
    np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-14)
    assert (q[p == 0] == 0).all()
    if temperature == 1e-307:
        assert np.array_equal(q[:3], [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    if temperature == 1e300:
        assert np.array_equal(q, [[0, 0.5, 0.5], [1, 0, 0], [0.5, 0, 0.5], [0.5, 0.5, 0]])


def test_a_temperature_above_one_means_over_confident():
    for temperature, sign in [(2.0, 1), (0.5, -1)]:
        model = TemperatureModel(0.3, 5, temperature=temperature)
        _, y_prob = model.sample(500, rng=0)
        top = y_prob.argmax(axis=1)[:, None]
        truth = np.take_along_axis(model.calibration_function(y_prob), top, axis=1)
        assert (sign * (y_prob.max(axis=1) - truth[:, 0]) >= 0).all()


def test_distortions_have_closed_forms():
    p = np.array([[0.6, 0.1, 0.3]])
    np.testing.assert_allclose(Swap(0, 1, 0.4)(p), [[0.4, 0.3, 0.3]], rtol=1e-14)
    np.testing.assert_allclose(Swap(2, 0, 1.0)(p), [[0.3, 0.1, 0.6]], rtol=1e-14)
    shifted = LogitShift([0.0, math.log(2), math.log(3)])(p)
    np.testing.assert_allclose(shifted, [[0.6 / 1.7, 0.2 / 1.7, 0.9 / 1.7]], rtol=1e-14)
    # sin(2π·¼) = 1: q = ¼ + ½·¼·¾
    q = Oscillation(0.5)(np.array([[0.75, 0.25], [0.5, 0.5], [1.0, 0.0]]))
    np.testing.assert_allclose(q[:, 1], [0.25 + 0.5 * 0.1875, 0.5, 0.0], rtol=1e-14, atol=1e-15)


def test_swapping_rounds_to_no_negative_probability():
    p = np.random.default_rng(0).dirichlet([0.05] * 3, 2000)
    for probability in (0.1, 1 / 3, 1.0):
        assert (Swap(0, 1, probability)(p) >= 0).all()


# values and messages


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_are_values(model):
    assert pickle.loads(pickle.dumps(model)) == model
    assert hash(model) == hash(pickle.loads(pickle.dumps(model)))


def test_arrays_are_copied():
    alpha, beta = np.array([1.0, 2.0]), np.array([0.5, 0.5])
    model = DirichletModel(alpha, pi=1.0, beta=beta)
    alpha[0] = beta[0] = 100.0
    assert model == DirichletModel([1.0, 2.0], pi=1.0, beta=[0.5, 0.5])
    assert model.n_classes == 2


@pytest.mark.parametrize("name", models.__all__)
def test_public_names_are_documented_with_an_example(name):
    if name != "GenerativeModel":  # abstract: its methods carry the examples
        assert ">>> from calibrant.models import" in inspect.getdoc(getattr(models, name))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: M1(alpha=0.0), "`alpha` must be a positive finite number"),
        (lambda: DirichletModel([1.0, -1.0]), "`alpha` must be a positive finite number"),
        (lambda: DirichletModel([[1.0, 1.0]]), "`alpha` must be a positive finite number"),
        (lambda: M1(alpha=math.nan), "`alpha` must be a positive finite number"),
        (lambda: DirichletModel(0.1), "`n_classes` is needed"),
        (lambda: DirichletModel([1, 1], 3), "`n_classes` must be the length of `alpha`, 2; got 3"),
        (lambda: M1(1), "`n_classes` must be at least 2; got 1"),
        (lambda: DirichletModel([1.0]), "`n_classes` must be at least 2; got 1"),
        (lambda: DirichletModel(1, 3, pi=1.5), r"`pi` must be in \[0, 1\]; got 1.5"),
        (lambda: DirichletModel(1, 3, beta="last"), "`beta` must be 'uniform', 'first' or"),
        (lambda: DirichletModel(1, 3, beta=[0.5, 0.5]), "`beta` must be 3 non-negative numbers"),
        (lambda: DirichletModel(1, 2, beta=[0.5, 0.6]), "sum to 1"),
        (lambda: DirichletModel(1, 2, beta=[1.5, -0.5]), "non-negative"),
        (lambda: TemperatureModel(1, 2, temperature=0), "`temperature` must be positive"),
        (lambda: temperature_scale([[0.5, 0.5]], math.inf), "`temperature` must be positive"),
        (lambda: temperature_scale([0.5, 0.5], 1), "`y_prob` must be non-negative rows"),
        (lambda: temperature_scale([[0.0, 0.0]], 1), "positive entry"),
        (lambda: temperature_scale([[-1.0, 2.0]], 1), "not logits"),
        (
            lambda: M1(3).calibration_function([0.2, 0.3, 0.5]),
            r"\(n_samples, 3\); got \(3,\)",
        ),
        (lambda: M1().sample(-1), "`n_samples` must not be negative; got -1"),
        (lambda: M1().sample(1, rng="x"), "`rng` must be"),
        (lambda: Swap(1, 1, 0.5), "two different classes"),
        (lambda: Swap(-1, 1, 0.5), "counted from 0"),
        (lambda: Swap(0, 1, 2), r"`probability` must be in \[0, 1\]"),
        (lambda: Distorted(1, 2, truth=Swap(0, 2, 0.5)).sample(1), "needs more classes; got 2"),
        (lambda: LogitShift([0, math.inf]), "`shift` must be one finite number per class"),
        (lambda: Distorted(1, 2, truth=LogitShift([1.0])).sample(1), "needs 1 classes; got 2"),
        (lambda: Oscillation(2), r"`amplitude` must be in \[-1, 1\]"),
        (lambda: Oscillation(1, math.inf), "`frequency` must be finite"),
        (lambda: Distorted(1, 3, truth=Oscillation(1)).sample(1), "needs 2 classes; got 3"),
        (lambda: Distorted(1, 3, truth=lambda p: 2 * p).sample(1), "`truth` must map predictions"),
        (lambda: Distorted(1, 3, truth=lambda p: p[:1]).sample(2), "`truth` must map"),
    ],
)
def test_wrong_parameters_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
