"""Calibration errors as scikit-learn scorers of fitted classifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from calibrant._predictions import Predictions

if TYPE_CHECKING:
    from calibrant.estimators._base import Estimator

#: a view of the predictions, for example ``Predictions.top_label``
Lens = Callable[[Predictions], Predictions]


@dataclass(frozen=True)
class Scorer:
    r"""The negative of a calibration error, as a function of a fitted classifier and data.

    Greater is better, as scikit-learn's ``scoring=`` expects. A calibrated model scores about 0,
    possibly slightly more with an unbiased error. The columns of ``predict_proba`` are read in the
    order of ``classes_``, so labels may be strings and folds may lack classes. Scorers compare by
    value, can be copied and pickled, and need no scikit-learn.

    Usually created by `Estimator.scorer`. Cost: that of ``predict_proba`` and of the error.

    Parameters
    ----------
    estimator : Estimator
        The calibration error.
    lens : callable, optional
        Maps a `Predictions` to a `Predictions` before the error is taken, for example
        ``Predictions.top_label``. Use a named function if you want to pickle the scorer.

    Examples
    --------
    >>> import calibrant as cal
    >>> class Coin:
    ...     classes_ = ("heads", "tails")
    ...     def predict_proba(self, X):
    ...         return [[0.5, 0.5] for _ in X]
    >>> scorer = cal.ECE().scorer()
    >>> scorer(Coin(), [[0], [0]], ["tails", "heads"]), scorer(Coin(), [[0]], ["tails"])
    (0.0, -0.5)

    The coin is calibrated over the two tosses, and off by one half on the single one.
    """

    estimator: Estimator
    lens: Lens | None = None

    def __post_init__(self) -> None:
        if not hasattr(self.estimator, "estimate"):
            raise TypeError(
                f"`estimator` must be a calibration error such as `SKCE()`; got {self.estimator!r}"
            )
        if self.lens is not None and not callable(self.lens):
            raise TypeError(
                "`lens` must be a function of a Predictions, for example "
                f"`Predictions.top_label`; got {self.lens!r}"
            )

    @property
    def __name__(self) -> str:
        return repr(self)

    def __call__(
        self, classifier: Any, X: Any, y: Any, sample_weight: Any = None, clusters: Any = None
    ) -> float:
        """Return minus the error of a fitted classifier.

        Parameters
        ----------
        classifier : object
            A fitted classifier with ``predict_proba`` and ``classes_``.
        X : array-like of shape (n_samples, n_features)
            Features.
        y : array-like of shape (n_samples,)
            Labels, each one of ``classifier.classes_``.
        sample_weight, clusters : array-like of shape (n_samples,), optional
            See `Predictions`.

        Returns
        -------
        float
        """
        predictions = Predictions.from_estimator(
            classifier, X, y, sample_weight=sample_weight, clusters=clusters
        )
        seen = predictions if self.lens is None else self.lens(predictions)
        return 0.0 - self.estimator.estimate(seen)
