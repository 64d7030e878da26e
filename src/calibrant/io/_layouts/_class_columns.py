"""Columns called by the classes themselves: what is left where nothing else has that meaning."""

from __future__ import annotations

from calibrant.io._layouts._found import Found
from calibrant.io._layouts._names import (
    CONFIDENCE_NAMES,
    INDEX_NAMES,
    PREDICTED_NAMES,
    ROW_NAMES,
    key,
)
from calibrant.io._layouts._sight import Sight

_OTHERS = (*PREDICTED_NAMES, *CONFIDENCE_NAMES)


def class_columns(sight: Sight) -> list[Found]:
    """Find columns named by the classes; values, row sums and labels are checked later."""
    options = sight.options
    is_free = options.logits or options.normalize  # no row sum tells a class from anything else
    no_class = INDEX_NAMES if is_free else ROW_NAMES
    rest = [name for name in sight.free if key(name) not in no_class]
    rest = [name for name in rest if name in sight.label_values or not _is_other(sight, name)]
    if not (is_free or options.percent):
        inside = [name for name in rest if not sight.look(name).is_outside]
        rest = inside if len(inside) > 1 else rest
    if len(rest) < 2:
        return []
    classes = {name: name for name in rest} if sight.table.has_names else {}
    return [Found(tuple(rest), classes, options.logits, by_elimination=bool(classes))]


def _is_other(sight: Sight, name: str) -> bool:
    """Tell columns that hold texts, or predictions and their confidence."""
    return key(name) in _OTHERS or sight.look(name).is_text
