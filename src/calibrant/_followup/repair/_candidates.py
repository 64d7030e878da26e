"""The candidate maps: which of them the rows allow, and what each would change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calibrant._output import Count, Plain
from calibrant._predictions import Predictions, listed
from calibrant.effects import Effect, effective_size, logit_floor, smallest_probability
from calibrant.recalibration import (
    FLOOR,
    BetaScaling,
    ClassPrior,
    ConfidenceCurve,
    DirichletScaling,
    Identity,
    Isotonic,
    Map,
    Temperature,
    VectorScaling,
)

#: minimum rows per class and parameter of a map
ROWS_PER_PARAMETER = 10
#: minimum rows per class for a curve or a map without a fixed number of parameters
ROWS_OF_FREE_MAPS = 500
#: most classes for a full matrix, which is slow
MOST_MATRIX_CLASSES = 24


@dataclass(frozen=True)
class Candidate(Plain):
    """A candidate map and its effect on unseen rows.

    Attributes
    ----------
    name : str
        Name of the map.
    n_parameters : int or None
        Number of parameters; None if unknown.
    log_loss, brier : Effect or None
        The change on unseen rows, after − before: negative is better. None if the map was not
        fitted.
    note : str
        Why it was not fitted.

    Examples
    --------
    >>> import calibrant as cal
    >>> model = cal.models.TemperatureModel(0.5, 3, temperature=2.0)  # over-confident
    >>> result = cal.repair(*model.sample(500, rng=0), n_resamples=99, rng=0)
    >>> candidate = result.candidates[1]
    >>> candidate.name, candidate.n_parameters, f"{candidate.log_loss.estimate:.3f}"
    ('temperature', 1, '-0.099')

    A temperature lowers the log loss on unseen rows.
    """

    name: str
    n_parameters: Count | None
    log_loss: Effect | None = None
    brier: Effect | None = None
    note: str = ""


def default_candidates(predictions: Predictions) -> tuple[Map, ...]:
    """Return the default candidates, the simplest first."""
    m, floor = predictions.n_classes, chosen_floor(predictions)
    temperature, vector = Temperature(floor), VectorScaling(None, floor)
    maps = (Identity(floor), temperature, ClassPrior(floor), vector)
    if m == 2:
        return (*maps, BetaScaling(floor), Isotonic())
    # only one curve: after a temperature it has almost as many parameters as after vector scaling
    curve = ConfidenceCurve(temperature if refusal(vector, predictions) else vector)
    matrix = (DirichletScaling(None, None, floor),) if m <= MOST_MATRIX_CLASSES else ()
    return (*maps, curve, *matrix)


def chosen_floor(predictions: Predictions) -> float:
    """Return the floor for probabilities of 0, if there are any: half of the smallest positive one.

    Values rounded to 0 were about that large; a much smaller floor would dominate the fit.
    """
    if predictions.y_prob.min() > 0.0:
        return FLOOR
    return logit_floor(smallest_probability(predictions), predictions.n_classes)


def check_candidates(candidates: Any) -> tuple[Any, ...]:
    """Return the maps with the identity first: leaving a model unchanged must be possible."""
    if isinstance(candidates, Map) or not isinstance(candidates, Sequence):
        raise TypeError(
            "`candidates` must be a list of maps, the simplest first; got "
            f"{type(candidates).__name__}. Pass `[Temperature()]` for one."
        )
    if not candidates:
        raise ValueError(
            "`candidates` must name at least one map; leave it out for the usual ones."
        )
    for one in candidates:
        if not all(callable(getattr(one, name, None)) for name in ("fit", "fit_predictions")) and (
            not all(callable(getattr(one, name, None)) for name in ("fit", "predict_proba"))
        ):
            raise TypeError(
                "`candidates` must be recalibration maps, or objects with `fit(P, y)` and "
                f"`predict_proba(P)`; got {one!r}."
            )
    others = [one for one in candidates if not isinstance(one, Identity)]
    floors = [one.floor for one in candidates if hasattr(one, "floor")]
    return (Identity(max(floors, default=FLOOR)), *others)


def name_of(candidate: Any) -> str:
    """Return the name of a map."""
    return candidate.name if isinstance(candidate, Map) else type(candidate).__name__


def refusal(candidate: Any, predictions: Predictions) -> str:
    """Return why a map cannot be fitted to these rows, or an empty text."""
    if not isinstance(candidate, Map) or isinstance(candidate, Identity):
        return ""
    m = predictions.n_classes
    if isinstance(candidate, BetaScaling) and m != 2:
        return f"it needs two classes, and there are {m}"
    first = candidate.first if isinstance(candidate, ConfidenceCurve) else candidate
    if first.count_parameters(m) not in (0, 1):  # parameters for each class
        absent = np.flatnonzero(np.bincount(predictions.y_true, minlength=m) == 0)
        if absent.size:
            names = listed([predictions.classes[c] for c in absent[:5]])
            return f"no row has the label {names}"
    needed = _rows_needed(candidate, m)
    return "" if effective_size(predictions) >= needed else f"it needs {needed:,} rows"


def _rows_needed(candidate: Map, n_classes: int) -> int:
    if isinstance(candidate, ConfidenceCurve):
        # the predicted class is right or wrong: two classes for any m
        return max(_rows_needed(candidate.first, n_classes), 2 * ROWS_OF_FREE_MAPS)
    parameters = candidate.count_parameters(n_classes)
    if parameters is None:
        return ROWS_OF_FREE_MAPS * n_classes
    needed = ROWS_PER_PARAMETER * n_classes * parameters
    # this many rows determine one parameter for any number of classes
    return min(needed, 2 * ROWS_OF_FREE_MAPS) if parameters <= 1 else needed
