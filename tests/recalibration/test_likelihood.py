"""Gradients and Hessians are the differences of the literal loss."""

import numpy as np
import pytest
from tests.recalibration.literal_maps import mean_log_loss

from calibrant import Predictions
from calibrant.models import TemperatureModel
from calibrant.recalibration._likelihood import Affine
from calibrant.recalibration._log_blocks import log_blocks


def families(m):
    each = np.arange(m)
    rng = np.random.default_rng(0)
    diagonal = Affine(m, np.tile(each, 2), np.concatenate([each, np.full(m, m)]))
    yield diagonal, rng.normal(0.8, 0.3, 2 * m)
    full = Affine(m, np.repeat(each, m + 1), np.tile(np.arange(m + 1), m))
    yield full, rng.normal(0.2, 0.3, m * (m + 1))


def entries(family, theta, m):
    table = family.entries(theta)
    return table[:, :m], table[:, m]


@pytest.mark.parametrize("which", range(2))
@pytest.mark.parametrize("m", [2, 3])
def test_sums_are_the_literal_loss_and_its_derivatives(which, m):
    family, theta = list(families(m))[which]
    y, p = TemperatureModel(0.5, m, temperature=1.5).sample(40, rng=1)
    w = np.random.default_rng(2).random(40)
    blocks = log_blocks(Predictions(y, p, sample_weight=w), 1e-12)
    sums = family.sums(blocks, theta)
    literal = mean_log_loss(p, y, *entries(family, theta, m), w) * w.sum()
    np.testing.assert_allclose(sums.loss, literal, rtol=1e-12)
    step = 1e-5
    for k in range(family.size):
        ahead, behind = theta.copy(), theta.copy()
        ahead[k] += step
        behind[k] -= step
        up, down = (family.sums(blocks, t) for t in (ahead, behind))
        slope, curve = (up.loss - down.loss), (up.gradient - down.gradient)
        np.testing.assert_allclose(sums.gradient[k], slope / (2 * step), rtol=1e-6, atol=1e-7)
        np.testing.assert_allclose(sums.hessian[:, k], curve / (2 * step), rtol=1e-6, atol=1e-7)


def test_folds_add_up():
    y, p = TemperatureModel(0.5, 3, temperature=1.5).sample(100, rng=1)
    folds = np.arange(100) % 4
    family, theta = next(iter(families(3)))
    blocks = log_blocks(Predictions(y, p), 1e-12, folds)
    parts = [family.sums([b for b in blocks if b.fold == k], theta) for k in range(4)]
    whole = family.sums(log_blocks(Predictions(y, p), 1e-12), theta)
    np.testing.assert_allclose(sum(parts, family.zero()).hessian, whole.hessian, rtol=1e-12)
