"""Checks that a binning obeys the rules."""

from __future__ import annotations

import numpy as np

from calibrant._native import FloatArray, IntArray
from calibrant._predictions import Predictions
from calibrant.binning import Binning
from calibrant.testing._data import Data, extreme, ordinary
from calibrant.testing._value import check_value


def check_binning(
    binning: Binning, *, n_classes: int = 2, rng: int | np.random.Generator | None = 0
) -> None:
    """Raise an error unless a binning obeys the rules, on random and on extreme data.

    A binning must be a value (immutable, and equal to its copies, to unpickled ones and to the
    object that its ``repr`` creates); number the bins 0..k−1 without gaps; bin rows in the same way
    at every call, in any order of the rows, and in `assign_many`; put equal predictions into one
    bin; not modify its arguments; and have edges, if any, that contain the rows of their bin.
    Passing is evidence, not proof. Cost: about 20 calls on 60 rows.

    Parameters
    ----------
    binning : Binning
        The binning to check.
    n_classes : int, default 2
        Number of classes of the test data.
    rng : int, Generator or None
        Source of randomness of the test data.

    Raises
    ------
    ValueError
        If a rule is broken, with an example.

    Examples
    --------
    >>> import numpy as np
    >>> from calibrant.binning import Binning, Uniform
    >>> from calibrant.testing import check_binning
    >>> check_binning(Uniform(10))
    >>> class Halves(Binning):
    ...     def assign(self, y_prob):
    ...         return 2 * (y_prob[:, -1] > 0.5)
    >>> check_binning(Halves())
    Traceback (most recent call last):
    ...
    ValueError: bins must be numbered 0, 1, ... without gaps; got the numbers [0, 2] for ...
    """
    if not isinstance(binning, Binning):
        raise TypeError(f"`binning` must be a Binning; got {binning!r}.")
    check_value("a binning", binning)
    generator = np.random.default_rng(rng)
    sets = [ordinary(generator, n_classes), *extreme(generator, n_classes)]
    ids = [_check_one(binning, data, generator) for data in sets]
    together = binning.assign_many(np.stack([data.y_prob for data in sets]))
    for data, alone, among in zip(sets, ids, together, strict=True):
        if not np.array_equal(alone, among):
            raise ValueError(f"`assign_many` and `assign` must agree; they differ for {data.name}.")


def _check_one(binning: Binning, data: Data, rng: np.random.Generator) -> IntArray:
    y_prob = data.y_prob.copy()
    bins = binning.bins(Predictions(data.y_true, y_prob))  # refuses anything but bin numbers
    if not np.array_equal(y_prob, data.y_prob):
        raise ValueError("a binning must not modify its arguments; it has changed an array.")
    numbers = np.unique(bins.ids)
    if not np.array_equal(numbers, np.arange(len(numbers))):
        raise ValueError(
            "bins must be numbered 0, 1, ... without gaps; got the numbers "
            f"{numbers.tolist()} for {data.name}."
        )
    if not np.array_equal(binning.assign(y_prob), bins.ids):
        raise ValueError(f"`assign` must be deterministic; it gave two answers for {data.name}.")
    order = rng.permutation(len(y_prob))
    _check_same_partition(bins.ids[order], binning.assign(y_prob[order]), y_prob[order])
    _check_equal_rows(bins.ids, y_prob)
    if bins.lower is not None and bins.upper is not None:
        _check_edges(bins.ids, bins.lower, bins.upper, y_prob[:, -1])
    return bins.ids


def _check_same_partition(ids: IntArray, shuffled: IntArray, y_prob: FloatArray) -> None:
    together, now = ids[:, None] == ids, shuffled[:, None] == shuffled
    if not np.array_equal(together, now):
        i, j = np.argwhere(together != now)[0]
        raise ValueError(
            "which rows are together must not depend on their order; it does for "
            f"{y_prob[i].tolist()} and {y_prob[j].tolist()}."
        )


def _check_equal_rows(ids: IntArray, y_prob: FloatArray) -> None:
    _, group = np.unique(y_prob, axis=0, return_inverse=True)
    first = np.full(group.max() + 1, -1)
    for row, number in enumerate(group.ravel()):
        if first[number] < 0:
            first[number] = row
        elif ids[first[number]] != ids[row]:
            raise ValueError(
                "equal predictions must be in one bin; rows "
                f"{first[number]} and {row}, both {y_prob[row].tolist()}, are in bins "
                f"{ids[first[number]]} and {ids[row]}."
            )


def _check_edges(ids: IntArray, lower: FloatArray, upper: FloatArray, last: FloatArray) -> None:
    inside = ((lower[ids] < last) | (last == 0.0)) & (last <= upper[ids])
    # rounding may put a row on the wrong side of an edge that it equals
    inside |= np.isclose(last, lower[ids], rtol=1e-12) | np.isclose(last, upper[ids], rtol=1e-12)
    if not inside.all():
        row = int(np.argmin(inside))
        raise ValueError(
            f"a row must lie between the edges of its bin; {last[row]!r} is in bin {ids[row]}, "
            f"({lower[ids[row]]!r}, {upper[ids[row]]!r}]."
        )
