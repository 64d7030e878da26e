"""Linear or logit axes of a reliability diagram, and bins or the isotonic curve, by the data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np

from calibrant._predictions import Predictions
from calibrant.binning import DEFAULT, Binning, Bins
from calibrant.plots._reliability_marks import Scale

#: the axes that can be asked for
ScaleChoice = Scale | Literal["auto"]
#: predictions nearer to 0 or 1 crowd into a corner of linear axes
_CROWDED = 0.02
#: logit axes are taken where this share of the rows is crowded
_MOST = 0.6
#: and where that many events are expected against the odds: fewer show nothing there
_EVENTS = 5.0
#: half the height of a band, above which a box is a slab that says nothing
_SLAB = 0.25


def choose_scale(scale: ScaleChoice, views: Iterable[Predictions], binning: Any) -> Scale:
    """Return linear axes; logit ones without bins where most rows of all views are in a corner."""
    if scale not in (*get_args(Scale), "auto"):
        raise ValueError(f'`scale` must be "auto", "linear" or "logit"; got {scale!r}.')
    if scale != "auto":
        return scale
    has_bins = isinstance(binning, Binning)
    return "logit" if not has_bins and all(map(_is_crowded, views)) else "linear"


def _is_crowded(view: Predictions) -> bool:
    p = view.distributions[:, -1]
    rest = np.minimum(p, 1.0 - p)
    crowded = rest < _CROWDED
    return bool(crowded.mean() >= _MOST and rest[crowded].sum() >= _EVENTS)


def choose_binning(binning: Any, views: Iterable[Predictions], scale: Scale) -> Binning | None:
    """Return the bins for all views, or None for the isotonic curve."""
    if isinstance(binning, Binning):
        return binning
    if not isinstance(binning, str) or binning not in ("auto", "isotonic"):
        raise ValueError(
            '`binning` must be "auto", "isotonic" or a binning, for example `Uniform(15)`; got '
            f"{binning!r}."
        )
    # on a logit axis bins of equal width hide the ends
    fits = (
        binning == "auto"
        and scale == "linear"
        and all(_are_filled(DEFAULT.bins(view)) for view in views)
    )
    return DEFAULT if fits else None


def _are_filled(bins: Bins) -> bool:
    """Say whether every bin has enough rows for a band that is not a slab."""
    p, n = bins.mean_prediction[:, -1], bins.count
    half = 3.0 * np.sqrt(np.nan_to_num(p * (1.0 - p)) / n + 1.0 / n**2)
    return bool(np.all(half <= _SLAB))
