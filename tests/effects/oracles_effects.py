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


def square_null_variance(probability, w, ids):
    """Σ_b (W_b/W)² 2v_b²/(1−κ_b), v_b = Σw²p(1−p)/W_b²."""
    total = 0.0
    for b in set(ids.tolist()):
        weight, p = w[ids == b], probability[ids == b]
        v = np.sum(weight**2 * p * (1 - p)) / weight.sum() ** 2
        kappa = np.sum(weight**2) / weight.sum() ** 2
        total += weight.sum() ** 2 * 2 * v**2 / (1 - kappa)
    return total / w.sum() ** 2


def skce_null_variance(predictions, kernel):
    """2 Σ_{i≠j} w_i²w_j² k_ij² tr(Σ_iΣ_j) / (Σ_{i≠j} w_i w_j)²."""
    p, w = predictions.y_prob, predictions.weights
    k, total, pairs = kernel(p, p), 0.0, 0.0
    for i in range(len(p)):
        for j in range(len(p)):
            if i != j:
                a, b = (np.diag(p[r]) - np.outer(p[r], p[r]) for r in (i, j))
                total += 2 * (w[i] * w[j] * k[i, j]) ** 2 * np.trace(a @ b)
                pairs += w[i] * w[j]
    return total / pairs**2


def score_ends(u, error, v0, z=1.959963984540054):
    """The ends of all s ≥ 0 with (u − s)² ≤ z²(v0 + a s), u at least 0, by bisection."""
    u = max(u, 0.0)
    a = max(error**2 - v0, 0) / u if u > np.sqrt(v0) else error**2 / np.sqrt(v0)

    def outside(s):
        return (u - s) ** 2 > z**2 * (v0 + a * s)

    ends = []
    for far in (0.0, u + 10 * z**2 * (a + 1) + 10 * z * np.sqrt(v0)):
        near, end = u, far
        if not outside(end):
            ends.append(end)
            continue
        for _ in range(100):
            middle = 0.5 * (near + end)
            near, end = (near, middle) if outside(middle) else (middle, end)
        ends.append(near)
    return ends


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
