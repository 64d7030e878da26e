"""Checks that an estimator obeys the rules."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from calibrant._execution import Parallel
from calibrant._native import FloatArray
from calibrant._predictions import Predictions
from calibrant.estimators import Estimator
from calibrant.testing._data import REPEATED, Data, extreme, ordinary
from calibrant.testing._value import check_value

#: largest difference between two computations of a number, relative to it or to 1
TOLERANCE = 1e-10


def check_estimator(
    estimator: Estimator,
    *,
    n_classes: int = 3,
    order_matters: bool = False,
    rng: int | np.random.Generator | None = 0,
) -> None:
    """Raise an error unless an estimator obeys the rules, on random and on extreme data.

    An estimator must be a value (immutable, and equal to its copies, to unpickled ones and to the
    object that its ``repr`` creates); return finite Python floats; give the same result twice, on
    any number of threads, for class names or indices, and for arrays or one `Predictions`; not
    depend on the order of the rows or the scale of the weights; be consistent with `many` and
    `over_labels`; refuse swapped arguments; and not modify its arguments. Passing is evidence, not
    proof. Cost: about 40 estimates on 60 rows.

    Parameters
    ----------
    estimator : Estimator
        The estimator to check.
    n_classes : int, default 3
        Number of classes of the test data.
    order_matters : bool, default False
        Whether the estimate may depend on the order of the rows, as with blocks.
    rng : int, Generator or None
        Source of randomness of the test data.

    Raises
    ------
    ValueError
        If a rule is broken, with the values.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> import calibrant as cal
    >>> from calibrant.testing import check_estimator
    >>> check_estimator(cal.SKCE())
    >>> @dataclass(frozen=True)
    ... class First(cal.Estimator):
    ...     def estimate(self, predictions, parallel=None):
    ...         return float(abs(predictions.residuals[0]).max())
    >>> check_estimator(First())
    Traceback (most recent call last):
    ...
    ValueError: the estimate must not depend on the order of the rows; got 0.76... and 0.90...
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must be an Estimator; got {estimator!r}.")
    check_value("an estimator", estimator)
    generator = np.random.default_rng(rng)
    data = ordinary(generator, n_classes)
    value = _check_answers(estimator, data)
    special = extreme(generator, n_classes)
    for one in special:
        _estimate(estimator, one)
    _check_call(estimator, data, value)
    if not order_matters:
        _check_order(estimator, data, value, generator)
    weights = generator.random(len(data.y_true)) + 0.5
    for one in (data, *special):
        _check_weights(estimator, one, weights)
    # weights change the means of repeated predictions, not the errors of single rows
    (repeated,) = (one for one in special if one.name == REPEATED)
    if _close(
        _estimate(estimator, repeated, sample_weight=weights), _estimate(estimator, repeated)
    ):
        raise ValueError("the estimate must use the sample weights; it is the same without them.")
    _check_many(estimator, data, generator)


def _estimate(estimator: Estimator, data: Data, **options: Any) -> float:
    predictions = Predictions(data.y_true, data.y_prob, **options)
    value: Any = _leaving_alone(estimator.estimate, predictions)
    if type(value) is not float or not math.isfinite(value):
        raise ValueError(
            f"`estimate` must return a finite Python float; got {value!r} of type "
            f"{type(value).__name__} for {data.name}."
        )
    return value


def _leaving_alone(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return function(*arguments, **options)
    except ValueError as error:
        if "read-only" not in str(error):
            raise
        raise ValueError(
            "an estimator must not modify the predictions; it tried to change an array that "
            f"they hold: {error}. Work on a copy."
        ) from error


def _check_answers(estimator: Estimator, data: Data) -> float:
    value = _estimate(estimator, data)
    predictions = Predictions(data.y_true, data.y_prob)
    for n_jobs in (None, 1, 2):
        again = estimator.estimate(predictions, Parallel(n_jobs))
        if again != value:
            raise ValueError(
                "the estimate must be the same at every call and on any number of threads; got "
                f"{value!r} and, with n_jobs={n_jobs}, {again!r}."
            )
    return value


def _check_call(estimator: Estimator, data: Data, value: float) -> None:
    y_true, y_prob = data.y_true.copy(), data.y_prob.copy()
    names = [f"class {c}" for c in range(y_prob.shape[1])]
    _same("for arrays and for a Predictions", estimator(y_true, y_prob), value)
    _same("for lists and for a Predictions", estimator(y_true.tolist(), y_prob.tolist()), value)
    named = estimator([names[c] for c in y_true], y_prob, classes=names)
    _same("for names of classes and for their indices", named, value)
    if not (np.array_equal(y_true, data.y_true) and np.array_equal(y_prob, data.y_prob)):
        raise ValueError("an estimator must not modify its arguments; it has changed an array.")
    try:
        swapped = estimator(y_prob, y_true)
    except (TypeError, ValueError):
        return
    raise ValueError(f"swapped arguments must be refused; `estimator(y_prob, y_true)` = {swapped}.")


def _check_order(estimator: Estimator, data: Data, value: float, rng: np.random.Generator) -> None:
    order = rng.permutation(len(data.y_true))
    shuffled = _estimate(estimator, Data(data.name, data.y_true[order], data.y_prob[order]))
    if not _close(shuffled, value):
        raise ValueError(
            f"the estimate must not depend on the order of the rows; got {value!r} and "
            f"{shuffled!r}. Pass `order_matters=True` if it is meant to."
        )


def _check_weights(estimator: Estimator, data: Data, weights: FloatArray) -> None:
    equal = _estimate(estimator, data, sample_weight=np.full(len(weights), 2.0))
    _same("with equal weights and without", equal, _estimate(estimator, data))
    one, four = (_estimate(estimator, data, sample_weight=c * weights) for c in (1.0, 4.0))
    _same("with four times the weights", four, one)


def _check_many(estimator: Estimator, data: Data, rng: np.random.Generator) -> None:
    n_classes = data.y_prob.shape[1]
    labels = rng.integers(n_classes, size=(3, len(data.y_true)))
    sets = [ordinary(rng, n_classes, len(data.y_true)) for _ in labels]
    predictions = Predictions(data.y_true, data.y_prob)
    over = estimator.over_labels(predictions, labels)
    many = estimator.many(np.stack([s.y_true for s in sets]), np.stack([s.y_prob for s in sets]))
    for name, found in (("over_labels", over), ("many", many)):
        if np.shape(found) != (3,):
            raise ValueError(f"`{name}` must return an array of shape (3,); got {np.shape(found)}.")
    for k, row in enumerate(labels):
        alone = _estimate(estimator, Data(data.name, row, data.y_prob))
        _same("in `over_labels` and alone", float(over[k]), alone)
        _same("in `many` and alone", float(many[k]), _estimate(estimator, sets[k]))


def _same(what: str, left: float, right: float) -> None:
    if not _close(left, right):
        raise ValueError(f"the estimate must be the same {what}; got {left!r} and {right!r}.")


def _close(left: float, right: float) -> bool:
    return math.isclose(left, right, rel_tol=TOLERANCE, abs_tol=TOLERANCE * 1e-2)
