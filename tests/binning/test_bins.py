import json

import numpy as np
import pytest
from tests.binning.each_core import each_core
from tests.oracles import bin_table

from calibrant import _native
from calibrant._predictions import Predictions
from calibrant.binning import Binning, Bins, MedianVariance, Quantile, Uniform

BINNINGS = [Uniform(3), MedianVariance(4)]


def data(m=3, n=40, weighted=False):
    rng = np.random.default_rng(5)
    P = rng.dirichlet(np.full(m, 0.5), n)
    w = rng.random(n) if weighted else None
    return Predictions(rng.integers(m, size=n), P, sample_weight=w)


@each_core
def test_scikit_learn_calibration_curve(core):
    # scikit-learn's test of calibration_curve(y, p, n_bins=3).
    y = [0, 0, 0, 0, 1, 1, 1, 1, 1]
    p = [0.1, 0.2, 0.3, 0.4, 0.65, 0.7, 0.8, 0.9, 1.0]
    with _native.using(core):
        bins = Uniform(3).bins(Predictions(y, p))
    np.testing.assert_allclose(bins.label_frequency[:, 1], [0, 0.5, 1], rtol=1e-14)
    np.testing.assert_allclose(bins.mean_prediction[:, 1], [0.2, 0.525, 0.85], rtol=1e-14)


def test_scikit_learn_agrees_on_random_data():
    calibration = pytest.importorskip("sklearn.calibration")
    rng = np.random.default_rng(0)
    p, y = rng.random(300), rng.integers(2, size=300)
    for binning, strategy in [(Uniform(7), "uniform"), (Quantile(5), "quantile")]:
        frequency, mean = calibration.calibration_curve(y, p, n_bins=binning.n, strategy=strategy)
        bins = binning.bins(Predictions(y, p))
        np.testing.assert_allclose(bins.label_frequency[:, 1], frequency, rtol=1e-12)
        np.testing.assert_allclose(bins.mean_prediction[:, 1], mean, rtol=1e-12)


@each_core
@pytest.mark.parametrize("binning", BINNINGS, ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_table_is_that_of_the_definition(core, binning, weighted):
    predictions = data(weighted=weighted)
    with _native.using(core):
        bins = binning.bins(predictions)
    sets = [np.flatnonzero(bins.ids == b) for b in range(len(bins))]
    P, y, w = predictions.y_prob, predictions.y_true, predictions.weights
    for b, (weight, mean, frequency) in enumerate(bin_table(P, y, w, sets)):
        assert bins.count[b] == len(sets[b])
        np.testing.assert_allclose(bins.weight[b], weight, rtol=1e-13)
        np.testing.assert_allclose(bins.mean_prediction[b], mean, rtol=1e-13)
        np.testing.assert_allclose(bins.label_frequency[b], frequency, rtol=1e-13)
        np.testing.assert_allclose(bins.gap[b], np.subtract(mean, frequency), atol=1e-14)


@each_core
def test_every_row_is_in_exactly_one_bin(core):
    with _native.using(core):
        bins = Uniform(3).bins(data())
    assert bins.count.sum() == 40
    np.testing.assert_array_equal(np.bincount(bins.ids), bins.count)
    assert bins.count.min() >= 1
    np.testing.assert_array_equal(bins.weight, bins.count)


@each_core
def test_bins_ignore_weights_and_weightless_bins_have_no_mean(core):
    with _native.using(core):
        bins = Uniform(2).bins(Predictions([0, 1], [0.2, 0.9], sample_weight=[1.0, 0.0]))
    assert bins.count.tolist() == [1, 1]
    assert bins.weight.tolist() == [1.0, 0.0]
    np.testing.assert_allclose(bins.mean_prediction, [[0.8, 0.2], [np.nan, np.nan]])


def test_arrays_are_read_only():
    bins = Uniform(2).bins(data(m=2))
    for name in ("ids", "count", "weight", "mean_prediction", "label_frequency", "lower", "upper"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(bins, name)[0] = 1


def test_to_dict_is_json_and_leaves_the_rows_out():
    bins = Uniform(2).bins(Predictions([0, 1], [0.25, 1.0]))
    table = bins.to_dict()
    assert json.loads(json.dumps(table)) == {
        "count": [1, 1],
        "weight": [1.0, 1.0],
        "mean_prediction": [[0.75, 0.25], [0.0, 1.0]],
        "label_frequency": [[1.0, 0.0], [0.0, 1.0]],
        "classes": [0, 1],
        "lower": [0.0, 0.5],
        "upper": [0.5, 1.0],
    }


class Together(Binning):
    def assign(self, y_prob):
        return np.zeros(len(y_prob), dtype=np.int64)


@each_core
def test_a_binning_needs_no_more_than_assign(core):
    with _native.using(core):
        bins = Together().bins(data())
    assert isinstance(bins, Bins)
    assert len(bins) == 1
    assert bins.lower is None
    assert Together().assign_many(np.zeros((2, 3, 4))).shape == (2, 3)
