import inspect
import pickle
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest

from calibrant._execution import Parallel, in_slices
from calibrant._predictions import Predictions
from calibrant.binning import Binning, MedianVariance, Quantile, Uniform
from calibrant.estimators import ECE, KCE, MCE, MMCE, SKCE, UCME, Estimator
from calibrant.kernels import Gaussian

ESTIMATORS = [ECE(), ECE(MedianVariance(5, 3), "euclidean", 2), MCE(Quantile(4)), MCE()]


@dataclass(frozen=True)
class MeanBrier(Estimator):
    """The smallest estimator: all but `estimate` is inherited."""

    def estimate(self, predictions, parallel=None):
        return float((predictions.residuals**2).sum(axis=1).mean())


def sample(n=12, m=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_repr_and_pickle_rebuild_the_estimator(estimator):
    names = {c.__name__: c for c in (ECE, MCE, Uniform, Quantile, MedianVariance)}
    assert eval(repr(estimator), names) == estimator
    assert pickle.loads(pickle.dumps(estimator)) == estimator
    assert hash(pickle.loads(pickle.dumps(estimator))) == hash(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_estimators_are_frozen(estimator):
    with pytest.raises(FrozenInstanceError):
        estimator.binning = Uniform(3)


def test_classes_keep_their_names():
    assert ECE.__name__ == "ECE"
    assert ECE().__name__ == repr(ECE())


def test_predictions_stand_for_the_two_arrays():
    y, P = sample()
    assert ECE()(Predictions(y, P)) == ECE()(y, P)
    assert type(ECE()(y, P)) is float


def test_call_forwards_classes_and_weights():
    y, P = sample()
    names, w = np.array(["a", "b", "c"]), np.arange(1.0, 13.0)
    named = ECE()(names[y], P, classes=["a", "b", "c"], sample_weight=w)
    assert named == ECE()(y, P, sample_weight=w)
    assert named != ECE()(y, P)
    assert ECE()(names[y % 2], P[:, 0], pos_label="b") == ECE()(y % 2, P[:, 0])
    assert ECE()(y, 2 * P, normalize=True) == pytest.approx(ECE()(y, P), rel=1e-12)


def test_scikit_learn_scorer():
    metrics = pytest.importorskip("sklearn.metrics")
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import cross_val_score

    scorer = metrics.make_scorer(ECE(), response_method="predict_proba", greater_is_better=False)
    assert "ECE(binning=Uniform(n=10)" in repr(scorer)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    for y in (X[:, 0] > 0, np.digitize(X[:, 0], [-0.5, 0.5])):
        model = LogisticRegression().fit(X, y)
        value = ECE()(y, model.predict_proba(X))
        assert scorer(model, X, y) == pytest.approx(-value, rel=1e-12)
        w = rng.random(60)
        weighted = ECE()(y, model.predict_proba(X), sample_weight=w)
        assert scorer(model, X, y, sample_weight=w) == pytest.approx(-weighted, rel=1e-12)
        scores = cross_val_score(DummyClassifier(strategy="prior"), X, y, scoring=scorer, cv=2)
        assert np.all(scores <= 0)
        assert np.all(np.isfinite(scores))


def test_default_many_and_over_labels_loop():
    data = [sample(seed=s) for s in range(3)]
    y, P = np.stack([y for y, _ in data]), np.stack([p for _, p in data])
    np.testing.assert_array_equal(MeanBrier().many(y, P), [MeanBrier()(*d) for d in data])
    over = MeanBrier().over_labels(Predictions(y[0], P[0]), y.astype(np.uint8))
    np.testing.assert_array_equal(over, [MeanBrier()(row, P[0]) for row in y])


@pytest.mark.parametrize("estimator", [MeanBrier(), ECE()], ids=repr)
def test_many_says_what_is_wrong(estimator):
    y, P = sample()
    y, P = y[None], P[None]
    with pytest.raises(ValueError, match=r"`y_prob` must have shape \(n_datasets.*got \(12, 3\)"):
        estimator.many(y, P[0])
    with pytest.raises(ValueError, match=r"`y_true` must have the shape \(1, 12\).*got \(1, 11\)"):
        estimator.many(y[:, 1:], P)
    with pytest.raises(ValueError, match=r"`y_true` must be class indices in \[0, 3\); got.* to 3"):
        estimator.many(np.full_like(y, 3), P)
    with pytest.raises(ValueError, match=r"`y_true` must be integer class indices.*float64"):
        estimator.many(y + 0.5, P)
    with pytest.raises(ValueError, match=r"`y_prob` must be probabilities.*softmax"):
        estimator.many(y, P - 0.5)
    with pytest.raises(ValueError, match=r"`y_prob` must be probabilities.*nan"):
        estimator.many(y, P * np.nan)
    with pytest.raises(ValueError, match="`y_prob` must have samples and classes"):
        estimator.many(y[:, :0], P[:, :0])


@pytest.mark.parametrize("estimator", [MeanBrier(), ECE()], ids=repr)
def test_over_labels_says_what_is_wrong(estimator):
    y, P = sample()
    predictions = Predictions(y, P)
    with pytest.raises(ValueError, match=r"`labels` must have shape \(n_label_sets, 12\).*\(12,\)"):
        estimator.over_labels(predictions, y)
    with pytest.raises(ValueError, match=r"`labels` must be class indices in \[0, 3\).*-1"):
        estimator.over_labels(predictions, y[None] - 1 - y.min())
    with pytest.raises(ValueError, match="`labels` must be integer class indices"):
        estimator.over_labels(predictions, y[None] * 1.0)


@pytest.mark.parametrize(
    "estimator", [ECE(), MCE(), SKCE(), KCE(), MMCE(), UCME(Gaussian(), [([0.5, 0.5], 0)])], ids=str
)
def test_a_wrong_number_of_threads_is_refused_however_small_the_data(estimator):
    for n_jobs in (0, -2, 1.5, True, "2"):
        with pytest.raises(ValueError, match="`n_jobs` must be a positive integer, or None"):
            estimator([0, 1], [0.5, 0.5], n_jobs=n_jobs)


@pytest.mark.parametrize("size", [0, 1, 5])
def test_slices_cover_everything_once_in_order(size):
    everything = np.arange(size, dtype=float)
    for n_jobs in (1, 2, 3, 9):
        joined = in_slices(lambda part: everything[part], size, Parallel(n_jobs))
        np.testing.assert_array_equal(joined, everything)


def test_public_classes_are_abstract():
    assert inspect.isabstract(Estimator)
    assert inspect.isabstract(Binning)
