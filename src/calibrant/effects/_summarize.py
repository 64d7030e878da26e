"""The effects that stand beside every p-value, in one call."""

from __future__ import annotations

from calibrant._predictions import Predictions
from calibrant.effects._interval import Effect
from calibrant.effects._measures import MEASURES


def summarize(predictions: Predictions, confidence_level: float = 0.95) -> dict[str, Effect]:
    """Return temperature, RMSCE, accuracy, Brier score and log loss, each with its interval.

    Cost O(n·(m + log n)). Never raises for small or degenerate data: see each effect's `note`.

    Parameters
    ----------
    predictions : Predictions
    confidence_level : float, default 0.95

    Returns
    -------
    dict from name to Effect

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import summarize
    >>> effects = summarize(Predictions([0, 1, 1, 0], [0.25, 0.75, 0.75, 0.75]))
    >>> list(effects), effects["accuracy"].estimate
    (['temperature', 'rmsce', 'accuracy', 'brier', 'log_loss'], 0.75)

    Three of four rows were hits, as predicted.
    """
    rows = [(row.name, row.effect) for row in MEASURES if row.effect is not None]
    return {name: effect(predictions, confidence_level) for name, effect in rows}
