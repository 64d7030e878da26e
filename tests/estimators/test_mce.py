import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles
from tests.binning.each_core import each_core

from calibrant import Parallel, _native
from calibrant._predictions import Predictions
from calibrant.binning import MedianVariance, Uniform
from calibrant.estimators import ECE, MCE


def sample(seed, n, m):
    rng = np.random.default_rng(seed)
    return rng.integers(m, size=n), rng.dirichlet(np.full(m, 0.5), n)


@each_core
def test_torchmetrics_maximum_calibration_error(core):
    # torchmetrics, norm "max": binary with 2 bins, top label of three classes with 3 bins.
    P = [[0.25, 0.20, 0.55], [0.55, 0.05, 0.40], [0.10, 0.30, 0.60], [0.90, 0.05, 0.05]]
    with _native.using(core):
        binary = MCE(Uniform(2))([0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75])
        top = MCE(Uniform(3))(Predictions([0, 1, 2, 0], P).top_label())
    assert binary == pytest.approx(0.3167, abs=5e-5)
    assert top == pytest.approx(0.2333, abs=5e-5)


@each_core
@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 40),
    m=st.integers(2, 5),
    binning=st.sampled_from([Uniform(1), Uniform(4), MedianVariance(3)]),
)
def test_value_is_that_of_the_definition(core, seed, n, m, binning):
    y, P = sample(seed, n, m)
    w = np.random.default_rng(seed).random(n)
    with _native.using(core):
        value = MCE(binning)(y, P, sample_weight=w)
        bins = oracles.as_sets(binning.assign(P))
        assert MCE(binning)(y, P) >= ECE(binning)(y, P) * 2 / m - 1e-14
    assert value == pytest.approx(oracles.mce(P, y, w, bins), rel=1e-11, abs=1e-14)


@each_core
def test_weightless_bins_do_not_count(core):
    y, p, w = [1, 0, 1], [0.9, 0.2, 0.1], [1.0, 1.0, 0.0]
    with _native.using(core):
        assert MCE(Uniform(10))(y, p, sample_weight=w) == pytest.approx(0.2, rel=1e-14)
        over = MCE(Uniform(10)).over_labels(Predictions(y, p, sample_weight=w), [y])
    np.testing.assert_allclose(over, [0.2], rtol=1e-14)


@each_core
def test_many_data_sets_and_label_sets_give_their_own_errors(core):
    data = [sample(seed, 30, 4) for seed in range(5)]
    y, P = np.stack([y for y, _ in data]), np.stack([p for _, p in data])
    with _native.using(core):
        single = [MCE(Uniform(3))(a, b) for a, b in data]
        np.testing.assert_allclose(
            MCE(Uniform(3)).many(y, P, Parallel(n_jobs=2)), single, rtol=1e-13
        )
        relabeled = [MCE(Uniform(3))(row, P[0]) for row in y]
        over = MCE(Uniform(3)).over_labels(Predictions(y[0], P[0]), y)
    np.testing.assert_allclose(over, relabeled, rtol=1e-13)
