import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests import oracles
from tests.binning.each_core import each_core

from calibrant import Parallel, _native
from calibrant._predictions import Predictions
from calibrant.binning import Binning, MedianVariance, Quantile, Uniform
from calibrant.estimators import ECE

CIFAR = Path(__file__).parents[3] / "shared" / "paper" / "cifar10"
FORMS = [("tv", 1), ("tv", 2), ("cityblock", 1), ("cityblock", 2), ("euclidean", 1)]
FORMS += [("euclidean", 2), ("sqeuclidean", 1)]


def sample(seed, n, m, alpha=0.5):
    rng = np.random.default_rng(seed)
    return rng.integers(m, size=n), rng.dirichlet(np.full(m, alpha), n)


@each_core
@pytest.mark.parametrize("network", ["densenet121", "googlenet", "resnet18", "vgg16_bn"])
def test_published_errors_of_the_networks(core, network):
    # CalibrationPaper, commit a164e8b: ECE of CIFAR-10 networks, uniform and median-variance bins.
    if not CIFAR.is_dir():
        pytest.skip(f"the published predictions are not at {CIFAR}")
    y_true = np.loadtxt(CIFAR / "labels.csv.gz", dtype=np.int64) - 1
    y_prob = np.loadtxt(CIFAR / f"{network}.csv.gz", delimiter=",")
    with (CIFAR / "published_errors.csv").open() as file:
        published = next(row for row in csv.DictReader(file) if row["model"] == network)
    with _native.using(core):
        uniform = ECE(Uniform(10))(y_true, y_prob)
        dynamic = ECE(MedianVariance(min_size=100))(y_true, y_prob)
    assert uniform == pytest.approx(float(published["ECE_uniform"]), rel=1e-12)
    assert dynamic == pytest.approx(float(published["ECE_dynamic"]), rel=1e-12)


@each_core
def test_torchmetrics_binary_calibration_error(core):
    # torchmetrics, BinaryCalibrationError(n_bins=2), norms l1 and l2.
    y, p = [0, 0, 1, 1, 1], [0.25, 0.25, 0.55, 0.75, 0.75]
    with _native.using(core):
        assert ECE(Uniform(2))(y, p) == pytest.approx(0.29, abs=1e-14)
        assert ECE(Uniform(2), norm=2)(y, p) == pytest.approx(0.2918, abs=5e-5)


@each_core
def test_torchmetrics_multiclass_calibration_error_is_the_top_label_form(core):
    # torchmetrics, MulticlassCalibrationError(num_classes=3, n_bins=3), norms l1 and l2.
    P = [[0.25, 0.20, 0.55], [0.55, 0.05, 0.40], [0.10, 0.30, 0.60], [0.90, 0.05, 0.05]]
    top = Predictions([0, 1, 2, 0], P).top_label()
    with _native.using(core):
        assert ECE(Uniform(3))(top) == pytest.approx(0.2, abs=1e-14)
        assert ECE(Uniform(3), norm=2)(top) == pytest.approx(0.2082, abs=5e-5)


@each_core
def test_verified_calibration_top_label_and_marginal_errors(core):
    # verified_calibration, tests of its L1 top-label and marginal errors (distinct values as
    # bins; here ten cells separate the same values).
    P = np.array([[0.6, 0.3, 0.1]] * 6 + [[0.1, 0.8, 0.1]] * 4 + [[0.1, 0, 0.9]] * 4)
    y = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    predictions = Predictions(y, P)
    with _native.using(core):
        top = ECE(Uniform(10))(predictions.top_label())
        marginal = np.mean([ECE(Uniform(10))(predictions.one_vs_rest(c)) for c in range(3)])
    assert top == pytest.approx(6 / 14 * (5 / 6 - 0.6) + 4 / 14 * 0.05 + 4 / 14 * 0.1, rel=1e-13)
    assert marginal == pytest.approx(
        4 / 42 * 0.1
        + 6 / 42 * (5 / 6 - 0.6)
        + 8 / 42 * 0.1
        + 4 / 42 * 0.05
        + 6 / 42 * (0.3 - 1 / 6),
        rel=1e-13,
    )


@each_core
def test_the_last_bin_holds_certainty(core):
    with _native.using(core):
        assert ECE(Uniform(10))([1, 0], [0.95, 1.0]) == pytest.approx(0.475, rel=1e-14)


@each_core
@pytest.mark.parametrize(("distance", "norm"), FORMS)
@pytest.mark.parametrize("binning", [Uniform(3), MedianVariance(4)], ids=str)
@pytest.mark.parametrize("weighted", [False, True])
def test_value_is_that_of_the_definition(core, distance, norm, binning, weighted):
    y, P = sample(7, 50, 3)
    w = np.random.default_rng(1).random(50) if weighted else None
    with _native.using(core):
        value = ECE(binning, distance, norm)(y, P, sample_weight=w)
        bins = oracles.as_sets(binning.assign(P))
    weights = np.ones(50) if w is None else w
    assert value == pytest.approx(oracles.ece(P, y, weights, bins, distance, norm), rel=1e-12)


@each_core
@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    n=st.integers(1, 40),
    m=st.integers(2, 5),
    alpha=st.sampled_from([0.05, 0.5, 5.0]),
    binning=st.sampled_from([Uniform(1), Uniform(4), MedianVariance(1), MedianVariance(5)]),
)
def test_total_variation_error_is_in_the_unit_interval(core, seed, n, m, alpha, binning):
    y, P = sample(seed, n, m, alpha)
    with _native.using(core):
        value = ECE(binning)(y, P)
        assert 0 <= value <= 1 + 1e-14
        assert ECE(binning, "cityblock")(y, P) == pytest.approx(2 * value, rel=1e-13)


@each_core
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**20), m=st.integers(3, 5))
def test_order_of_samples_and_classes_and_unit_weights_change_nothing(core, seed, m):
    y, P = sample(seed, 40, m)
    rng = np.random.default_rng(seed)
    rows, classes = rng.permutation(40), rng.permutation(m)
    new_code = np.argsort(classes)
    with _native.using(core):
        value = ECE(Uniform(4))(y, P)
        assert ECE(Uniform(4))(new_code[y], P[:, classes]) == pytest.approx(value, rel=1e-12)
        for binning in (Uniform(4), MedianVariance(4)):
            value = ECE(binning)(y, P)
            assert ECE(binning)(y[rows], P[rows]) == pytest.approx(value, rel=1e-12)
            assert ECE(binning)(y, P, sample_weight=np.ones(40)) == pytest.approx(value, rel=1e-14)
            assert ECE(binning)(y, P, sample_weight=np.full(40, 3.0)) == pytest.approx(
                value, rel=1e-13
            )


@each_core
@pytest.mark.parametrize("binning", [Uniform(4), MedianVariance(4), Quantile(4)], ids=str)
def test_one_column_is_its_two_column_form(core, binning):
    rng = np.random.default_rng(0)
    p, y = rng.random(50), rng.integers(2, size=50)
    with _native.using(core):
        assert ECE(binning)(y, p) == ECE(binning)(y, np.column_stack([1 - p, p]))


@each_core
def test_rows_without_weight_count_for_nothing(core):
    y, P = sample(0, 30, 3)
    w = np.r_[np.ones(20), np.zeros(10)]
    with _native.using(core):
        weighted = ECE(Uniform(3))(y, P, sample_weight=w)
        assert weighted == pytest.approx(ECE(Uniform(3))(y[:20], P[:20]), rel=1e-13)
        labels = np.stack([y, y])
        over = ECE(Uniform(3)).over_labels(Predictions(y, P, sample_weight=w), labels)
        alone = Predictions([1, 0], [0.75, 0.125], sample_weight=[0.5, 0.0])
        assert ECE()(alone) == ECE().over_labels(alone, [[1, 1]]).item() == 0.25
    np.testing.assert_allclose(over, weighted, rtol=1e-13)


@dataclass(frozen=True)
class Halves(Binning):
    """A binning of a third party, which knows nothing of batches."""

    def assign(self, y_prob):
        return np.unique(y_prob[:, 0] > 0.5, return_inverse=True)[1]


@each_core
@pytest.mark.parametrize(("distance", "norm"), FORMS)
@pytest.mark.parametrize("binning", [Uniform(3), MedianVariance(4), Halves()], ids=repr)
def test_many_data_sets_give_their_own_errors(core, distance, norm, binning):
    data = [sample(seed, 30, 4) for seed in range(7)]
    y, P = np.stack([y for y, _ in data]), np.stack([p for _, p in data])
    ece = ECE(binning, distance, norm)
    with _native.using(core):
        single = [ece(a, b) for a, b in data]
        two, one = ece.many(y, P, Parallel(n_jobs=2)), ece.many(y, P, Parallel(n_jobs=1))
    np.testing.assert_allclose(two, single, rtol=1e-13)
    np.testing.assert_array_equal(two, one)


@each_core
def test_no_data_sets_give_no_errors(core):
    with _native.using(core):
        assert ECE().many(np.empty((0, 5), dtype=int), np.empty((0, 5, 3))).shape == (0,)


@each_core
def test_quantile_bins_of_many_data_sets(core):
    data = [sample(seed, 30, 2) for seed in range(4)]
    with _native.using(core):
        errors = ECE(Quantile(4)).many([y for y, _ in data], [p for _, p in data])
        np.testing.assert_allclose(errors, [ECE(Quantile(4))(*d) for d in data], rtol=1e-13)


@each_core
@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i4", "i8"])
@pytest.mark.parametrize("weighted", [False, True])
def test_label_sets_give_their_own_errors(core, dtype, weighted):
    y, P = sample(3, 40, 4)
    w = np.random.default_rng(1).random(40) if weighted else None
    predictions = Predictions(y, P, sample_weight=w)
    labels = np.random.default_rng(2).integers(4, size=(5, 40)).astype(dtype)
    for ece in (ECE(Uniform(3)), ECE(MedianVariance(4), "euclidean", 2)):
        with _native.using(core):
            single = [ece(row.astype(int), P, sample_weight=w) for row in labels]
            errors = ece.over_labels(predictions, labels, Parallel(n_jobs=2))
        np.testing.assert_allclose(errors, single, rtol=1e-13)


@dataclass(frozen=True)
class Wrong(Binning):
    ids: tuple[float, ...]

    def assign(self, y_prob):
        return np.array(self.ids)


@each_core
@pytest.mark.parametrize("ids", [(0, -1), (0,), (0, 1, 2), (0.0, 1.0)])
def test_bin_numbers_of_a_third_party_are_checked(core, ids):
    y, P = sample(0, 2, 3)
    with _native.using(core):
        with pytest.raises(ValueError, match=r"`assign` of Wrong\(.*one integer from 0"):
            ECE(Wrong(ids))(y, P)
        with pytest.raises(ValueError, match=r"`assign` of Wrong\(.*one integer from 0"):
            ECE(Wrong(ids)).many(y[None], P[None])


@each_core
def test_bins_without_rows_count_for_nothing(core):
    y, P = sample(0, 2, 3)
    expected = ECE(Wrong((0, 1)))(y, P)
    with _native.using(core):
        assert ECE(Wrong((1, 3)))(y, P) == pytest.approx(expected, rel=1e-14)
        assert ECE(Wrong((1, 3))).many(y[None], P[None]) == pytest.approx(expected, rel=1e-14)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match=r"`distance` must be one of 'tv', .*got 'l1'"):
        ECE(distance="l1")
    with pytest.raises(ValueError, match="`norm` must be 1 or 2; got 3"):
        ECE(norm=3)
    with pytest.raises(ValueError, match='use distance="euclidean"'):
        ECE(distance="sqeuclidean", norm=2)
    with pytest.raises(ValueError, match=r"`binning` must be a binning.*got 10"):
        ECE(10)
