"""User-defined groups of rows."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from calibrant._native import BoolArray, IntArray
from calibrant._output import counted

#: the name of the group of rows without a value
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class Group:
    """Some rows with a name, a remark, and the reason if they are not tested."""

    name: Hashable
    rows: IntArray
    remark: str = ""
    tested: bool = True
    reason: str = ""

    @property
    def note(self) -> str:
        """The remark and the reason, for readers."""
        return "; ".join(text for text in (self.remark, self.reason) if text)


@dataclass(frozen=True, eq=False)
class Partition:
    """Groups that partition the rows: regions of a probability, or a user's grouping."""

    kind: Literal["region", "group"]
    grouping: str | None
    groups: tuple[Group, ...]


def read_groups(groups: Any, n_samples: int, min_size: int) -> list[Partition]:
    """Read one grouping, or several by name, as groups of rows in the order of appearance."""
    if groups is None:
        return []
    found: list[Partition] = []
    for name, values in _groupings(groups).items():
        label = "groups" if name == "group" else f"groups[{name!r}]"
        if any(str(name) == other.grouping for other in found):
            raise ValueError(
                f"`groups` must have names that differ as strings; got {str(name)!r} twice, once "
                f"as {name!r}. Rename one of them."
            )
        parts = _read_grouping(_values(values, label), label, n_samples, min_size)
        if str(name) in [partition.grouping for partition in found]:
            raise ValueError(f"`groups` must have distinct names; got {str(name)!r} twice.")
        found.append(Partition("group", str(name), tuple(parts)))
    return found


def kept_rows(partition: Partition, keep: BoolArray, min_size: int) -> Partition:
    """Restrict the groups to the rows that are kept; a group may become too small."""
    position = np.cumsum(keep) - 1
    groups = []
    for group in partition.groups:
        rows = position[group.rows[keep[group.rows]]]
        groups.append(make_group(group.name, rows, group.remark, min_size))
    return replace(partition, groups=tuple(groups))


def _groupings(groups: Any) -> dict[Any, Any]:
    if isinstance(groups, Mapping):
        if not groups:
            raise ValueError(
                "`groups` must name at least one grouping; got an empty mapping. Leave it out."
            )
        return dict(groups)
    # in pyarrow, columns are arrays and column_names are names
    names = getattr(groups, "column_names", None)
    names = getattr(groups, "columns", None) if names is None else names
    if names is not None:
        return {name: groups[name] for name in names}
    name = getattr(groups, "name", None)
    return {name if isinstance(name, str) and name else "group": groups}


def _values(values: Any, label: str) -> list[Any]:
    """Return the entries as Python objects."""
    if isinstance(values, str | bytes) or not hasattr(values, "__len__"):
        raise ValueError(
            f"`{label}` must have one value per row; got {type(values).__name__}. Pass an array, "
            "or {name: array} for several groupings."
        )
    if getattr(values, "ndim", 1) != 1:
        raise ValueError(
            f"`{label}` must have shape (n_samples,); got {values.shape}. Pass {{name: array}} "
            "for several groupings."
        )
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, method):
            return list(getattr(values, method)())
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _read_grouping(values: list[Any], label: str, n_samples: int, min_size: int) -> list[Group]:
    if len(values) != n_samples:
        raise ValueError(
            f"`{label}` must have one value for each of the {n_samples} rows; got {len(values)}."
        )
    members: dict[Hashable, list[int]] = {}
    missing: list[int] = []
    for i, value in enumerate(values):
        if _is_missing(value):
            missing.append(i)
            continue
        try:
            members.setdefault(value, []).append(i)
        except TypeError:
            raise ValueError(
                f"`{label}` must contain hashable labels; got {value!r} at row {i}. Use strings or "
                "numbers."
            ) from None
    if len(members) == n_samples and n_samples > min_size:
        raise ValueError(
            f"`{label}` must put several rows into a group; got {n_samples} different values in "
            f"{n_samples} rows. If it is a measurement, divide it into a few ranges first."
        )
    groups = [make_group(name, np.array(rows), "", min_size) for name, rows in members.items()]
    if missing:
        remark = f"{counted(len(missing), 'row')} without a value"
        name = MISSING if MISSING not in members else f"{MISSING} values"
        groups.append(make_group(name, np.array(missing), remark, min_size))
    return groups


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def make_group(name: Hashable, rows: IntArray, remark: str, min_size: int) -> Group:
    """Return a group that is tested if it has `min_size` rows."""
    if len(rows) >= min_size:
        return Group(name, rows, remark)
    reason = f"not tested: {counted(len(rows), 'row')}, fewer than {min_size}"
    return Group(name, rows, remark, tested=False, reason=reason)
