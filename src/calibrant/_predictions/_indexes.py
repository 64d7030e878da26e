"""Checks of pandas indexes: rows are matched by position, and contradicting indexes are refused."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np

from calibrant.errors import DataError, Problem


def check_indexes(given: Mapping[str, Any]) -> None:
    """Refuse pandas objects whose indexes name different rows, or the same rows in another order.

    An index 0..n−1 is ignored, because pandas uses it by default, unless another index contains the
    same numbers in another order. Arrays have no index.
    """
    pandas = sys.modules.get("pandas")
    if pandas is None:
        return
    kinds = (pandas.Series, pandas.DataFrame)
    indexed = [(name, data.index) for name, data in _flat(given) if isinstance(data, kinds)]
    for (name, index), (other_name, other) in combinations(indexed, 2):
        if len(index) == len(other) and not index.equals(other) and _contradict(index, other):
            row = int(np.argmax(index.to_numpy() != other.to_numpy()))
            raise DataError(
                Problem.OTHER_ROWS,
                f"must have the index of `{name}`, row by row",
                argument=other_name,
                row=row,
                got=f"{other.tolist()[row]!r} for {index.tolist()[row]!r}",
                remedy=f"pass `{other_name}.loc[{name}.index]`, or `{other_name}.to_numpy()` if "
                "the rows belong together by position",
            )


def _flat(given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield objects with their names, and the items of mappings one by one."""
    for name, data in given.items():
        if isinstance(data, Mapping):
            yield from ((f"{name}[{key!r}]", one) for key, one in data.items())
        else:
            yield name, data


def _contradict(index: Any, other: Any) -> bool:
    counted = np.arange(len(index))
    default = [np.array_equal(one.to_numpy(), counted) for one in (index, other)]
    if not any(default):
        return True
    named = other if default[0] else index
    return named.dtype.kind in "iuf" and np.array_equal(np.sort(named.to_numpy()), counted)
