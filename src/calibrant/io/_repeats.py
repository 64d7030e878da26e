"""Unused columns that look like ids: repeated ones may be clusters, others show the order."""

from __future__ import annotations

import re

import numpy as np

from calibrant.errors import InputError
from calibrant.io._columns import Columns
from calibrant.io._labels import plain
from calibrant.io._table import Array, Request, Table

#: names of units with several rows, alone or followed by "id", "number", …
_ID_LIKE = re.compile(
    r"(patient|subject|person|participant|case|item|image|img|photo|slide|scan|doc|document|article|"
    r"page|passage|paragraph|context|question|prompt|query|problem|task|conversation|dialog|thread|"
    r"video|clip|scene|session|recording|speaker|author|user|customer|household|family|study|exam|"
    r"sample|specimen|donor|animal|hospital|clinic|cent(er|re)|school|cluster)s?"
    r"([_ .-]?(id|ids|no|nr|num|number|name|key|uid|index))?|[pqu]?id",
    re.IGNORECASE,
)
#: minimum number of clusters for a test
_FEWEST = 10


#: names of what numbers or names every row
_ROW_LIKE = re.compile(
    r"index|idx|key|row|unnamed: ?0|(uu|gu|row[_ ]?)id|file[_ ]?name", re.IGNORECASE
)


def find_ids(table: Table, columns: Columns) -> tuple[str | None, dict[str, Array]]:
    """Return the first unused column that looks like ids and repeats them, and those that do not.

    Candidate columns are read again; columns that cannot be read are skipped.
    """
    single: dict[str, Array] = {}
    for name in columns.ignored:
        is_unit = _ID_LIKE.fullmatch(name) is not None
        if table.widths[name] != 1 or not (is_unit or _ROW_LIKE.fullmatch(name)):
            continue
        ids = _read(table, name)
        if ids is None:
            continue
        is_number = ids.dtype.kind in "iufb"
        distinct = len(np.unique(ids) if is_number else set(ids.tolist()))
        if distinct == len(ids):
            single[name] = ids
        elif is_unit and columns.cluster is None and distinct >= _FEWEST:
            return name, single
    return None, single


def _read(table: Table, name: str) -> Array | None:
    try:
        return plain(table.read(Request({}, (), (name,))).texts[name])
    except InputError:
        return None
