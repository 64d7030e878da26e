"""The effects as plain loops, and data sets on which something degenerates."""

import numpy as np

from calibrant import SKCE, Predictions


def sample(seed, n, m, alpha=0.5):
    rng = np.random.default_rng(seed)
    return rng.integers(m, size=n), rng.dirichlet(np.full(m, alpha), n)


def without(predictions, i):
    return predictions.take(np.arange(predictions.n_samples) != i)


def jackknife_error(values):
    values = np.asarray(values)
    n = len(values)
    return np.sqrt((n - 1) / n * np.sum((values - values.mean()) ** 2))


def skce_without_each_row(predictions, skce):
    """Explicit leave-one-out; the bandwidth is that of all rows."""
    fixed = SKCE(skce.kernel.resolve(predictions.y_prob), skce.unbiased)
    return [fixed(without(predictions, i)) for i in range(predictions.n_samples)]


def log_likelihood(predictions, tau, floor):
    value = 0.0
    for p, y, w in zip(predictions.y_prob, predictions.y_true, predictions.weights, strict=True):
        logits = np.log(np.maximum(p / p.sum(), floor)) / tau
        value += w * (logits[y] - np.log(np.sum(np.exp(logits))))
    return value


def debiased_square(probability, hit, w, ids):
    """Σ_b π_b[(p̄−ȳ)² − ȳ(1−ȳ)κ/(1−κ)] over the bins that have at least two rows."""
    total = weight = 0.0
    for b in set(ids.tolist()):
        rows = ids == b
        if rows.sum() < 2:
            continue
        share = w[rows] / w[rows].sum()
        p, y, kappa = share @ probability[rows], share @ hit[rows], share @ share
        total += w[rows].sum() * ((p - y) ** 2 - y * (1 - y) * kappa / (1 - kappa))
        weight += w[rows].sum()
    return total / weight


#: name -> predictions that leave something undefined
DEGENERATE = {
    "one row": Predictions([0], [[0.5, 0.25, 0.25]]),
    "two rows": Predictions([0, 1], [[0.5, 0.5], [0.25, 0.75]]),
    "certain and right": Predictions([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0]),
    "certain and wrong": Predictions([1, 0, 0, 1], [0.0, 1.0, 1.0, 0.0]),
    "certain, one miss": Predictions([0, 1, 1, 1], [0.0, 1.0, 1.0, 0.0]),
    "uniform": Predictions([0, 1, 2, 0, 1], np.full((5, 3), 1 / 3)),
    "one class observed": Predictions([1] * 6, sample(0, 6, 3)[1]),
    "the same row": Predictions([0, 0, 0], [[0.5, 0.25, 0.25]] * 3),
    "weight on one row": Predictions([0, 1, 0], [0.2, 0.6, 0.7], sample_weight=[0.0, 2.0, 0.0]),
    "nearly all weight on one row": Predictions(
        [0, 1, 0, 1], [0.2, 0.6, 0.7, 0.8], sample_weight=[1e-12, 1.0, 1e-12, 1e-12]
    ),
    "nearly all weight on one of three": Predictions(
        [0, 1, 0], [0.2, 0.6, 0.7], sample_weight=[1e-12, 1.0, 1e-12]
    ),
    "weight on two rows": Predictions([0, 1, 0], [0.2, 0.6, 0.7], sample_weight=[1.0, 2.0, 0.0]),
    "lost weights": Predictions([0, 1, 0], [0.2, 0.6, 0.7], sample_weight=[1e-30, 2.0, 1e-30]),
}
