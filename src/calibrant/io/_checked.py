"""Labels and probabilities of a table brought together, or refused in the words of the file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions import Predictions
from calibrant._predictions._arrays import Source
from calibrant.io._errors import InputError
from calibrant.io._labels import Labels, alike_hint, from_one, reconcile
from calibrant.io._place import located, stranger_hint

if TYPE_CHECKING:
    from calibrant.io._columns import Columns
    from calibrant.io._growing import Texts
    from calibrant.io._table import Array, Content, Table


@dataclass(frozen=True)
class Settings:
    """What the user said beside the columns."""

    path: str
    classes: tuple[str, ...] | None
    pos_label: str | None
    logits: bool
    one_based: bool
    normalize: bool


def checked_predictions(
    raw: Array | Texts,
    matrix: Array,
    columns: Columns,
    content: Content,
    table: Table,
    settings: Settings,
) -> Predictions:
    """Bring labels and probabilities of a table together, or refuse them in its words."""
    one_column = matrix.ndim == 1 or matrix.shape[1] == 1
    if isinstance(raw, np.ndarray) and raw.ndim == 2:
        labels = Labels(raw, columns.classes)
    else:
        labels = reconcile(raw, columns.classes, settings.pos_label, one_column)
    if settings.one_based:
        n_classes = 2 if one_column else matrix.shape[1]
        y_true = from_one(labels.y_true, labels.classes, n_classes, table.name)
        labels = Labels(y_true, labels.classes, labels.pos_label)
    strangers = _not_labels(labels) if columns.by_elimination else ()
    if strangers and (settings.normalize or settings.logits):
        # without row sums that must be 1, a column that is no class would go unnoticed
        raise InputError(f"{table.name}: {stranger_hint(strangers, columns)}")
    weight = None if columns.weight is None else content.numbers[columns.weight]
    precision = content.precisions.get("probabilities", "float64")
    y_prob = matrix if precision == "float64" else Source(matrix, precision)
    options: dict[str, Any] = {
        "classes": labels.classes,
        "pos_label": labels.pos_label,
        "sample_weight": weight,
    }
    try:
        if settings.logits:
            return Predictions.from_logits(labels.y_true, y_prob, **options)
        return Predictions(labels.y_true, y_prob, normalize=settings.normalize, **options)
    except ValueError as error:
        alike = alike_hint(labels)
        raise located(str(error), table.name, columns, strangers, alike) from error


def _not_labels(labels: Labels) -> tuple[str, ...]:
    """Return the names of classes that no row has as its label."""
    y_true = labels.y_true
    seen = set(y_true) if y_true.dtype.kind == "O" else set(np.unique(y_true).tolist())
    return tuple(str(name) for name in labels.classes or () if name not in seen)
