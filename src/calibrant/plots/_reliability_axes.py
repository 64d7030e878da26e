"""The automatic choice of axes, and of bins or an isotonic curve, for reliability diagrams."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, get_args

import numpy as np

from calibrant._predictions import Predictions
from calibrant.binning import DEFAULT, Binning, Bins
from calibrant.plots._reliability_marks import Scale

#: the possible values of `scale`
ScaleChoice = Scale | Literal["auto"]
#: predictions closer to 0 or 1 than this crowd into a corner of linear axes
_CROWDED = 0.02
#: logit axes are used if at least this share of the rows is crowded
_MOST = 0.6
#: and if at least this many opposite outcomes are expected among them
_EVENTS = 5.0
#: half the height of a band above which a box is too tall to be informative
_SLAB = 0.25


def choose_scale(scale: ScaleChoice, views: Iterable[Predictions], binning: Any) -> Scale:
    """Return the requested axes, or logit axes if most rows of all views are in a corner."""
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
    # bins of equal width hide the ends of a logit axis
    fits = (
        binning == "auto"
        and scale == "linear"
        and all(_are_filled(DEFAULT.bins(view)) for view in views)
    )
    return DEFAULT if fits else None


def _are_filled(bins: Bins) -> bool:
    """Return whether every bin has enough rows for an informative band."""
    p, n = bins.mean_prediction[:, -1], bins.count
    half = 3.0 * np.sqrt(np.nan_to_num(p * (1.0 - p)) / n + 1.0 / n**2)
    return bool(np.all(half <= _SLAB))
