"""Conversion of a user's `rng` to a generator."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np

from calibrant._native import IntArray

RandomSource = (
    int
    | np.integer
    | Sequence[int]
    | IntArray
    | np.random.SeedSequence
    | np.random.BitGenerator
    | np.random.Generator
    | None
)


def as_generator(rng: RandomSource = None) -> np.random.Generator:
    """Turn `rng` into a `numpy.random.Generator` (Scientific Python SPEC 7).

    A generator is returned unchanged, so consecutive calls continue its stream; an integer always
    starts the same stream; ``None`` gets a seed from the operating system.

    Parameters
    ----------
    rng : None, int, sequence of int, SeedSequence, BitGenerator or Generator
        The source of randomness; integers must not be negative.

    Returns
    -------
    numpy.random.Generator

    Examples
    --------
    >>> from calibrant._engine._random import as_generator
    >>> int(as_generator(7).integers(10**6)) == int(as_generator(7).integers(10**6))
    True

    The same integer starts the same stream.
    """
    if isinstance(rng, np.random.RandomState):
        raise ValueError(_message("a legacy RandomState"))
    if isinstance(rng, bool | np.bool_):
        raise ValueError(_message(f"the boolean {rng}"))
    if isinstance(rng, numbers.Integral) and rng < 0:
        raise ValueError(_message(f"the negative integer {rng}"))
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError):
        raise ValueError(_message(repr(rng))) from None


def _message(got: str) -> str:
    return (
        "`rng` must be None, a non-negative integer (or several), or a numpy.random.Generator, "
        f"BitGenerator or SeedSequence; got {got}. Pass an integer such as `rng=0`, or "
        "`rng=numpy.random.default_rng(0)`."
    )
