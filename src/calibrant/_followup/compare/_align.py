"""Checks that models can be compared: same rows, labels, classes and weights."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calibrant._predictions import (
    Predictions,
    as_predictions,
    check_indexes,
    count,
    first_of,
    listed,
)
from calibrant.errors import DataError, Problem

_ONE_MODEL = " For one model use `calibration_test`."
_RANKED = (
    "`top_label` and `top_k` make labels of what the model itself ranks first; compare before "
    "that, or through `one_vs_rest`"
)


def align(
    y_true: Any, y_probs: Any, *, at_least: int = 2, **options: Any
) -> dict[str, Predictions]:
    """Return the checked predictions of every model; refuse rows that do not match.

    `y_probs` maps names to arrays that share `y_true`, or to `Predictions` with their own labels;
    `options` are those of `Predictions`.
    """
    if y_probs is None and isinstance(y_true, Mapping):
        y_true, y_probs = None, y_true
    _check_names(y_probs, at_least)
    check_indexes({"y_true": y_true, "y_probs": y_probs})
    models = {name: _model(name, y_true, given, options) for name, given in y_probs.items()}
    reference = next(iter(models))
    for name in models:
        for problem in _differences(reference, models[reference], name, models[name]):
            raise problem
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
    except DataError as error:
        raise replace(error, source=f"model {name!r}") from error
    except (ValueError, TypeError) as error:
        raise type(error)(f"model {name!r}: {error}") from error


def _same_clusters(one: Predictions, other: Predictions) -> bool:
    if one.clusters is None or other.clusters is None:
        return one.clusters is other.clusters
    return bool(np.array_equal(one.clusters, other.clusters))


def _differences(a: str, one: Predictions, b: str, other: Predictions) -> Iterator[DataError]:
    refusal = partial(
        DataError,
        Problem.OTHER_ROWS,
        "must be compared on the same rows",
        argument="all models",
    )
    if one.n_samples != other.n_samples:
        yield refusal(got=f"{one.n_samples} in {a!r} and {other.n_samples} in {b!r}")
    if one.classes != other.classes:
        yield refusal(
            got=f"the classes ({listed(one.classes)}) in {a!r} and ({listed(other.classes)}) "
            f"in {b!r}",
            remedy="give the columns of all models in one order, with the same names",
        )
    unequal = one.y_true != other.y_true
    if unequal.any():
        row = int(np.argmax(unequal))
        here, there = one.classes[one.y_true[row]], other.classes[other.y_true[row]]
        yield refusal(
            got=f"labels that differ in {count(unequal, 'row')} ({here!r} in {a!r}, {there!r} "
            f"in {b!r})",
            remedy=_RANKED if "other" in one.classes else "sort all models by the same identifier",
            **first_of(unequal),
        )
    if one.n_samples == other.n_samples and not _same_clusters(one, other):
        yield refusal(
            got=f"clusters that differ between {a!r} and {b!r}",
            remedy="give all models the same clusters",
        )
    unequal = one.weights != other.weights
    if unequal.any():
        row = int(np.argmax(unequal))
        here, there = one.weights[row], other.weights[row]
        yield refusal(
            got=f"sample weights that differ in {count(unequal, 'row')} ({here:g} in {a!r}, "
            f"{there:g} in {b!r})",
            **first_of(unequal),
        )
