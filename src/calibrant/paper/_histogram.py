"""Histograms with round edges, as in the paper's figures."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from calibrant._native import FloatArray


class Histogram(NamedTuple):
    """Counts (k,) between edges (k + 1,)."""

    edges: FloatArray
    counts: FloatArray

    @property
    def density(self) -> FloatArray:
        """The counts as a density with area 1."""
        widths = np.diff(self.edges)
        return np.asarray(self.counts / (self.counts.sum() * widths))


def histogram(values: FloatArray, width: float | None = None) -> Histogram:
    """Count values in about 1 + log₂ n cells whose width is 1, 2 or 5 times a power of ten.

    A given `width` is used instead.

    Examples
    --------
    >>> import numpy as np
    >>> edges, counts = histogram(np.array([0.12, 0.13, 0.18, 0.27]))
    >>> edges.round(3).tolist(), counts.tolist()
    ([0.1, 0.15, 0.2, 0.25, 0.3], [2.0, 1.0, 0.0, 1.0])
    """
    low, high = float(values.min()), float(values.max())
    if width is None:
        width = _round_width((high - low) / (1 + math.ceil(math.log2(len(values)))))
    first, last = math.floor(low / width), math.floor(high / width) + 1
    # integer multiples of the width: all cells are equally wide
    edges = width * np.arange(first, last + 1, dtype=np.float64)
    counts = np.histogram(values, edges)[0].astype(np.float64)
    return Histogram(edges, counts)


def _round_width(width: float) -> float:
    if width <= 0.0:
        return 1e-3
    power: float = 10.0 ** math.floor(math.log10(width))
    # the thresholds of StatsBase.jl, which drew the paper's histograms
    factor = next((f for f, most in ((1, 1.1), (2, 2.2), (5, 5.5)) if width <= most * power), 10)
    return factor * power
