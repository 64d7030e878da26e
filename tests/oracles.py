"""The definitions as plain loops over rows and classes: the paper's sums and the binned errors.

Nothing here knows calibrant. A kernel is a function of two distributions that returns its m×m
matrix; labels are class indices; weights are a list of numbers.
"""

import math
from fractions import Fraction
from statistics import variance


def tv(p, q):
    return 0.5 * math.fsum(abs(a - b) for a, b in zip(p, q, strict=True))


def euclidean(p, q):
    return math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(p, q, strict=True)))


def hellinger(p, q):
    return math.sqrt(
        0.5 * math.fsum((math.sqrt(a) - math.sqrt(b)) ** 2 for a, b in zip(p, q, strict=True))
    )


def laplacian(h, distance=tv):
    return lambda p, q: math.exp(-distance(p, q) / h)


def gaussian(h, distance=euclidean):
    return lambda p, q: math.exp(-(distance(p, q) ** 2) / (2 * h**2))


def rational_quadratic(h, alpha=1.0, distance=euclidean):
    return lambda p, q: (1 + distance(p, q) ** 2 / (2 * alpha * h**2)) ** -alpha


def lift(k, A):
    """The matrix-valued kernel k(p, q)·A of a scalar kernel."""
    return lambda p, q: [[k(p, q) * entry for entry in row] for row in A]


def times_identity(k):
    return lambda p, q: lift(k, [[float(a == b) for b in range(len(p))] for a in range(len(p))])(
        p, q
    )


def classwise(profile):
    """diag_c profile(|p_c − q_c|)."""
    return lambda p, q: [
        [profile(abs(p[a] - q[b])) if a == b else 0.0 for b in range(len(q))] for a in range(len(p))
    ]


def plus(*kernels):
    return lambda p, q: [
        [math.fsum(entries) for entries in zip(*rows, strict=True)]
        for rows in zip(*(k(p, q) for k in kernels), strict=True)
    ]


def residual(p, y):
    """e_y − p."""
    return [(c == y) - p[c] for c in range(len(p))]


def h(kernel, P, y, i, j):
    """h_ij = r_iᵀ k(p_i, p_j) r_j."""
    block, left, right = kernel(P[i], P[j]), residual(P[i], y[i]), residual(P[j], y[j])
    m = len(left)
    return math.fsum(left[a] * block[a][b] * right[b] for a in range(m) for b in range(m))


def skce_unbiased(kernel, P, y, w=None):
    """Σ_{i≠j} w_i w_j h_ij / Σ_{i≠j} w_i w_j, n(n−1) below without weights."""
    w = w if w is not None else [1.0] * len(y)
    pairs = [(i, j) for i in range(len(y)) for j in range(len(y)) if i != j]
    return math.fsum(w[i] * w[j] * h(kernel, P, y, i, j) for i, j in pairs) / math.fsum(
        w[i] * w[j] for i, j in pairs
    )


def skce_biased(kernel, P, y, w=None):
    """Σ_ij w_i w_j h_ij / (Σ_i w_i)²."""
    w, rows = w if w is not None else [1.0] * len(y), range(len(y))
    return (
        math.fsum(w[i] * w[j] * h(kernel, P, y, i, j) for i in rows for j in rows)
        / math.fsum(w) ** 2
    )


def skce_blocks(kernel, P, y, size):
    """The unbiased estimate of every full block of consecutive samples."""
    return [
        skce_unbiased(kernel, P[start : start + size], y[start : start + size])
        for start in range(0, len(y) - size + 1, size)
    ]


def skce_block(kernel, P, y, size, w=None):
    """The mean over pairs in the same full block: that of `skce_blocks` without weights."""
    w, n = w if w is not None else [1.0] * len(y), len(y) // size * size
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and i // size == j // size]
    return math.fsum(w[i] * w[j] * h(kernel, P, y, i, j) for i, j in pairs) / math.fsum(
        w[i] * w[j] for i, j in pairs
    )


def skce_linear(kernel, P, y):
    """The mean of h over the pairs (1, 2), (3, 4), …; an odd last sample is left out."""
    pairs = len(y) // 2
    return math.fsum(h(kernel, P, y, 2 * i, 2 * i + 1) for i in range(pairs)) / pairs


def witness(kernel, P, y, t, w=None):
    """μ̂(t) = Σ_i w_i k(t, p_i) r_i / Σ_i w_i."""
    w = w if w is not None else [1.0] * len(y)
    terms = []
    for i in range(len(y)):
        block, r = kernel(t, P[i]), residual(P[i], y[i])
        terms.append([w[i] * math.fsum(map(math.prod, zip(row, r, strict=True))) for row in block])
    return [math.fsum(column) / math.fsum(w) for column in zip(*terms, strict=True)]


def kce(kernel, P, y, w=None):
    """The root of the weighted mean of ⟨r_i, μ̂(p_i)⟩."""
    w = w if w is not None else [1.0] * len(y)
    terms = [
        w[i] * a * b
        for i in range(len(y))
        for a, b in zip(residual(P[i], y[i]), witness(kernel, P, y, P[i], w), strict=True)
    ]
    return math.sqrt(math.fsum(terms) / math.fsum(w))


def mmce(k, P, y, w=None):
    """Kumar, Sarawagi, Jain (2018), of two classes for the last: k is a function of two numbers."""
    w, rows = w if w is not None else [1.0] * len(y), range(len(y))
    c = [1 if len(p) == 2 else list(p).index(max(p)) for p in P]
    s = [p[c[i]] for i, p in enumerate(P)]
    r = [(c[i] == y[i]) - s[i] for i in rows]
    total = math.fsum(w[i] * w[j] * r[i] * r[j] * k(s[i], s[j]) for i in rows for j in rows)
    return math.sqrt(total) / math.fsum(w)


def ucme(kernel, locations, P, y, w=None):
    """The mean over locations (t, c) of the squared component c of the witness at t."""
    values = [witness(kernel, P, y, t, w)[c] for t, c in locations]
    return math.fsum(z * z for z in values) / len(values)


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
