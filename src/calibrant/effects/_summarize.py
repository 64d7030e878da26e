"""All effects that are reported with a p-value, in one call."""

from __future__ import annotations

from calibrant._predictions import Predictions
from calibrant.effects._interval import Effect
from calibrant.effects._measures import MEASURES


def summarize(predictions: Predictions, confidence_level: float = 0.95) -> dict[str, Effect]:
    """Return every effect that is reported with a p-value and has an interval.

    The effects are `calibration_loss`, `bias`, `temperature`, `slope`, `intercept`, `rmsce`,
    `accuracy`, `brier` and `log_loss`. Cost: a few passes of O(n·m²), about 0.2 s for 10,000 rows
    of ten classes, and 8 s for 50,000 rows of a thousand classes. Small or degenerate data raise no
    errors: see each effect's `note`.

    Parameters
    ----------
    predictions : Predictions
        Labels and probabilities.
    confidence_level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    dict from name to Effect

    Examples
    --------
    >>> from calibrant import Predictions
    >>> from calibrant.effects import summarize
    >>> effects = summarize(Predictions([0, 1, 1, 0], [0.25, 0.75, 0.75, 0.75]))
    >>> list(effects)[:3], effects["accuracy"].estimate
    (['calibration_loss', 'bias', 'temperature'], 0.75)

    Three of four rows are hits, as predicted.
    """
    rows = [(row.name, row.effect) for row in MEASURES if row.effect is not None and row.by_default]
    return {name: effect(predictions, confidence_level) for name, effect in rows}
