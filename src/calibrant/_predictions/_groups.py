"""The computation of lenses: induced classes of every row, with summed probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from calibrant import _native
from calibrant._execution import limits, spans
from calibrant._native import FloatArray, IntArray
from calibrant._predictions._messages import count, first_of, listed
from calibrant.errors import DataError, Problem

Names = tuple[Hashable, ...]


def induced_rows(
    y_prob: FloatArray,
    y_true: IntArray,
    groups: Callable[[slice], IntArray],
    n_groups: int,
) -> tuple[IntArray, FloatArray]:
    """Return the induced label and probabilities of every row, from blocks of groups.

    Probabilities are summed in the order of the classes; a group of one class keeps its bits.
    Cost O(n·m), memory O(n·n_groups).
    """
    labels = np.empty(len(y_true), dtype=np.int64)
    table = np.empty((len(y_prob), n_groups))
    for rows in row_blocks(*y_prob.shape):
        found = groups(rows)
        n_rows = len(found)
        labels[rows] = found[np.arange(n_rows), y_true[rows]]
        cells = found + n_groups * np.arange(n_rows)[:, None]
        sums = np.bincount(cells.ravel(), y_prob[rows].ravel(), minlength=n_rows * n_groups)
        table[rows] = sums.reshape(n_rows, n_groups)
    return labels, table


def against_rest(
    y_prob: FloatArray, y_true: IntArray, c: int | IntArray
) -> tuple[IntArray, FloatArray]:
    """Return the labels and probabilities of [rest, c], with the bits of `induced_rows` but faster.

    `c` is one class, or one class for every row.
    """
    table, chosen = np.empty((len(y_prob), 2)), np.broadcast_to(c, len(y_prob))
    core = _native.active()
    if core is not None and y_prob.flags.c_contiguous:
        chosen, others = np.ascontiguousarray(chosen, np.int64), np.empty(len(y_prob))
        core.sums_of_others(y_prob, chosen, others)
        table[:, 0], table[:, 1] = others, y_prob[np.arange(len(y_prob)), chosen]
        return (y_true == c).astype(np.int64), table
    for rows in row_blocks(*y_prob.shape):
        others, here = y_prob[rows].copy(), chosen[rows]
        each = np.arange(len(others))
        table[rows, 1] = others[each, here]
        others[each, here] = 0.0
        # sum one after the other: differences of sums would lose the small rest of nearly certain
        # rows
        table[rows, 0] = np.cumsum(others, axis=1, out=others)[:, -1]
    return (y_true == c).astype(np.int64), table


def top_classes(y_prob: FloatArray) -> IntArray:
    """Return the most probable class of every row, the first if tied; O(n·m)."""
    top = np.empty(len(y_prob), dtype=np.int64)
    for rows in row_blocks(*y_prob.shape):
        # in blocks, because NumPy copies read-only arrays here
        top[rows] = y_prob[rows].argmax(axis=1)
    return top


def row_blocks(n_samples: int, n_classes: int = 1) -> list[slice]:
    """Split the rows into blocks that are small compared with the predictions or a cache."""
    most = limits()
    return spans(n_samples, max(1, min(most.lens_rows, most.lens_size // n_classes)))


def check_groups(groups: Any, shape: tuple[int, ...], n_groups: int | None) -> IntArray:
    """Check the result of a user's lens."""
    groups = np.asarray(groups)
    if groups.shape != shape:
        raise DataError(
            Problem.LENS,
            f"a lens must return one induced class per class and row, shape {shape}",
            got=f"shape {groups.shape}",
            remedy="where all rows are alike, use `np.broadcast_to(groups, probs.shape)`",
        )
    if groups.dtype.kind not in "iub":
        raise DataError(
            Problem.LENS,
            "a lens must return integers",
            got=f"dtype {groups.dtype}",
            remedy="convert with `.astype(np.int64)`",
        )
    checked: IntArray = groups.astype(np.int64)
    limit = np.iinfo(np.int64).max if n_groups is None else n_groups
    wrong = (checked < 0) | (checked >= limit)
    if wrong.any():
        rule = "non-negative" if n_groups is None else f"in [0, {n_groups}), the number of names"
        raise DataError(
            Problem.LENS,
            f"must return induced classes {rule}",
            argument="a lens",
            got=f"{count(wrong, 'value')} outside",
            **first_of(wrong, checked),
        )
    if n_groups is None and checked.max() == 0:
        raise DataError(
            Problem.LENS, "a lens must keep at least 2 classes apart", got="only class 0"
        )
    return checked


def top_ranks(y_prob: FloatArray, k: int) -> IntArray:
    """Return rank 1..k for the k most probable classes of every row and 0 for the others.

    Ties are ranked in the order of the classes.
    """
    ranks = np.zeros(y_prob.shape, dtype=np.int64)
    if k == 1:
        order = y_prob.argmax(axis=1)[:, None]
    else:
        order = np.argsort(-y_prob, axis=1, kind="stable")[:, :k]
    np.put_along_axis(ranks, order, np.arange(1, k + 1)[None, :], axis=1)
    return ranks


def merged(classes: Names, groups: Mapping[Any, Sequence[Any]]) -> tuple[list[int], Names]:
    """Return the induced class of every class, and the names of the induced classes."""
    name_of = _new_names(classes, groups)
    for kept in classes:
        if kept not in name_of and kept in groups:
            raise _refuse_merging(
                "needs new names",
                got=f"{kept!r}, the name of a class that stays",
                remedy="choose another name, or add that class to its list",
            )
    names = tuple(dict.fromkeys(name_of.get(c, c) for c in classes))
    if len(names) < 2:
        raise _refuse_merging(
            "must keep at least 2 classes apart", got=f"one, {names[0]!r}, for all"
        )
    index = {name: i for i, name in enumerate(names)}
    return [index[name_of.get(c, c)] for c in classes], names


def _new_names(classes: Names, groups: Mapping[Any, Sequence[Any]]) -> dict[Hashable, Hashable]:
    """Return the name of the group of every class that belongs to one."""
    name_of: dict[Hashable, Hashable] = {}
    for name, members in groups.items():
        if isinstance(members, str) or not len(members):
            raise _refuse_merging(f"needs a list of at least one class for {name!r}", value=members)
        for member in members:
            position(classes, member)
            if member in name_of:
                raise _refuse_merging("must mention a class once", got=f"{member!r} twice")
            name_of[member] = name
    return name_of


def _refuse_merging(rule: str, **facts: Any) -> DataError:
    return DataError(Problem.LENS, rule, argument="merge_classes", **facts)


def position(classes: Names, name: Any) -> int:
    """Return the index of a class name."""
    try:
        return classes.index(name)
    except ValueError:
        raise DataError(
            Problem.LENS, f"the class must be one of {listed(classes)}", value=name
        ) from None
