"""Binning of predictions: which rows are compared together, and the table of the bins."""

from __future__ import annotations

from calibrant.binning._base import Binning
from calibrant.binning._bins import Bins
from calibrant.binning._median_variance import MedianVariance
from calibrant.binning._quantile import Quantile
from calibrant.binning._reliability import Reliability, reliability
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
