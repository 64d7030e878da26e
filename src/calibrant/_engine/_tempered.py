"""Moments of rows under a softmax of their log-probabilities, with NumPy twins.

No table of logarithms is stored: a row stays in the cache while it is raised to a power.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calibrant import _native
from calibrant._execution import spans
from calibrant._native import FloatArray, IntArray

#: entries whose logarithms the twins keep in memory
_BLOCK = 1 << 15


@dataclass(frozen=True, eq=False)
class TemperedMoments:
    """Moments of rows under q ∝ p^β, with z = log p minus that of the row's largest p.

    Every array has one entry for each row; expectations are under q.
    """

    log_largest: FloatArray  # log of the largest p
    row_sum: FloatArray  # Σ p
    log_total: FloatArray  # log Σ e^{βz}
    mean: FloatArray  # E z
    square: FloatArray  # E z²
    cube: FloatArray  # E z³
    concentration: FloatArray  # Σ q²
    agreement: FloatArray  # E p
    product: FloatArray  # E p z

    @property
    def variance(self) -> FloatArray:
        """Var z, never negative."""
        return np.maximum(self.square - self.mean**2, 0.0)

    @property
    def third(self) -> FloatArray:
        """The third central moment of z."""
        return self.cube - 3.0 * self.mean * self.square + 2.0 * self.mean**3


def tempered_moments(
    p: FloatArray, beta: float, floor: float, *, rows: IntArray | None = None, relative: bool
) -> TemperedMoments:
    """Return the moments of all `rows` of p (n, m) at one β > 0; O(n·m).

    Probabilities are raised to at least `floor`, times the sum of their row if `relative`.
    """
    chosen = np.arange(len(p)) if rows is None else np.ascontiguousarray(rows)
    out = np.empty((len(chosen), 9))
    core = _native.active()
    if core is not None:
        core.tempered_rows(p, chosen, beta, floor, relative, out)
    else:
        for part in spans(len(chosen), max(1, _BLOCK // p.shape[1])):
            out[part] = _tempered_rows(p[chosen[part]], beta, floor, relative)
    return TemperedMoments(*np.ascontiguousarray(out.T))


def label_logs(
    probability: FloatArray, log_largest: FloatArray, row_sum: FloatArray, floor: float
) -> FloatArray:
    """Return z of the labels from their probabilities and the moments of their rows.

    The floor is relative if `row_sum` contains the sums of the rows, and absolute if it is 1.
    """
    return np.asarray(np.log(np.maximum(probability, floor * row_sum)) - log_largest)


@dataclass(frozen=True, eq=False)
class ShiftedMoments:
    """Moments of rows under q = softmax(slope·z + intercepts), and sums over rows by class."""

    log_largest: FloatArray
    row_sum: FloatArray
    log_total: FloatArray  # log Σ exp(slope·z + intercepts)
    mean: FloatArray  # E z
    square: FloatArray  # E z²
    totals: FloatArray  # (m,) Σ w q_c
    crosses: FloatArray  # (m,) Σ w q_c (z_c − E z)
    roots: FloatArray  # (n, m) √w q, or empty

    @property
    def variance(self) -> FloatArray:
        """Var z, never negative."""
        return np.maximum(self.square - self.mean**2, 0.0)


def shifted_moments(
    p: FloatArray,
    weights: FloatArray,
    slope: float,
    intercepts: FloatArray,
    floor: float,
    *,
    roots: bool,
) -> ShiftedMoments:
    """Return the moments of rows p (n, m), floor relative to their sums; O(n·m).

    Classes whose intercept is −∞ are left out; at least one must be finite.
    """
    n, m = p.shape
    out, sums = np.empty((n, 5)), np.zeros((2, m))
    table = np.empty((n, m) if roots else (0, m))
    core = _native.active()
    if core is not None:
        core.shifted_rows(p, weights, floor, slope, intercepts, out, sums[0], sums[1], table)
    else:
        for part in spans(n, max(1, _BLOCK // m)):
            out[part], q, more = _shifted_rows(p[part], weights[part], slope, intercepts, floor)
            sums += more
            if roots:
                table[part] = q
    top, row_sum, total, mean, square = np.ascontiguousarray(out.T)
    return ShiftedMoments(top, row_sum, total, mean, square, sums[0], sums[1], table)


def odds_sums(
    p: FloatArray, labels: IntArray, weights: FloatArray, factors: FloatArray, floor: float
) -> FloatArray:
    """Return sums over rows, by class, for shifted odds against all others, (5, m); O(n·m).

    With the probability q of class c after its odds are multiplied by `factors[c]`, the sums are
    Σw(hit − q), Σw q(1 − q), Σw² q(1 − q), Σw²(hit − q)² and Σw⁴(hit − q)⁴. The floor is relative.
    """
    out = np.zeros((5, p.shape[1]))
    core = _native.active()
    if core is not None:
        core.odds_sums(p, labels, weights, floor, factors, out)
        return out
    for part in spans(len(p), max(1, _BLOCK // p.shape[1])):
        w = weights[part, None]
        q, rest = shifted_odds(p[part], factors, floor)
        d = w * odds_scores(q, rest, labels[part])
        spread = w * q * rest
        out += [x.sum(axis=0) for x in (d, spread, w * spread, d * d, d**4)]
    return out


def shifted_odds(p: FloatArray, factors: FloatArray, floor: float) -> tuple[FloatArray, FloatArray]:
    """Return q and 1 − q of rows (n, m), with odds against all others multiplied by factors."""
    e = np.maximum(p, floor * p.sum(axis=1, keepdims=True))
    each, top = np.arange(len(e)), e.argmax(axis=1)
    most = e[each, top]
    e[each, top] = 0.0
    rest = e.sum(axis=1)  # without the top class, to keep precision
    e[each, top] = most
    others = (rest + most)[:, None] - e
    others[each, top] = rest
    own = e * factors
    total = others + own
    # the odds of a class that always occurs are infinite
    share = np.divide(own, total, out=np.ones_like(own), where=np.isfinite(own))
    return share, others / total


def odds_scores(q: FloatArray, rest: FloatArray, labels: IntArray) -> FloatArray:
    """Return hit − q for every row and class, from q and 1 − q."""
    scores, each = -q, np.arange(len(q))
    scores[each, labels] = rest[each, labels]
    return scores


def _tempered_rows(p: FloatArray, beta: float, floor: float, relative: bool) -> FloatArray:
    sums = p.sum(axis=1)
    logs = np.log(np.maximum(p, (floor * sums)[:, None] if relative else floor))
    top = logs.max(axis=1)
    z = logs - top[:, None]
    e = np.exp(beta * z)
    total = e.sum(axis=1)
    q = e / total[:, None]
    moments = [np.einsum("ic,ic->i", q, x) for x in (z, z * z, z**3, q, p, p * z)]
    return np.stack([top, sums, np.log(total), *moments], axis=1)


def _shifted_rows(
    p: FloatArray, weights: FloatArray, slope: float, intercepts: FloatArray, floor: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    sums = p.sum(axis=1)
    logs = np.log(np.maximum(p, (floor * sums)[:, None]))
    top = logs.max(axis=1)
    z = logs - top[:, None]
    e = slope * z + intercepts
    peak = e.max(axis=1)
    e = np.exp(e - peak[:, None])
    total = e.sum(axis=1)
    q = e / total[:, None]
    mean, square = (np.einsum("ic,ic->i", q, x) for x in (z, z * z))
    weighted = weights[:, None] * q
    by_class = np.stack([weighted.sum(axis=0), np.sum(weighted * (z - mean[:, None]), axis=0)])
    rows = np.stack([top, sums, peak + np.log(total), mean, square], axis=1)
    return rows, np.sqrt(weights)[:, None] * q, by_class
