import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.recalibration.literal_maps import diagonal, mean_log_loss

from calibrant.models import TemperatureModel
from calibrant.recalibration import Temperature


def literal(P, y, weights=None):
    m = len(P[0])

    def loss(beta):
        return mean_log_loss(P, y, diagonal([beta] * m), [0.0] * m, weights)

    return 1.0 / minimize_scalar(loss, bounds=(0.05, 20.0), options={"xatol": 1e-10}).x


@pytest.mark.parametrize("m", [2, 3, 10])
@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_minimum_of_the_literal_objective(m, weighted):
    y, p = TemperatureModel(0.5, m, temperature=1.7).sample(120, rng=m)
    w = np.random.default_rng(0).integers(0, 4, 120).astype(float) if weighted else None
    fitted = Temperature().fit(p, y, w)
    np.testing.assert_allclose(fitted.temperature, literal(p, y, w), rtol=1e-6)


def test_two_to_one_in_closed_form():
    # odds 4:1 for a class that occurs twice in three: β log 4 = log 2
    fitted = Temperature().fit([[0.8, 0.2]] * 3, [0, 0, 1])
    assert fitted.temperature == pytest.approx(2.0, abs=1e-8)


def test_a_weight_is_a_repetition():
    y, p = TemperatureModel(0.5, 3, temperature=0.6).sample(80, rng=1)
    w = np.arange(80) % 3
    weighted = Temperature().fit(p, y, w).temperature
    repeated = Temperature().fit(np.repeat(p, w, axis=0), np.repeat(y, w)).temperature
    assert weighted == pytest.approx(repeated, rel=1e-9)


def test_labels_that_are_always_right_or_wrong_end_at_the_bounds():
    p = np.array([[0.6, 0.4], [0.3, 0.7]])
    assert Temperature().fit(p, [0, 1]).temperature == pytest.approx(0.05)
    assert Temperature().fit(p, [1, 0]).temperature == pytest.approx(20.0)


def test_uniform_predictions_stay():
    fitted = Temperature().fit(np.full((5, 2), 0.5), [0, 1, 0, 1, 1])
    np.testing.assert_array_equal(fitted.predict_proba([[0.5, 0.5]]), [[0.5, 0.5]])


def test_start_on_some_rows_changes_nothing():
    y, p = TemperatureModel(0.5, 3, temperature=1.4).sample(50_000, rng=2)
    y2, p2 = np.tile(y, 2), np.tile(p, (2, 1))
    once, twice = Temperature().fit(p, y), Temperature().fit(p2, y2)
    assert once.temperature == pytest.approx(twice.temperature, rel=1e-9)


class Logits:
    """A fitted classifier whose decision function is its input."""

    _estimator_type = "classifier"

    def __init__(self, m):
        self.classes_ = np.arange(m)
        self.n_features_in_ = m

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X

    def predict(self, X):
        return self.classes_[X.argmax(axis=1)]

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

        return Tags(
            estimator_type="classifier",
            target_tags=TargetTags(required=True),
            classifier_tags=ClassifierTags(),
            input_tags=InputTags(),
        )


@pytest.mark.parametrize("m", [3, 4, 10])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore:Since FrozenEstimator does not appear to accept sample_weight")
def test_equals_scikit_learn(m, weighted):
    calibration = pytest.importorskip("sklearn.calibration")
    if not hasattr(calibration, "_TemperatureScaling"):
        pytest.skip("scikit-learn has temperature scaling from 1.8 on")
    from sklearn.frozen import FrozenEstimator

    y, p = TemperatureModel(0.5, m, temperature=1.7).sample(500, rng=m)
    w = np.random.default_rng(0).integers(1, 4, 500).astype(float) if weighted else None
    logits = np.log(p) + 1.5  # up to a constant of each row
    theirs = calibration.CalibratedClassifierCV(FrozenEstimator(Logits(m)), method="temperature")
    theirs.fit(logits, y, sample_weight=w)
    fitted = Temperature().fit(p, y, w)
    np.testing.assert_allclose(fitted.predict_proba(p), theirs.predict_proba(logits), atol=1e-6)
