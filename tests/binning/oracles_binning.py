"""The definitions of bins and binned errors as plain loops over rows and classes."""

import math
from fractions import Fraction
from statistics import variance


def uniform_bins(P, n):
    """Sets of rows in the same cell max(1, ceil(n p)) for every class; two classes: the last."""
    cells = {}
    for i, row in enumerate(P):
        row = [float(p) for p in row]
        if len(row) == 2:
            row = row[1:]
        cells.setdefault(tuple(max(1, math.ceil(n * p)) for p in row), []).append(i)
    return {frozenset(rows) for rows in cells.values()}


def quantile_bins(x, n):
    """Cells between order statistics: cell b holds x in (x_(⌈N(b-1)/n⌉), x_(⌈N b/n⌉)]."""
    ordered, N = sorted(x), len(x)
    uppers = [ordered[-(-N * b // n) - 1] for b in range(1, n + 1)]
    cells = {}
    for i, value in enumerate(x):
        b = next(b for b, upper in enumerate(uppers) if value <= upper)
        cells.setdefault(b, []).append(i)
    return {frozenset(rows) for rows in cells.values()}


def median_variance_bins(P, min_size, max_bins=None):
    """Split at the upper median of the component with the largest exact sample variance."""
    P = [[Fraction(float(p)) for p in row] for row in P]

    def variances(rows):
        return [variance([P[i][c] for i in rows]) for c in range(len(P[0]))]

    bins, final = [list(range(len(P)))], []
    while bins and (max_bins is None or len(bins) + len(final) < max_bins):
        large = [b for b in bins if len(b) >= 2 * min_size]
        if not large:
            break
        rows = max(large, key=lambda b: max(variances(b)))
        bins.remove(rows)
        spread = variances(rows)
        c = spread.index(max(spread))
        median = sorted(P[i][c] for i in rows)[len(rows) // 2]
        below = [i for i in rows if P[i][c] < median]
        above = [i for i in rows if P[i][c] >= median]
        if min(len(below), len(above)) < min_size:
            final.append(rows)
        else:
            bins += [below, above]
    return {frozenset(rows) for rows in bins + final}


def bin_table(P, y, w, bins):
    """For each set of rows: weight, mean prediction, label frequencies."""
    m = len(P[0])
    for rows in bins:
        weight = sum(w[i] for i in rows)
        mean = [sum(w[i] * P[i][c] for i in rows) / weight for c in range(m)]
        frequency = [sum(w[i] * (y[i] == c) for i in rows) / weight for c in range(m)]
        yield weight, mean, frequency


def ece(P, y, w, bins, distance="tv", norm=1):
    total = 0.0
    for weight, mean, frequency in bin_table(P, y, w, bins):
        gaps = [abs(a - b) for a, b in zip(mean, frequency, strict=True)]
        d = {
            "tv": sum(gaps) / 2,
            "cityblock": sum(gaps),
            "sqeuclidean": sum(g * g for g in gaps),
            "euclidean": math.sqrt(sum(g * g for g in gaps)),
        }[distance]
        total += weight / sum(w) * d**norm
    return total ** (1 / norm)


def mce(P, y, w, bins):
    return max(
        abs(a - b)
        for _, mean, frequency in bin_table(P, y, w, bins)
        for a, b in zip(mean, frequency, strict=True)
    )


def as_sets(ids):
    """The partition that bin numbers describe."""
    cells = {}
    for i, b in enumerate(ids):
        cells.setdefault(int(b), []).append(i)
    return {frozenset(rows) for rows in cells.values()}
