"""The effects that stand beside every p-value, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from calibrant.effects._rmsce import rmsce
from calibrant.effects._scores import accuracy, brier, log_loss
from calibrant.effects._temperature import temperature

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant.effects._interval import Effect


def summarise(predictions: Predictions, level: float = 0.95) -> dict[str, Effect]:
    """Return accuracy, Brier score, log loss, temperature and RMSCE, each with its interval.

    Cost O(n·(m + log n)). Never raises for small or degenerate data: see each effect's `note`.

    Parameters
    ----------
    predictions : Predictions
    level : float, default 0.95

    Returns
    -------
    dict from name to Effect

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import summarise
    >>> effects = summarise(Predictions([0, 1, 1, 0], [0.25, 0.75, 0.75, 0.75]))
    >>> list(effects), effects["accuracy"].estimate
    (['accuracy', 'brier', 'log_loss', 'temperature', 'rmsce'], 0.75)

    Three of four rows were hits, as predicted.
    """
    effects = (accuracy, brier, log_loss, temperature, rmsce)
    return {effect.__name__: effect(predictions, level) for effect in effects}
