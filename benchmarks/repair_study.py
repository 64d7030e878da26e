"""How often a repair hurts: 12 scikit-learn classifiers on 6 data sets, ours against blind repairs.

``python -m benchmarks.repair_study`` fits every classifier to 40 % of the rows, every map to
30 %, and measures the log loss on the last 30 %, with four random splits. It prints the table of
docs/howto/repair.rst.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import calibrant as cal
from calibrant.recalibration import (
    DirichletScaling,
    Isotonic,
    Temperature,
    VectorScaling,
)

#: an increase of the log loss by more than this, and beyond noise, is harm
HARM = 0.005
#: replaces probabilities of 0 in the log loss
FLOOR = 1e-12


def classifiers(seed):
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import (
        LinearDiscriminantAnalysis,
        QuadraticDiscriminantAnalysis,
    )
    from sklearn.ensemble import (
        AdaBoostClassifier,
        ExtraTreesClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic regression": make_pipeline(StandardScaler(), LogisticRegression(max_iter=500)),
        "stochastic gradient": make_pipeline(
            StandardScaler(), SGDClassifier(loss="log_loss", random_state=seed)
        ),
        "linear discriminant": LinearDiscriminantAnalysis(),
        "quadratic discriminant": make_pipeline(
            StandardScaler(), PCA(4), QuadraticDiscriminantAnalysis()
        ),
        "naive Bayes": GaussianNB(),
        "nearest neighbors": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
        "decision tree": DecisionTreeClassifier(min_samples_leaf=5, random_state=seed),
        "random forest": RandomForestClassifier(100, random_state=seed),
        "extra trees": ExtraTreesClassifier(100, random_state=seed),
        "AdaBoost": AdaBoostClassifier(random_state=seed),
        "gradient boosting": HistGradientBoostingClassifier(max_iter=50, random_state=seed),
        "neural network": make_pipeline(
            StandardScaler(), MLPClassifier((50,), max_iter=200, random_state=seed)
        ),
    }


def data_sets():
    from sklearn import datasets

    return {
        "iris": datasets.load_iris(return_X_y=True),
        "wine": datasets.load_wine(return_X_y=True),
        "breast cancer": datasets.load_breast_cancer(return_X_y=True),
        "digits": datasets.load_digits(return_X_y=True),
        "two classes": datasets.make_classification(
            4000, 20, n_informative=6, flip_y=0.1, class_sep=0.7, random_state=0
        ),
        "five classes": datasets.make_classification(
            4000,
            20,
            n_informative=8,
            n_classes=5,
            weights=[0.4, 0.3, 0.15, 0.1, 0.05],
            flip_y=0.05,
            random_state=0,
        ),
    }


class Blind:
    """A scikit-learn calibrator applied to the probabilities of a fitted classifier."""

    def __init__(self, method):
        self.method = method

    def fit(self, P, y):
        """Fit the calibrator to probabilities."""
        from sklearn.base import BaseEstimator, ClassifierMixin
        from sklearn.calibration import CalibratedClassifierCV
        from sklearn.frozen import FrozenEstimator

        class Given(ClassifierMixin, BaseEstimator):
            """A classifier whose features are its probabilities."""

            def __sklearn_is_fitted__(self):
                return True

            def fit(self, X, y):
                return self

            def predict(self, X):
                return X.argmax(axis=1)

            def predict_proba(self, X):
                return X

        given = Given()
        given.classes_ = np.arange(P.shape[1])
        self.fitted = CalibratedClassifierCV(FrozenEstimator(given), method=self.method).fit(P, y)
        return self

    def predict_proba(self, P):
        """Return recalibrated probabilities."""
        return self.fitted.predict_proba(P)


def rivals():
    return {
        "temperature": Temperature(),
        "vector scaling": VectorScaling(),
        "Dirichlet scaling": DirichletScaling(),
        "isotonic, smoothed": Isotonic(),
        "scikit-learn sigmoid": Blind("sigmoid"),
        "scikit-learn isotonic": Blind("isotonic"),
    }


@dataclass(frozen=True)
class Change:
    """The change of the log loss on unseen rows by a method, with its standard error."""

    method: str
    data: str
    classifier: str
    mean: float
    error: float

    @property
    def hurts(self):
        """Whether the log loss increased at all."""
        return self.mean > 0.0

    @property
    def harms(self):
        """Whether it increased by more than HARM beyond noise."""
        return self.mean - 1.96 * self.error > HARM


def losses(p, y):
    return -np.log(np.maximum(p[np.arange(len(y)), y], FLOOR))


def deal(y, repetition: int):
    """Deal the rows of each class to ten parts: 4 to train, 3 to repair, 3 to measure."""
    part = np.empty(len(y), dtype=int)
    random = np.random.default_rng([0xF01D, repetition]).random(len(y))
    part[np.lexsort([random, y])] = np.arange(len(y)) % 10
    return part


def changes(repetition: int) -> Iterator[Change]:
    for data, (X, y) in data_sets().items():
        part = deal(y, repetition)
        train, fit, test = part < 4, (part >= 4) & (part < 7), part >= 7
        for name, classifier in classifiers(repetition).items():
            classifier.fit(X[train], y[train])
            P, Q = classifier.predict_proba(X[fit]), classifier.predict_proba(X[test])
            for method, repaired in all_repairs(P, y[fit], Q, repetition):
                d = losses(repaired, y[test]) - losses(Q, y[test])
                error = d.std(ddof=1) / np.sqrt(len(d))
                yield Change(method, data, name, float(d.mean()), float(error))


def all_repairs(P, y, Q, seed):
    result = cal.repair(y, P, rng=seed, n_resamples=19, n_jobs=1)
    yield "repair", Q if result.is_identity else result.apply(Q)
    for method, one in rivals().items():
        yield method, one.fit(P, y).predict_proba(Q)


def table(found: list[Change]) -> Iterator[str]:
    yield f"{'method':24} {'hurts':>7} {'harms':>7} {'mean change':>12} {'worst':>8}"
    for method in dict.fromkeys(one.method for one in found):
        own = [one for one in found if one.method == method]
        share = np.mean([one.hurts for one in own])
        harm = np.mean([one.harms for one in own])
        means = [one.mean for one in own]
        yield (f"{method:24} {share:7.1%} {harm:7.1%} {np.mean(means):12.4f} {np.max(means):8.3f}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    found = [one for repetition in range(repetitions) for one in changes(repetition)]
    print("\n".join(table(found)))
    ours = [one for one in found if one.method == "repair"]
    unchanged = np.mean([one.mean == 0.0 for one in ours])
    print(f"{len(ours)} repairs, {unchanged:.0%} unchanged; those that hurt most:")
    for one in sorted(ours, key=lambda one: -one.mean)[:8]:
        print(f"  {one.data}, {one.classifier}: {one.mean:.4f} ± {one.error:.4f}")
