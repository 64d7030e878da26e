"""The meta-estimator obeys the rules of scikit-learn, and fits the map to unseen rows."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

sklearn = pytest.importorskip("sklearn")

from sklearn.base import clone  # noqa: E402
from sklearn.datasets import load_iris, make_classification  # noqa: E402
from sklearn.ensemble import RandomForestClassifier  # noqa: E402
from sklearn.linear_model import LogisticRegression  # noqa: E402
from sklearn.metrics import log_loss  # noqa: E402
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict  # noqa: E402
from sklearn.naive_bayes import GaussianNB  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

from calibrant.recalibration import Identity, Isotonic, Recalibrated, Temperature, VectorScaling  # noqa: E402


@pytest.mark.slow
@parametrize_with_checks([Recalibrated(GaussianNB(), VectorScaling(), cv=3)])
def test_the_rules_of_scikit_learn(estimator, check):
    if "sample_weight_equivalence" in str(check):
        pytest.skip("folds of repeated rows differ from those of weighted ones")
    check(estimator)


def test_the_map_is_fitted_to_out_of_fold_predictions():
    X, y = load_iris(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    model = Recalibrated(GaussianNB(), VectorScaling(), cv=cv).fit(X, y)
    out_of_fold = cross_val_predict(GaussianNB(), X, y, cv=cv, method="predict_proba")
    expected = VectorScaling().fit(out_of_fold, y)
    np.testing.assert_allclose(model.map_.slopes, expected.slopes, rtol=1e-9)
    whole = GaussianNB().fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), expected.predict_proba(whole.predict_proba(X)), rtol=1e-9
    )


def test_a_fitted_classifier_is_left_as_it_is():
    X, y = make_classification(600, random_state=0)
    forest = RandomForestClassifier(20, random_state=0).fit(X[:300], y[:300])
    model = Recalibrated(forest, cv="prefit").fit(X[300:], y[300:])
    assert model.classifier_ is forest
    expected = Temperature().fit(forest.predict_proba(X[300:]), y[300:]).temperature
    assert model.map_.temperature == pytest.approx(expected)


def test_naive_bayes_becomes_better_on_unseen_rows():
    X, y = make_classification(3000, n_informative=4, n_redundant=8, random_state=1)
    raw = GaussianNB().fit(X[:1000], y[:1000])
    model = Recalibrated(GaussianNB()).fit(X[:1000], y[:1000])
    losses = [log_loss(y[1000:], one.predict_proba(X[1000:])) for one in (raw, model)]
    assert losses[1] < losses[0] - 0.05


def test_decision_functions_are_logits():
    X, y = load_iris(return_X_y=True)
    model = Recalibrated(LinearSVC(), VectorScaling()).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    two = Recalibrated(LinearSVC()).fit(X[y < 2], y[y < 2])
    assert two.predict(X[:3]).tolist() == [0, 0, 0]


def test_names_of_classes_stay():
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    model = Recalibrated(GaussianNB(), Isotonic()).fit(X, names)
    assert list(model.classes_) == sorted(set(names))
    assert (model.predict(X) == names).mean() > 0.9


@pytest.mark.slow
def test_pipelines_and_grid_search():
    X, y = load_iris(return_X_y=True)
    pipeline = make_pipeline(StandardScaler(), Recalibrated(LogisticRegression(), cv=3))
    grid = {"recalibrated__map": [Identity(), Temperature()], "recalibrated__classifier__C": [1.0]}
    search = GridSearchCV(pipeline, grid, cv=3, scoring="neg_log_loss").fit(X, y)
    assert search.best_score_ > -0.5
    inner = Recalibrated(make_pipeline(StandardScaler(), LogisticRegression()), cv=3)
    assert inner.fit(X, y).score(X, y) > 0.9


def test_objects_in_the_style_of_scikit_learn_are_maps():
    X, y = make_classification(300, random_state=0)
    model = Recalibrated(GaussianNB(), LogisticRegression()).fit(X, y)
    assert model.map_.coef_.shape == (1, 2)
    assert not hasattr(model.map, "coef_")


def test_a_copy_and_a_pickle_are_the_same():
    X, y = load_iris(return_X_y=True)
    model = clone(Recalibrated(GaussianNB(), cv=3)).fit(X, y, sample_weight=np.ones(150))
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_unknown_labels_and_a_single_class_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="labels that the fitted classifier does not know"):
        Recalibrated(GaussianNB().fit(X[:100], y[:100]), cv="prefit").fit(X, y)
    with pytest.raises(ValueError, match="at least 2 classes"):
        Recalibrated(GaussianNB()).fit(X[:50], y[:50])


@pytest.mark.slow
def test_scikit_learn_is_loaded_only_when_asked_for():
    code = (
        "import sys, calibrant.recalibration as r\n"
        "assert 'sklearn' not in sys.modules\n"
        "r.Recalibrated\n"
        "assert 'sklearn' in sys.modules\n"
        "try:\n    r.Nothing\nexcept AttributeError as error:\n    print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "has no attribute 'Nothing'" in done.stdout
