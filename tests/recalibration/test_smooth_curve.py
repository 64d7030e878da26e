"""The smooth curve of a probability, against the plain loop of its formula and at the edges."""

import numpy as np
import pytest
from scipy.optimize import minimize

from calibrant.recalibration._smooth_curve import fit_smooth_curve


def sample(n, rng):
    """Return probabilities with twice the right logit, and events."""
    rng = np.random.default_rng(rng)
    z = rng.normal(1.0, 3.0, n)
    return 1 / (1 + np.exp(-z)), rng.random(n) < 1 / (1 + np.exp(-z / 2))


def literal(p, hit, w):
    """Return the best curve at p: every row by itself, ∫f''² as a sum over the inner knots."""
    z = np.log(p / (1 - p))
    order = np.argsort(z)
    share = np.cumsum(w[order]) / w.sum()
    low, high = z[order][np.searchsorted(share, [0.005, 0.995])]
    knots = np.linspace(low, high, 8)
    d = knots[1] - knots[0]

    def objective(f):
        total = 0.0
        for zi, hi, wi in zip(z, hit, w, strict=True):
            q = 1 / (1 + np.exp(-(zi + np.interp(zi, knots, f))))
            total -= wi * np.log(q if hi else 1 - q)
        for k in range(1, 7):
            total += ((f[k - 1] - 2 * f[k] + f[k + 1]) / d**2) ** 2 * d
        return total + (f @ f) / 8

    f = minimize(objective, np.zeros(8), method="BFGS", options={"gtol": 1e-4}).x
    return 1 / (1 + np.exp(-(z + np.interp(z, knots, f))))


@pytest.mark.slow
def test_it_is_the_maximum_of_its_formula():
    p, hit = sample(300, 0)
    w = np.random.default_rng(1).uniform(0.5, 2.0, 300)
    # rows are counted in cells, and the curve is drawn in lines
    np.testing.assert_allclose(
        np.interp(p, *fit_smooth_curve(p, hit, w)), literal(p, hit, w), atol=4e-3
    )


def test_it_finds_half_the_logit():
    p, hit = sample(200_000, 2)
    z = np.array([-4.0, -1.0, 0.0, 2.0, 6.0])
    found = np.interp(1 / (1 + np.exp(-z)), *fit_smooth_curve(p, hit, np.ones(len(p))))
    np.testing.assert_allclose(np.log(found / (1 - found)), z / 2, atol=0.1)


def test_weights_count_as_repeated_rows():
    p, hit = sample(500, 3)
    times = np.random.default_rng(0).integers(0, 4, 500)
    repeated = fit_smooth_curve(np.repeat(p, times), np.repeat(hit, times), np.ones(times.sum()))
    np.testing.assert_allclose(fit_smooth_curve(p, hit, times.astype(float)), repeated, rtol=1e-6)


def test_the_order_of_rows_does_not_matter():
    p, hit = sample(500, 4)
    order = np.random.default_rng(0).permutation(500)
    found = fit_smooth_curve(p[order], hit[order], np.ones(500))
    np.testing.assert_allclose(found, fit_smooth_curve(p, hit, np.ones(500)), rtol=1e-6)


@pytest.mark.parametrize(
    ("p", "hit"),
    [
        ([1.0], [True]),
        ([1.0] * 50, [False] * 50),
        ([0.5, 1.0] * 50, [True, False] * 50),
        (np.linspace(0.3, 1.0, 200), [True] * 200),
        (np.linspace(0.0, 1.0, 200), [False] * 200),
        (np.linspace(0.3, 0.99, 200), np.arange(200) < 100),
        ([0.7, 0.7 + 1e-9] * 20, [True, False] * 20),
    ],
)
def test_it_increases_and_is_never_0_or_1(p, hit):
    x, y = fit_smooth_curve(np.asarray(p, float), np.asarray(hit), np.ones(len(p)))
    assert (np.diff(x) >= 0).all()
    assert (np.diff(y) >= 0).all()
    assert y[0] > 0.0
    assert y[-1] < 1.0
