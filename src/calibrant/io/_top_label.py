"""Files that contain only the predicted label and its probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from calibrant._native import BoolArray
from calibrant._predictions import CERTAIN_GAIN, Predictions, Source, assemble
from calibrant.errors import Argument, InputError, Problem
from calibrant.io._columns import Columns
from calibrant.io._errors import listed
from calibrant.io._growing import Texts
from calibrant.io._labels import folded, plain
from calibrant.io._layouts import CONFIDENCE_NAMES, SCORE_NAMES, key
from calibrant.io._options import ONE_BASED, PREDICTED, PROB, ReadOptions
from calibrant.io._table import Array, Content, Table

#: below this probability, a label of two is not the predicted one
_HALF = 0.5
_TWO = 2


def top_label_hits(
    raw: Array | Texts | Source,
    confidence: Array,
    columns: Columns,
    content: Content,
    table: Table,
    options: ReadOptions,
) -> BoolArray | None:
    """Return whether the predicted label occurred; None if one class's probability is given.

    A number next to a predicted label is the probability of that label if there are more than two
    labels, or if the user says so. With two labels the values decide; numbers that could be the
    probability of either the predicted or the positive label are refused.
    """
    if columns.predicted is None:
        return None
    if isinstance(raw, Source) or confidence.shape[1:] not in ((), (1,)):
        _refuse_idle(options, columns, table)
        return None
    labels, predicted = _alike(plain(raw), plain(content.texts[columns.predicted]))
    if options.one_based:
        raise InputError(
            Problem.ONE_BASED,
            "labels are compared with predicted ones and have no positions",
            source=table.name,
            remedy=("leave ", ONE_BASED, " out"),
        )
    hits: BoolArray = labels == predicted
    if options.predicted is not None or len({*labels.tolist(), *predicted.tolist()}) > _TWO:
        _require_shared(labels, predicted, table, columns.predicted)
        _refuse_other_spelling(labels, predicted, table, columns.predicted)
        _refuse_other_start(labels, predicted, confidence.reshape(-1), table, columns.predicted)
        return hits
    if options.pos_label is not None or options.prob is not None:
        return None
    of_top, of_one = _readings(columns.probabilities[0], confidence.reshape(-1), predicted)
    if of_top == of_one:
        raise _uncertain(table.name, columns.probabilities[0], columns.predicted)
    return hits if of_top else None


def _refuse_idle(options: ReadOptions, columns: Columns, table: Table) -> None:
    if options.predicted is not None:
        raise InputError(
            Problem.COLUMNS,
            (PREDICTED, " is for one label column and one column of confidences"),
            source=table.name,
            got=f"probabilities in {listed(columns.probabilities)}",
            remedy=("leave ", PREDICTED, " out, or name the confidences with ", PROB),
        )


def _readings(column: str, values: Array, predicted: Array) -> tuple[bool, bool]:
    """Return whether values can be probabilities of the predicted label, and of the positive label.

    The predicted one of two labels has probability at least 1/2. A probability of the positive
    label is above some threshold if that label is predicted, and below it otherwise.
    """
    name = key(column)
    is_half = not (values < _HALF).any()
    positive = predicted == 1 if predicted.dtype.kind in "iufb" else None
    if positive is None or positive.all() or not positive.any():
        split = positive is not None and bool(positive.all())
    else:
        split = bool(values[~positive].max() <= values[positive].min())
    if name in CONFIDENCE_NAMES:
        return is_half, False
    if name in SCORE_NAMES and is_half:
        return not split, split
    return is_half and not split, split or (positive is None and not is_half)


def _uncertain(file: str, column: str, predicted: str) -> InputError:
    return InputError(
        Problem.POSITIVE_CLASS,
        f"could be the probability of the label in {predicted!r}, or of the positive class",
        source=file,
        column=column,
        remedy=("pass ", Argument("predicted", predicted), " for the first, or ",
                Argument("prob", column), " for the second"),
    )  # fmt: skip


def top_label_predictions(
    hits: BoolArray, confidence: Array, weight: Array | None, clusters: Array | None
) -> Predictions:
    """Return the two-class predictions of whether the predicted label occurs, as in `top_label`."""
    rows = Predictions(hits, confidence.reshape(-1), sample_weight=weight, clusters=clusters)
    return assemble(
        rows.y_true,
        rows.y_prob,
        rows.sample_weight,
        ("other", "top"),
        ranked=True,
        clusters=rows.clusters,
    )


def _alike(labels: Array, predicted: Array) -> tuple[Array, Array]:
    """Return labels and predictions of one type: as numbers if both are, else as texts."""
    numbers = all(one.dtype.kind in "iufb" for one in (labels, predicted))
    if numbers:
        return labels, predicted
    return _texts(labels), _texts(predicted)


def _texts(values: Array) -> Array:
    found: Any = [None if v is None else str(v) for v in values.tolist()]
    return np.array(found, dtype=object)


def _refuse_other_spelling(labels: Array, predicted: Array, table: Table, column: str) -> None:
    """Refuse a predicted label that is not a label but spelled almost like one."""
    known = set(labels.tolist())
    like = {folded(label): label for label in known if isinstance(label, str)}
    for value in dict.fromkeys(predicted.tolist()):
        if value not in known and isinstance(value, str) and folded(value) in like:
            raise InputError(
                Problem.UNKNOWN_LABEL,
                f"holds {value!a}, which is spelled nearly like the label {like[folded(value)]!a}",
                source=table.name,
                column=column,
                remedy="write them alike",
            )


def _refuse_other_start(
    labels: Array, predicted: Array, confidence: Array, table: Table, column: str
) -> None:
    """Refuse positions if one side starts at 0 and the other, very likely, at 1."""
    positions = all(one.dtype.kind in "iu" for one in (labels, predicted))
    if not positions or min(labels.min(), predicted.min()) != 0:
        return
    shift = int(predicted.min() > 0) - int(labels.min() > 0)
    if not shift or not ((confidence >= 0) & (confidence <= 1)).all():
        return
    here, there = (_log_likelihood(labels + by == predicted, confidence) for by in (0, shift))
    if there - here > CERTAIN_GAIN:
        raise InputError(
            Problem.UNCERTAIN_START,
            f"must start at the number that labels start at, {labels.min()}",
            source=table.name,
            column=column,
            got=f"values from {predicted.min()} on, which are hardly ever right",
            remedy=("write both alike, or choose others with ", PREDICTED, " and ", PROB),
        )


def _log_likelihood(hits: BoolArray, confidence: Array) -> float:
    said = np.clip(np.where(hits, confidence, 1.0 - confidence), 1e-12, 1.0)
    return float(np.log(said).sum())


def _require_shared(labels: Array, predicted: Array, table: Table, column: str) -> None:
    """Refuse predictions that never occur among the labels, because of a different spelling."""
    if not set(labels.tolist()) & set(predicted.tolist()):
        raise InputError(
            Problem.UNKNOWN_LABEL,
            "contains no value that is also a label",
            source=table.name,
            column=column,
            got=repr(predicted.tolist()[0]),
            remedy=("write both alike, or choose others with ", PREDICTED, " and ", PROB),
        )
