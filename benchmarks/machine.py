"""Comparison with the machine's peak rates of exponentials and multiply-adds.

A pair costs one exp, m absolute differences and m products. The limit counts an absolute
difference as one multiply-add, although it takes three instructions, so no program can reach it:
a ratio below 1 means that a peak was measured badly.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.data import BANDWIDTH, dirichlet
from benchmarks.table import Row, seconds, times
from benchmarks.timing import Call, side_by_side
from calibrant import SKCE, _native
from calibrant.kernels import Laplacian

if TYPE_CHECKING:
    from collections.abc import Iterator

#: entries in a block of exponentials: from the L1 to the L2 cache
EXP_BLOCKS = (1024, 4096, 16384)
#: small enough for a single BLAS thread, large enough to reach its peak
MATRIX = 64


@dataclass(frozen=True)
class Limit:
    """Seconds of one exp and of one multiply-add, each on one thread."""

    exp: float
    multiply_add: float

    def seconds(self, n_samples: int, n_classes: int, threads: int) -> float:
        """Return the minimum time of all pairs i < j."""
        pairs = n_samples * (n_samples - 1) / 2
        return pairs * (self.exp + 2 * n_classes * self.multiply_add) / threads


def rows(quick: bool) -> Iterator[Row]:
    """Yield the unbiased SKCE on one and two threads, with peaks measured in between."""
    for n, m in ((10_000, 10),) if quick else ((10_000, 10), (10_000, 3), (2_000, 1_000)):
        yield from _against_limit(n, m, repeats=10 if quick else 20)


def _against_limit(n: int, m: int, repeats: int) -> Iterator[Row]:
    y_true, y_prob = dirichlet(n, m)
    estimator = SKCE(Laplacian(BANDWIDTH))
    calls: dict[str, Call] = _peaks()
    for threads in (1, 2):
        calls[f"ours {threads}"] = partial(estimator, y_true, y_prob, n_jobs=threads)
    time = side_by_side(calls, repeats=repeats)
    limit = Limit(
        exp=min(time[f"exp {size}"] / size for size in EXP_BLOCKS),
        multiply_add=time["multiply-adds"] / MATRIX**3,
    )
    for threads in (1, 2):
        ours, least = time[f"ours {threads}"], limit.seconds(n, m, threads)
        required = (n, m) == (10_000, 10)
        yield Row(
            f"unbiased SKCE, n={n}, m={m}, {threads} thread{'s'[: threads - 1]} : machine's limit",
            seconds(ours),
            seconds(least),
            times(ours / least),
            "1x to 3x" if required else "-",
            1 <= ours / least <= 3 if required else None,
        )
    if (n, m) == (10_000, 10):
        yield Row(
            "  the limit: one exp, one multiply-add (one thread)",
            "",
            f"{limit.exp * 1e9:.3f} + 2m * {limit.multiply_add * 1e9:.4f} ns",
            "",
        )


def _peaks() -> dict[str, Call]:
    rng = np.random.default_rng(0)
    a, b = rng.random((2, MATRIX, MATRIX))
    product = np.empty((MATRIX, MATRIX))
    calls: dict[str, Call] = {"multiply-adds": partial(np.matmul, a, b, product)}
    core = _native.active()
    for size in EXP_BLOCKS:
        x, out = -5.0 * rng.random(size), np.empty(size)
        calls[f"exp {size}"] = partial(np.exp if core is None else core.exp, x, out)
    return calls
