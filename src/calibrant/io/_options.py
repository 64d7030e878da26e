"""The user's options for reading a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

from calibrant._predictions import checked_names
from calibrant.errors import Argument

LABEL, LABELS, PROB, CLASSES, ID = map(Argument, ("label", "labels", "prob", "classes", "id"))
POS_LABEL, WEIGHT, GROUPS, DELIMITER = map(Argument, ("pos_label", "weight", "groups", "delimiter"))
CLUSTER = Argument("cluster")
ENCODING = Argument("encoding", "cp1252")
PREDICTED = Argument("predicted")
LOGITS, ONEHOT, ONE_BASED, NORMALIZE, PERCENT, DROP_MISSING = (
    Argument(name, True)
    for name in ("logits", "onehot", "one_based", "normalize", "percent", "drop_missing")
)


#: options that name columns or files, which `Columns` repeats after looking at the file
_PLACES = {"label", "labels", "prob", "pos_label", "predicted", "weight", "id", "cluster", "groups"}


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """The options of `read_predictions`, which documents them."""

    label: str | None = None
    labels: str | None = None
    prob: str | None = None
    classes: tuple[str, ...] | None = None
    pos_label: str | None = None
    predicted: str | None = None
    weight: str | None = None
    id: str | None = None
    cluster: str | None = None
    groups: tuple[str, ...] = ()
    ordered: bool = False
    logits: bool = False
    onehot: bool = False
    one_based: bool = False
    normalize: bool = False
    percent: bool = False
    drop_missing: bool = False
    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None

    def about_values(self) -> dict[str, Any]:
        """Return the options that change the values of rows, without those that name columns."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in _PLACES}


def class_texts(classes: Iterable[Any] | None) -> tuple[str, ...] | None:
    """Return the names of the classes as texts, as in a header."""
    return None if classes is None else tuple(str(name) for name in checked_names(classes))
