"""The maps and their objectives as plain loops over rows and classes."""

import math


def softmax(z):
    top = max(z)
    exponentials = [math.exp(v - top) for v in z]
    total = math.fsum(exponentials)
    return [e / total for e in exponentials]


def log_linear(p, W, b, floor=1e-12):
    logs = [math.log(max(v, floor)) for v in p]
    return softmax(
        [
            math.fsum(w * v for w, v in zip(row, logs, strict=True)) + c
            for row, c in zip(W, b, strict=True)
        ]
    )


def diagonal(a):
    return [[v if c == d else 0.0 for d in range(len(a))] for c, v in enumerate(a)]


def mean_log_loss(P, y, W, b, weights=None, floor=1e-12):
    weights = [1.0] * len(y) if weights is None else weights
    losses = (
        -w * math.log(log_linear(p, W, b, floor)[label])
        for p, label, w in zip(P, y, weights, strict=True)
    )
    return math.fsum(losses) / math.fsum(weights)


def vector_objective(P, y, a, b, penalty, weights=None):
    mean = math.fsum(a) / len(a)
    ridge = math.fsum((v - mean) ** 2 for v in a) + math.fsum(v**2 for v in b)
    return mean_log_loss(P, y, diagonal(a), b, weights) + penalty * ridge
