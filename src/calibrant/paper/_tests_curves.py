"""Error curves from p-values: how often a test is wrong at each significance level."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant.paper._grid import BETAS, MODELS, Key
from calibrant.paper._simulation import Batch
from calibrant.paper._tests import TEST_MIXTURES, TESTS

#: the levels of the published curves
LEVELS = np.arange(101) / 100.0
#: the level of `model_lines`
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Curve:
    """The numbers of p-values, out of `n_datasets`, that are at most 0, 0.01, …, 1."""

    key: Key
    below: IntArray
    n_datasets: int

    @property
    def errors(self) -> FloatArray:
        """The share of wrong answers at every level.

        A calibrated model (π = 0) is wrongly rejected if p ≤ level; any other model is missed if
        p > level.
        """
        rejected = self.below / self.n_datasets
        return rejected if self.key.pi == 0.0 else 1.0 - rejected

    @property
    def standard_errors(self) -> FloatArray:
        """The Monte Carlo errors of the shares."""
        errors = self.errors
        return np.sqrt(errors * (1.0 - errors) / self.n_datasets)

    def deviations(self, published: FloatArray, n_published: int) -> FloatArray:
        """Return errors − published in standard errors of the difference of two such runs.

        It is the signed root of the likelihood ratio of two rates against one: (p − q)/σ̂ if both
        outcomes are common, and not much too large if one run saw a rare outcome.
        """
        ours, theirs = self.errors, np.asarray(published)
        n, k = self.n_datasets, n_published
        both = (n * ours + k * theirs) / (n + k)
        ratio = n * _divergence(ours, both) + k * _divergence(theirs, both)
        return np.sign(ours - theirs) * np.sqrt(2.0 * np.maximum(ratio, 0.0))


Curves = dict[Key, Curve]


def error_curves(pvalues: Mapping[Batch, FloatArray]) -> Curves:
    """Return all curves, in the order of tests and settings; π = 0 occurs for both β."""
    below: dict[tuple[float, int], IntArray] = {}
    count: dict[tuple[float, int], int] = {}
    for batch, found in pvalues.items():
        setting = (batch.alpha, batch.n_classes)
        below[setting] = below.get(setting, 0) + _count_below(found)
        count[setting] = count.get(setting, 0) + len(found)
    curves: Curves = {}
    for t, test in enumerate(TESTS):
        for (alpha, m), counts in sorted(below.items()):
            for k, mixture in enumerate(TEST_MIXTURES):
                for beta in BETAS if mixture.pi == 0.0 else (mixture.beta,):
                    key = Key(test, alpha, beta, m, mixture.pi)
                    curves[key] = Curve(key, counts[k, t], count[alpha, m])
    return curves


def model_lines(curves: Curves) -> list[str]:
    """Return the errors at 5 % for the models M1 (calibrated), M2 and M3, one line per test."""
    head = f"  {f'wrong answers at level {LEVEL:g}':<34}" + "".join(f"{m:>8}" for m in MODELS)
    at = LEVELS.tolist().index(LEVEL)
    lines = [head]
    for test in TESTS:
        keys = [Key(test, 0.1, beta, 10, pi) for beta, pi in MODELS.values()]
        if all(key in curves for key in keys):
            cells = [f"{curves[key].errors[at]:>8.4f}" for key in keys]
            lines.append(f"  {test:<34}" + "".join(cells))
    return lines if len(lines) > 1 else []


def _divergence(p: FloatArray, q: FloatArray) -> FloatArray:
    from scipy.special import rel_entr

    return np.asarray(rel_entr(p, q) + rel_entr(1.0 - p, 1.0 - q))


def _count_below(pvalues: FloatArray) -> IntArray:
    counts = [np.count_nonzero(pvalues <= level, axis=0) for level in LEVELS]
    return np.stack(counts, axis=-1)
