"""Models that can be compared: the same rows, labels, classes and weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions import Predictions, as_predictions
from calibrant._predictions._messages import count, listed, place

if TYPE_CHECKING:
    from collections.abc import Iterator

_ONE_MODEL = " For one model use `calibration_test`."


def align(
    y_true: Any, y_probs: Any, *, at_least: int = 2, **options: Any
) -> dict[str, Predictions]:
    """Return the checked predictions of every model, or refuse rows that do not line up.

    `y_probs` maps names to arrays that share `y_true`, or to `Predictions` that carry their own
    labels; `options` are those of `Predictions`.
    """
    if y_probs is None and isinstance(y_true, Mapping):
        y_true, y_probs = None, y_true
    _check_names(y_probs, at_least)
    models = {name: _model(name, y_true, given, options) for name, given in y_probs.items()}
    reference = next(iter(models))
    for name in models:
        for problem in _differences(reference, models[reference], name, models[name]):
            raise ValueError(f"models must be compared on the same rows; {problem}")
    return models


def _check_names(y_probs: Any, at_least: int) -> None:
    if not isinstance(y_probs, Mapping):
        raise TypeError(
            "`y_probs` must map names of models to their predictions, e.g. "
            f"{{'raw': p0, 'scaled': p1}}; got {type(y_probs).__name__}."
        )
    if len(y_probs) < at_least:
        many, hint = ("one model", "") if at_least == 1 else ("two models", _ONE_MODEL)
        raise ValueError(f"`y_probs` must name at least {many}; got {len(y_probs)}.{hint}")
    for name in y_probs:
        if not isinstance(name, str) or not name:
            raise TypeError(f"names of models must be non-empty strings; got {name!r}.")


def _model(name: str, y_true: Any, given: Any, options: dict[str, Any]) -> Predictions:
    try:
        if isinstance(given, Predictions):
            if y_true is not None:
                raise ValueError(
                    "a Predictions carries its own labels; leave `y_true` out, or pass arrays"
                )
            return as_predictions(given, **options)
        if y_true is None:
            raise ValueError(
                f"`y_true` is missing: pass the labels, or one Predictions per model; got "
                f"{type(given).__name__}"
            )
        return as_predictions(y_true, given, **options)
    except (ValueError, TypeError) as error:
        raise type(error)(f"model {name!r}: {error}") from error


def _differences(a: str, one: Predictions, b: str, other: Predictions) -> Iterator[str]:
    if one.n_samples != other.n_samples:
        yield f"{a!r} has {one.n_samples} and {b!r} has {other.n_samples}."
    if one.classes != other.classes:
        yield (
            f"{a!r} has the classes ({listed(one.classes)}) and {b!r} ({listed(other.classes)}). "
            "Give the columns of all models in one order, with the same names."
        )
    unequal = one.y_true != other.y_true
    if unequal.any():
        row = int(np.argmax(unequal))
        hint = (
            " `top_label` and `top_k` make labels of what the model itself ranks first: compare "
            "before that, or through one_vs_rest."
            if "other" in one.classes
            else " Sort all models by the same identifier first."
        )
        yield (
            f"labels differ in {count(unequal, 'row')}, first at {place(unequal)}: "
            f"{one.classes[one.y_true[row]]!r} in {a!r}, {other.classes[other.y_true[row]]!r} "
            f"in {b!r}.{hint}"
        )
    unequal = one.weights != other.weights
    if unequal.any():
        row = int(np.argmax(unequal))
        yield (
            f"sample weights differ in {count(unequal, 'row')}, first at {place(unequal)}: "
            f"{one.weights[row]:g} in {a!r}, {other.weights[row]:g} in {b!r}."
        )
