"""Scorers: minus the error of a fitted classifier, wherever scikit-learn takes one."""

import copy
import pickle

import numpy as np
import pytest

from calibrant import ECE, KCE, MMCE, SKCE, Predictions
from calibrant.estimators import Scorer

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import make_scorer  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

NAMES = np.array(["owl", "cat", "dog"])  # not in the order of the alphabet
ERRORS = [SKCE(), SKCE(block_size=2), KCE(), MMCE(), ECE()]


def blobs(n=150, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.arange(n) % n_classes
    return rng.normal(size=(n, 2)) + codes[:, None], codes


@pytest.mark.parametrize("error", ERRORS, ids=repr)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_names_of_classes_score_like_their_codes(error, n_classes):
    X, codes = blobs(n_classes=n_classes)
    y = NAMES[codes]
    model = LogisticRegression().fit(X, y)
    order = np.argsort(np.argsort(NAMES[:n_classes]))
    expected = -error(order[codes], model.predict_proba(X))
    assert error.scorer()(model, X, y) == expected
    w = np.random.default_rng(1).random(len(y))
    weighted = -error(order[codes], model.predict_proba(X), sample_weight=w)
    assert error.scorer()(model, X, y, sample_weight=w) == weighted != expected


@pytest.mark.parametrize("error", ERRORS, ids=repr)
def test_the_scorer_of_scikit_learn_agrees_where_labels_are_codes(error):
    X, y = blobs()
    theirs = make_scorer(error, response_method="predict_proba", greater_is_better=False)
    ours = error.scorer()
    a, b = (cross_val_score(GaussianNB(), X, y, scoring=scoring) for scoring in (theirs, ours))
    np.testing.assert_array_equal(a, b)


def test_a_lens_asks_a_smaller_question():
    X, codes = blobs()
    model = GaussianNB().fit(X, NAMES[codes])
    scorer = ECE().scorer(Predictions.top_label)
    predictions = Predictions.from_estimator(model, X, NAMES[codes])
    assert scorer(model, X, NAMES[codes]) == -ECE()(predictions.top_label())


def test_cross_validation_with_many_metrics_and_pipelines():
    X, codes = blobs()
    scoring = {"skce": SKCE().scorer(), "ece": ECE().scorer(), "accuracy": "accuracy"}
    model = make_pipeline(StandardScaler(), LogisticRegression())
    table = cross_validate(model, X, NAMES[codes], scoring=scoring, cv=3, return_train_score=True)
    alone = cross_val_score(model, X, NAMES[codes], scoring=SKCE().scorer(), cv=3)
    np.testing.assert_array_equal(table["test_skce"], alone)
    assert np.all(table["test_ece"] < 0)
    assert np.all(np.isfinite(table["train_skce"]))


def test_grid_search_finds_the_calibrated_model():
    X, codes = blobs(600)
    y = NAMES[codes]
    grid = {"C": [1e-6, 1.0]}  # the first predicts the frequencies of the classes, wrongly so
    shrunk = LogisticRegression(fit_intercept=False)
    scoring = {"skce": SKCE().scorer(), "mmce": MMCE().scorer()}
    search = GridSearchCV(shrunk, grid, scoring=scoring, refit="skce", cv=2)
    search = clone(search).fit(X + np.array([5.0, -3.0]), y)
    assert search.best_params_ == {"C": 1.0}
    assert search.cv_results_["mean_test_skce"][1] > search.cv_results_["mean_test_skce"][0]


def test_any_calibrated_classifier_will_do():
    X, codes = blobs()
    model = CalibratedClassifierCV(LinearSVC(), cv=2).fit(X, NAMES[codes])
    assert -1.0 < ECE().scorer()(model, X, NAMES[codes]) < 0.0
    with pytest.raises(TypeError, match="LinearSVC has no predict_proba"):
        ECE().scorer()(LinearSVC().fit(X, codes), X, codes)


def test_metadata_routing_may_be_on():
    X, codes = blobs()
    scoring = {"ece": ECE().scorer(), "skce": SKCE().scorer()}
    off = cross_validate(GaussianNB(), X, codes, scoring=scoring, cv=2)["test_ece"]
    with sklearn.config_context(enable_metadata_routing=True):
        on = cross_validate(GaussianNB(), X, codes, scoring=scoring, cv=2)["test_ece"]
    np.testing.assert_array_equal(on, off)


def test_scorers_are_values():
    scorer = SKCE().scorer(Predictions.top_label)
    for again in (
        pickle.loads(pickle.dumps(scorer)),
        copy.deepcopy(scorer),
        clone(scorer, safe=False),
    ):
        assert again == scorer
    assert scorer != SKCE().scorer()
    assert hash(scorer) == hash(SKCE().scorer(Predictions.top_label))
    assert scorer.__name__ == repr(scorer)
    assert "SKCE(kernel=Laplacian" in repr(scorer)


def test_folds_may_lack_classes():
    X, codes = blobs(12)
    model = GaussianNB().fit(X, NAMES[codes])
    only = codes == 1
    assert np.isfinite(ECE().scorer()(model, X[only], NAMES[codes][only]))
    with pytest.raises(ValueError, match="`y_true` must contain the classes"):
        ECE().scorer()(model, X[:2], ["cat", "fox"])


def test_what_is_no_error_or_lens_is_refused():
    with pytest.raises(TypeError, match="`estimator` must be a calibration error"):
        Scorer(3)
    with pytest.raises(TypeError, match=r"`lens` must be a function .* got 'top'"):
        ECE().scorer("top")
