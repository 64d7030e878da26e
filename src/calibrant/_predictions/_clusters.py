"""Clusters of rows, coded as one stable number for every id."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Any

import numpy as np

from calibrant._native import IntArray
from calibrant._predictions._arrays import read, refuse_rounded
from calibrant._predictions._messages import DROP_ROWS, count, first_of
from calibrant._predictions._shapes import without_single_column
from calibrant.errors import DataError, Problem

#: whole numbers as a file of floats writes them
_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)\.0*")


def check_clusters(clusters: Any, n_samples: int) -> IntArray:
    """Return the cluster numbers of the rows, shape (n_samples,), at least two different ones."""
    codes = code_clusters(clusters, n_samples)
    if n_samples > 1 and codes.min() == codes.max():
        raise DataError(
            Problem.CLUSTERS,
            "must name at least 2 clusters",
            argument="clusters",
            got="the same id in all rows",
            remedy="pass the column that names the patient, document or image of every row",
        )
    return codes


def code_clusters(clusters: Any, n_samples: int) -> IntArray:
    """Return one number for every row, equal for equal ids, shape (n_samples,).

    The number is a 63-bit hash of the id as text, so it is the same in memory, in every file and in
    every part of a file: 7, 7.0 and "7" are one cluster. (Two of a million ids collide with
    probability 5e-8.) Cost: O(n), and one hash for every cluster.
    """
    source = without_single_column(read(clusters, "clusters"))
    values = source.values
    if values.shape != (n_samples,):
        raise DataError(
            Problem.SHAPE,
            f"must have one id per row, shape ({n_samples},)",
            argument="clusters",
            got=f"shape {values.shape}",
        )
    _refuse_missing(values)
    if values.dtype.kind == "f":
        refuse_rounded(values, "clusters")
    return _codes(values)


def _codes(ids: np.ndarray[Any, Any]) -> IntArray:
    if ids.dtype.kind in "iub":
        found, index = np.unique(ids, return_inverse=True)
        return np.array([_code(one) for one in found.tolist()], dtype=np.int64)[index]
    known: dict[Any, int] = {}
    codes = np.empty(len(ids), dtype=np.int64)
    for row, one in enumerate(ids.tolist()):
        code = known.get(one)
        if code is None:
            known[one] = code = _code(one)
        codes[row] = code
    return codes


def _code(one: Any) -> int:
    if isinstance(one, float) and one.is_integer():
        one = int(one)  # a column of whole numbers that once had a gap
    elif isinstance(one, bool):
        one = int(one)
    elif isinstance(one, bytes):
        one = one.decode("utf-8", "backslashreplace")
    text = str(one).strip()
    if _WHOLE.fullmatch(text):
        text = text.partition(".")[0]
    digest = blake2b(text.encode("utf-8", "backslashreplace"), digest_size=8).digest()
    return int.from_bytes(digest, "little") >> 1


def _refuse_missing(values: np.ndarray[Any, Any]) -> None:
    if values.dtype.kind == "f":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype.kind == "O":
        missing = np.array([_is_missing(one) for one in values.tolist()], dtype=bool)
    elif values.dtype.kind in "US":
        missing = np.char.str_len(np.char.strip(values)) == 0
    else:
        return
    if missing.any():
        raise DataError(
            Problem.MISSING,
            "must have an id in every row",
            argument="clusters",
            got=count(missing, "missing id"),
            hint="a row of an unknown cluster may depend on any other",
            remedy=f"give independent rows unique ids, or {DROP_ROWS}",
            **first_of(missing),
        )


def _is_missing(one: Any) -> bool:
    # NaN is not equal to itself; comparing pandas' NA gives no boolean
    if one is None or (isinstance(one, str) and not one.strip()):
        return True
    try:
        return bool(one != one)
    except TypeError:
        return True
