import numpy as np
import pytest

from calibrant import Predictions
from calibrant.demo import load_digits_predictions
from calibrant.errors import DataError
from calibrant.models import TemperatureModel
from calibrant.recalibration import Identity, Temperature, VectorScaling, assign_folds, cross_fit


def sample(n=300, m=3, weighted=False):
    y, p = TemperatureModel(0.5, m, temperature=1.7).sample(n, rng=m)
    w = np.random.default_rng(0).random(n) if weighted else None
    return Predictions(y, p, sample_weight=w)


@pytest.mark.parametrize("chosen", [Identity(), Temperature(), VectorScaling(), VectorScaling(0.0)])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_row_is_predicted_by_a_plain_fit_to_the_other_folds(chosen, weighted):
    predictions = sample(weighted=weighted)
    folds = assign_folds(predictions.n_samples, 5, seed=3)
    repaired = cross_fit(chosen, predictions, n_folds=5, seed=3)
    for k in range(5):
        rest = predictions.take(folds != k)
        fitted = chosen.fit(rest.y_prob, rest.y_true, rest.sample_weight)
        expected = fitted.predict_proba(predictions.y_prob[folds == k])
        np.testing.assert_allclose(repaired[folds == k], expected, rtol=1e-8)


@pytest.mark.parametrize("others", [1.0, 0.0])
@pytest.mark.parametrize("chosen", [Temperature(), VectorScaling()])
def test_one_row_with_nearly_all_the_weight_stays_out_of_the_fit_without_it(chosen, others):
    y, p = TemperatureModel(0.5, 3, temperature=1.7).sample(60, rng=3)
    predictions = Predictions(y, p, sample_weight=np.r_[1e15, np.full(59, others)])
    folds = np.arange(60) % 5
    repaired = cross_fit(chosen, predictions, folds=folds)
    rest = predictions.take(folds != 0)
    expected = predictions.y_prob[folds == 0]  # without rows to learn from nothing changes
    if others:
        expected = chosen.fit(rest.y_prob, rest.y_true).predict_proba(expected)
    np.testing.assert_allclose(repaired[folds == 0], expected, rtol=1e-8)


def test_objects_in_the_style_of_scikit_learn_take_part_and_stay_unchanged():
    class Shrink:
        def fit(self, P, y, sample_weight=None):
            self.base = np.bincount(y, sample_weight, minlength=P.shape[1]) / len(y)
            return self

        def predict_proba(self, P):
            return 0.5 * P + 0.5 * self.base

    predictions, shrink = sample(), Shrink()
    folds = np.arange(300) % 3
    repaired = cross_fit(shrink, predictions, folds=folds)
    base = np.bincount(predictions.y_true[folds != 0], minlength=3) / 200
    np.testing.assert_allclose(repaired[folds == 0], (predictions.y_prob[folds == 0] + base) / 2)
    assert not hasattr(shrink, "base")


def test_published_gains_of_the_demo():
    folds = np.random.default_rng(0).integers(0, 10, 797)
    gains = {
        "neural_network": 0.0565,
        "neural_network_scaled": 0.0022,
        "random_forest": 0.2983,
        "logistic_regression": 0.0001,
    }
    models = load_digits_predictions()
    for name, gain in gains.items():
        before = models[name]
        after = cross_fit(Temperature(), before, folds=folds)
        rows = np.arange(797)
        old = np.maximum(before.y_prob[rows, before.y_true], 1e-12)
        assert np.mean(np.log(after[rows, before.y_true] / old)) == pytest.approx(gain, abs=1e-4)


@pytest.mark.parametrize(
    "folds", [[0] * 300, [1] * 300, [-1, 0] * 150, [0, 2] * 150, [0.5] * 300, [0, 1]]
)
def test_unusable_folds_are_refused(folds):
    with pytest.raises(DataError, match="`folds` must be"):
        cross_fit(Temperature(), sample(), folds=folds)


def test_what_is_not_a_map_is_refused():
    with pytest.raises(TypeError, match="int has no fit"):
        cross_fit(3, sample())


def test_maps_that_answer_nonsense_are_refused():
    class Half(Identity):
        pass

    class Cut:
        def fit(self, P, y):
            return self

        def predict_proba(self, P):
            return P[:, 0]

    assert cross_fit(Half(), sample()).shape == (300, 3)
    with pytest.raises(DataError, match=r"`predict_proba` of Cut must return finite numbers"):
        cross_fit(Cut(), sample())
