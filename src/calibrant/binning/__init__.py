"""Binning of predictions: which rows are compared together, and the table of the bins."""

from __future__ import annotations

from calibrant._output import publish
from calibrant.binning._bands import Banded, drawn_frequencies
from calibrant.binning._base import Binning, check_count, check_ids
from calibrant.binning._bins import Bins, bin_sums, label_sums
from calibrant.binning._median_variance import MedianVariance
from calibrant.binning._quantile import Quantile
from calibrant.binning._reliability import (
    DEFAULT,
    Reliability,
    check_band,
    class_errors,
    reliabilities,
    reliability,
)
from calibrant.binning._uniform import Uniform

__all__ = [
    "Binning",
    "Bins",
    "MedianVariance",
    "Quantile",
    "Reliability",
    "Uniform",
    "reliability",
]

publish(__name__, globals(), __all__)
