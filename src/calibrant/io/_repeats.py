"""Detection of unused columns with repeated ids, which may be clusters."""

from __future__ import annotations

import re

import numpy as np

from calibrant.errors import InputError
from calibrant.io._columns import Columns
from calibrant.io._growing import Texts
from calibrant.io._table import Request, Table

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


def find_repeats(table: Table, columns: Columns) -> str | None:
    """Return the first unused column that looks like ids and repeats them, or None.

    Candidate columns are read again; columns that cannot be read are skipped.
    """
    if columns.cluster is not None:
        return None
    for name in columns.ignored:
        if table.widths[name] == 1 and _ID_LIKE.fullmatch(name) and _repeats(table, name):
            return name
    return None


def _repeats(table: Table, name: str) -> bool:
    try:
        ids = table.read(Request({}, (), (name,))).texts[name]
    except InputError:
        return False
    if isinstance(ids, Texts):
        distinct = len([value for value in ids.values if value is not None])
    else:
        distinct = len(np.unique(ids)) if ids.dtype.kind in "iufb" else 0
    return _FEWEST <= distinct < len(ids)
