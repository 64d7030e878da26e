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


def frequency(P, R, w, classes, rows):
    """Of one class in each row."""
    terms = [(w[i], P[i][c], R[i][c]) for i, c in zip(rows, classes, strict=True)]
    variance = math.fsum(weight**2 * p * (1 - p) for weight, p, _ in terms)
    return math.fsum(weight * r for weight, _, r in terms) / math.sqrt(variance)


def spread(P, R, w, c, rows):
    """Σ r (p − μ), uncorrelated with Σ r for a calibrated model."""
    v = {i: w[i] ** 2 * P[i][c] * (1 - P[i][c]) for i in rows}
    mu = math.fsum(v[i] * P[i][c] for i in rows) / math.fsum(v.values())
    variance = math.fsum(v[i] * (P[i][c] - mu) ** 2 for i in rows)
    return math.fsum(w[i] * R[i][c] * (P[i][c] - mu) for i in rows) / math.sqrt(variance)


def brier(P, y, w, rows):
    total = math.fsum(w[i] * (P[i][y[i]] - sum(p**2 for p in P[i])) for i in rows)
    variance = math.fsum(
        w[i] ** 2 * (sum(p**3 for p in P[i]) - sum(p**2 for p in P[i]) ** 2) for i in rows
    )
    return total / math.sqrt(variance)


def surprise(P, R, w, rows):
    """Return the log-score direction with probabilities of at least 0.001."""
    total = variance = 0.0
    for i in rows:
        f = [math.log(max(p, 1e-3)) for p in P[i]]
        mean = sum(p * x for p, x in zip(P[i], f, strict=True))
        total += w[i] * sum(r * x for r, x in zip(R[i], f, strict=True))
        variance += w[i] ** 2 * sum(p * (x - mean) ** 2 for p, x in zip(P[i], f, strict=True))
    return total / math.sqrt(variance)
