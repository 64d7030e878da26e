"""The statistics of classes and groups as plain loops over pairs of rows."""

import math


def pairs(K, R, w, rows, classes):
    return math.fsum(
        w[i] * w[j] * K[i][j] * R[i][c] * R[j][c]
        for i in rows
        for j in rows
        if i != j
        for c in classes
    )


def frequency(P, R, w, c):
    n = range(len(P))
    variance = math.fsum(w[i] ** 2 * P[i][c] * (1 - P[i][c]) for i in n)
    return math.fsum(w[i] * R[i][c] for i in n) / math.sqrt(variance)


def confidence(P, R, w, c):
    """The Brier direction of the two-class view (c, not c)."""
    n = range(len(P))
    views = [(P[i][c], 1 - P[i][c]) for i in n]
    total = math.fsum(w[i] * R[i][c] * (views[i][0] - views[i][1]) for i in n)
    variance = math.fsum(
        w[i] ** 2 * (sum(p**3 for p in views[i]) - sum(p**2 for p in views[i]) ** 2) for i in n
    )
    return total / math.sqrt(variance)


def brier(P, y, w, rows):
    total = math.fsum(w[i] * (P[i][y[i]] - sum(p**2 for p in P[i])) for i in rows)
    variance = math.fsum(
        w[i] ** 2 * (sum(p**3 for p in P[i]) - sum(p**2 for p in P[i]) ** 2) for i in rows
    )
    return total / math.sqrt(variance)
