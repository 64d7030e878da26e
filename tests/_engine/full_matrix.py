"""The engine's sums with the whole matrix of pairs in memory, distances by SciPy."""

import numpy as np
from scipy.spatial.distance import cdist

PROFILES = {
    "laplacian": lambda t: np.exp(-t),
    "gaussian": lambda t: np.exp(-(t**2)),
}


def cauchy(t):
    """A profile the native core does not know."""
    return 1.0 / (1.0 + t * t)


def kernel(xi, xj, metric, profile, rate):
    function = PROFILES.get(profile, profile)
    return function(rate * cdist(xi, xj, metric))


def pairs(form):
    """h_ij of all pairs of a radial form."""
    values = kernel(form.x, form.x, form.metric, form.profile, form.rate)
    return form.scale * values * (form.v @ form.v.T)


def rows(seed, n, m, d):
    """Points (n, m) and vectors (n, d), read-only."""
    rng = np.random.default_rng(seed)
    x, v = rng.dirichlet(np.ones(m), n), rng.normal(size=(n, d))
    x.flags.writeable = v.flags.writeable = False
    return x, v
