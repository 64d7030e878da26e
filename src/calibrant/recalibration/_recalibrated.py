"""A scikit-learn classifier with recalibrated probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, indexable
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    _check_y,
    _num_samples,
    check_is_fitted,
    has_fit_parameter,
)

from calibrant._native import FloatArray
from calibrant._predictions import softmax
from calibrant.recalibration._cross_fit import fit_object, predict
from calibrant.recalibration._map import Map
from calibrant.recalibration._temperature import Temperature


class Recalibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn classifier with recalibrated probabilities.

    The map is fitted to predictions for rows that the classifier was not trained on: those of a
    cross-validation or, for a prefit classifier, the rows given to `fit`. There is one classifier,
    fitted to all rows, and one map.

    Parameters
    ----------
    classifier : estimator, default LogisticRegression()
        A classifier with `predict_proba` or `decision_function`, whose values are used as logits.
    map : Map, or an object with ``fit(P, y)`` and ``predict_proba(P)``, default Temperature()
        The recalibration map.
    cv : int, splitter or "prefit", default 5
        Folds of the cross-validation; ``"prefit"`` does not refit a fitted classifier.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    classifier_ : estimator
        The classifier, fitted to all rows.
    map_ : fitted map
        The fitted recalibration map.
    n_features_in_ : int
        Number of features, if the classifier has this attribute.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from calibrant.recalibration import Recalibrated
    >>> X, y = make_classification(2000, random_state=0)
    >>> model = Recalibrated(GaussianNB()).fit(X[:1000], y[:1000])
    >>> print(f"{model.map_.temperature:.1f}")
    2.9

    Naive Bayes is over-confident: its logits are about three times as large as they should be.
    """

    def __init__(
        self,
        classifier: Any = None,
        map: Any = None,  # noqa: A002 - the word of the literature
        cv: Any = 5,
    ) -> None:
        self.classifier = classifier
        self.map = map
        self.cv = cv

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit classifier and map.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weights for the map, and for the classifier if it accepts weights.

        Returns
        -------
        self
        """
        X, y, sample_weight = _checked(X, y, sample_weight)
        base = LogisticRegression() if self.classifier is None else self.classifier
        if self.cv == "prefit":
            check_is_fitted(base)
            self.classifier_ = base
            self.classes_ = np.asarray(base.classes_)
        else:
            self.classes_ = np.unique(y)
        codes = self._codes(y)
        table = self._probabilities_for_fit(base, X, codes, y, sample_weight)
        self.map_ = _fit_map(
            Temperature() if self.map is None else self.map, table, codes, sample_weight
        )
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.classifier_, name):
                setattr(self, name, getattr(self.classifier_, name))
        return self

    def predict_proba(self, X: Any) -> FloatArray:
        """Return recalibrated probabilities.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        return predict(self.map_, _probabilities(self.classifier_, X, len(self.classes_)))

    def predict(self, X: Any) -> Any:
        """Return the most probable class of every row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Features.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.classifier is not None:
            from sklearn.utils import get_tags

            own = get_tags(self.classifier)
            tags.input_tags.sparse = own.input_tags.sparse
            tags.input_tags.allow_nan = own.input_tags.allow_nan
        else:
            tags.input_tags.sparse = True
        return tags

    def _codes(self, y: Any) -> Any:
        if len(self.classes_) < 2:
            raise ValueError(
                "Recalibrated needs labels of at least 2 classes; got "
                f"{len(self.classes_)} class: {self.classes_.tolist()}."
            )
        codes = np.searchsorted(self.classes_, y)
        codes = np.minimum(codes, len(self.classes_) - 1)
        if not np.array_equal(self.classes_[codes], y):
            raise ValueError("`y` has labels that the fitted classifier does not know.")
        return codes

    def _probabilities_for_fit(
        self, base: Any, X: Any, codes: Any, y: Any, weight: Any
    ) -> FloatArray:
        """Return out-of-sample predictions, and fit the classifier to all rows."""
        m = len(self.classes_)
        if self.cv == "prefit":
            return _probabilities(base, X, m)
        table = np.zeros((_num_samples(X), m))
        for train, test in check_cv(self.cv, codes, classifier=True).split(X, codes):
            part = _fit_classifier(base, X, y, weight, train)
            known = np.searchsorted(self.classes_, part.classes_)
            rows = _probabilities(part, _safe_indexing(X, test), len(known))
            table[np.ix_(test, known)] = rows
        self.classifier_ = _fit_classifier(base, X, y, weight, None)
        return table


def _checked(X: Any, y: Any, weight: Any) -> tuple[Any, Any, Any]:
    """Return indexable rows, without those of weight 0."""
    X, y = indexable(X, _check_y(y))
    check_classification_targets(y)
    if weight is None:
        return X, y, None
    weight = _check_sample_weight(weight, X)
    rows = np.flatnonzero(weight)
    if len(rows) == len(weight):
        return X, y, weight
    return _safe_indexing(X, rows), y[rows], weight[rows]


def _fit_classifier(base: Any, X: Any, y: Any, weight: Any, rows: Any) -> Any:
    if rows is not None:
        X, y = _safe_indexing(X, rows), y[rows]
        weight = None if weight is None else weight[rows]
    weighted = weight is not None and has_fit_parameter(base, "sample_weight")
    return clone(base).fit(X, y, **({"sample_weight": weight} if weighted else {}))


def _fit_map(family: Any, table: FloatArray, codes: Any, weight: Any) -> Any:
    if isinstance(family, Map):
        return family.fit(table, codes, weight)
    return fit_object(family, table, codes, weight)


def _probabilities(classifier: Any, X: Any, n_classes: int) -> FloatArray:
    if hasattr(classifier, "predict_proba"):
        return np.asarray(classifier.predict_proba(X), dtype=np.float64)
    logits = np.asarray(classifier.decision_function(X), dtype=np.float64)
    if logits.ndim == 1:
        logits = np.column_stack([np.zeros(len(logits)), logits])
    return softmax(logits)
