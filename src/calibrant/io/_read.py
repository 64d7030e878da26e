"""From a file to checked predictions, with a record of what was understood."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calibrant._predictions import Predictions
from calibrant._predictions._arrays import Source
from calibrant.io._align import order_of
from calibrant.io._columns import (
    ONE_HOT_PREFIXES,
    Columns,
    Wishes,
    class_in_name,
    find_columns,
    find_labels,
    listed,
)
from calibrant.io._errors import InputError
from calibrant.io._growing import Texts
from calibrant.io._labels import Labels, alike_hint, from_one, reconcile, typed
from calibrant.io._open import open_table
from calibrant.io._place import located, stranger_hint
from calibrant.io._table import Content, Progress, Request

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from calibrant.io._table import Array, Table

#: rows whose sums are computed at once
_ROWS = 1 << 16
#: characters of a label; what is longer is a document
_LONGEST = 1000


@dataclass(frozen=True)
class Understanding:
    r"""What a file was taken for; every field is plain.

    Examples
    --------
    >>> import os, tempfile
    >>> from calibrant.io import read_predictions
    >>> path = os.path.join(tempfile.mkdtemp(), "preds.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("label,p_cat,p_dog,site\ncat,0.7,0.3,north\ndog,0.2,0.8,south\n")
    >>> understood = read_predictions(path).understood
    >>> understood.label_columns, understood.probability_columns, understood.ignored_columns
    (('label',), ('p_cat', 'p_dog'), ('site',))
    """

    file: str
    format: str
    labels_file: str | None
    label_columns: tuple[str, ...]
    probability_columns: tuple[str, ...]
    weight_column: str | None
    id_column: str | None
    group_columns: tuple[str, ...]
    ignored_columns: tuple[str, ...]
    dtype: str
    logits: bool
    normalized: bool
    one_based: bool
    row_sums: tuple[float, float] | None  # smallest and largest, as they are in the file

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
        }


@dataclass(frozen=True, eq=False)
class PredictionFile:
    r"""Predictions from a file, and what belongs to their rows.

    Attributes
    ----------
    predictions : Predictions
    understood : Understanding
        What every column was taken for.
    groups : mapping from the name of a column to its values, shape (n_samples,)
    ids : ndarray of shape (n_samples,) or None

    Examples
    --------
    >>> import os, tempfile
    >>> from calibrant.io import read_predictions
    >>> path = os.path.join(tempfile.mkdtemp(), "preds.csv")
    >>> with open(path, "w") as file:
    ...     _ = file.write("label,p_cat,p_dog,site\ncat,0.7,0.3,north\ndog,0.2,0.8,south\n")
    >>> file = read_predictions(path, groups=["site"])
    >>> file.predictions, file.groups["site"].tolist()
    (Predictions(n_samples=2, n_classes=2, classes=('cat', 'dog')), ['north', 'south'])
    """

    predictions: Predictions
    understood: Understanding
    groups: Mapping[str, Array] = field(default_factory=dict)
    ids: Array | None = None


def read_predictions(
    path: str,
    *,
    label: str | None = None,
    labels: str | None = None,
    prob: str | None = None,
    classes: Iterable[str] | None = None,
    pos_label: str | None = None,
    weight: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    groups: Iterable[str] = (),
    logits: bool = False,
    onehot: bool = False,
    one_based: bool = False,
    normalize: bool = False,
    delimiter: str | None = None,
    header: bool | None = True,
    progress: Progress | None = None,
) -> PredictionFile:
    r"""Read labels and predicted probabilities from a file.

    CSV and TSV (also gzipped), Parquet, Arrow, Feather, npz and npy; pickles are never loaded.
    Parquet and Arrow need pyarrow. Memory: the probabilities once, in float64; files are read in
    chunks.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.
    label : str, optional
        The label column; by default the one called label, y_true, target, y or class. With
        `onehot` a list or pattern of columns.
    labels : str, optional
        A file of labels, row by row, or joined by `id`.
    prob : str, optional
        Probability columns, as a list ``"p_cat,p_dog"`` or a pattern ``"p_*"``; by default those
        that begin with ``p_``, ``prob_`` or ``proba_``, a single one called ``p`` or ``prob``, or
        all others, named by the classes.
    classes : iterable of str, optional
        Names of the classes in the order of the columns; by default what the column names say.
    pos_label : str, optional
        The label whose probability a single column is.
    weight, id : str, optional
        Columns of sample weights and of identifiers.
    groups : iterable of str, optional
        Columns that put rows into groups.
    logits, onehot, one_based, normalize : bool
        The columns are logits; the labels are one-hot columns; the labels count from 1; every row
        is divided by its sum.
    delimiter : str, optional
        Between the cells of a text file.
    header : bool or None, default True
        Whether the first line of text files names the columns; None: unless it looks like data.
        Columns without names are numbered from 0.
    progress : callable, optional
        Called with (done, total) while the file is read.

    Returns
    -------
    PredictionFile

    Raises
    ------
    InputError
        What cannot be read with certainty, with file, place and remedy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from calibrant.io import read_predictions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "pets.csv"
    ...     _ = path.write_text("label,p_cat,p_dog\ncat,0.75,0.25\ndog,0.5,0.5\n")
    ...     file = read_predictions(str(path))
    >>> file.predictions
    Predictions(n_samples=2, n_classes=2, classes=('cat', 'dog'))

    The names of the columns named the classes.
    """
    names = None if classes is None else tuple(str(name) for name in classes)
    wishes = Wishes(label, prob, names, weight, id, tuple(groups), logits, onehot, normalize)
    with ExitStack() as stack:
        table = stack.enter_context(open_table(path, delimiter, header))
        other = (
            None if labels is None else stack.enter_context(open_table(labels, delimiter, header))
        )
        columns = find_columns(table, wishes, own_labels=other is None)
        content = _read_table(table, columns, progress)
        raw, label_columns = _raw_labels(table, columns, content, other, wishes)
    matrix = content.matrices["probabilities"]
    sums = None if logits else _row_sums(matrix)
    settings = Settings(path, names, pos_label, logits, one_based, normalize)
    predictions = checked_predictions(raw, matrix, columns, content, table, settings)
    understood = Understanding(
        table.name,
        table.format,
        None if other is None else other.name,
        label_columns,
        columns.probabilities,
        columns.weight,
        columns.id,
        columns.groups,
        columns.ignored,
        content.precisions.get("probabilities", matrix.dtype.name),
        logits,
        normalize,
        one_based,
        sums,
    )
    ids = None if columns.id is None else _plain(content.texts[columns.id])
    return PredictionFile(
        predictions,
        understood,
        {name: _plain(content.texts[name]) for name in columns.groups},
        ids,
    )


@dataclass(frozen=True)
class Settings:
    """What the user said beside the columns."""

    path: str
    classes: tuple[str, ...] | None
    pos_label: str | None
    logits: bool
    one_based: bool
    normalize: bool


def request_of(table: Table, columns: Columns) -> Request:
    """Return what to read from a table: probabilities, labels and what belongs to the rows."""
    matrices = {"probabilities": columns.probabilities}
    labels = columns.labels
    if len(labels) > 1 or (labels and table.widths[labels[0]] > 1):
        matrices["labels"] = labels
        labels = ()
    texts = dict.fromkeys([*labels, *((columns.id,) if columns.id else ()), *columns.groups])
    numbers = (columns.weight,) if columns.weight else ()
    return Request(matrices, numbers, tuple(texts))


def _read_table(table: Table, columns: Columns, progress: Progress | None) -> Content:
    try:
        content = table.read(request_of(table, columns), progress)
    except InputError as error:
        strangers = _never_labels(table, columns)
        if strangers:
            hint = stranger_hint(strangers, columns)
            raise InputError(f"{table.name}: {hint}.\n{error}") from error
        raise
    n_rows = len(content.matrices["probabilities"])
    if n_rows == 0:
        raise InputError(f"{table.name}: there is a header but no row of data. Check the file")
    for name, texts_read in content.texts.items():
        _refuse_long_texts(table.name, name, texts_read)
    return content


def _never_labels(table: Table, columns: Columns) -> tuple[str, ...]:
    """Return columns that were taken for classes, though no label is called like them."""
    if not columns.by_elimination or len(columns.labels) != 1:
        return ()
    try:
        labels = table.read(Request({}, (), columns.labels)).texts[columns.labels[0]]
    except InputError:
        return ()  # the labels are unreadable, too: the first error says why
    seen = set(labels.values) if isinstance(labels, Texts) else set(map(str, labels.tolist()))
    strangers = tuple(name for name in columns.probabilities if name not in seen)
    return strangers if len(strangers) < len(columns.probabilities) else ()


def _refuse_long_texts(file: str, column: str, texts: Array | Texts) -> None:
    """Refuse what is no label, before messages quote it."""
    if isinstance(texts, Texts):
        longest = max((len(value) for value in texts.values if value is not None), default=0)
        if longest > _LONGEST:
            raise InputError(
                f"{file}: column {column!r} must hold labels or names of at most {_LONGEST:,} "
                f"characters; got one of {longest:,}. Choose another column with --label"
            )


def _raw_labels(
    table: Table, columns: Columns, content: Content, other: Table | None, wishes: Wishes
) -> tuple[Array | Texts, tuple[str, ...]]:
    if other is None:
        return own_labels(table, columns, content), columns.labels
    return _labels_of(other, table, columns, content, wishes)


def own_labels(table: Table, columns: Columns, content: Content) -> Array | Texts:
    """Return the labels that stand beside the probabilities."""
    if "labels" in content.matrices:
        return _in_class_order(content.matrices["labels"], columns, table.name)
    return content.texts[columns.labels[0]]


def _labels_of(
    other: Table, table: Table, columns: Columns, content: Content, wishes: Wishes
) -> tuple[Array | Texts, tuple[str, ...]]:
    key = columns.id if columns.id is not None and columns.id in other.widths else None
    taken = {key} if key else set()
    free = [name for name in other.column_names if name not in taken]
    only = wishes.label is None and len(free) == 1 and not wishes.onehot
    found = (free[0],) if only else find_labels(other, wishes, taken)
    if len(found) > 1 or other.widths[found[0]] > 1:
        read = other.read(Request({"labels": found}, (), (key,) if key else ()))
        values: Array | Texts = read.matrices["labels"]
    else:
        read = other.read(Request({}, (), (*found, *((key,) if key else ()))))
        values = read.texts[found[0]]
    n_rows = len(content.matrices["probabilities"])
    if key is not None and columns.id is not None:
        order = order_of(
            _plain(content.texts[columns.id]), _plain(read.texts[key]), table.name, other.name
        )
        values = (
            Texts(values.codes[order], values.values)
            if isinstance(values, Texts)
            else (values[order])
        )
    elif len(values) != n_rows:
        raise InputError(
            f"{other.name}: there must be one label for each of the {n_rows} rows of "
            f"{table.name}; got {len(values)}. Give both files the same rows, or join them with "
            "--id"
        )
    return values, found


def _in_class_order(one_hot: Array, columns: Columns, name: str) -> Array:
    """Put one-hot columns into the order of the probability columns, where both name classes."""
    suffixes = class_in_name(columns.labels, ONE_HOT_PREFIXES)
    if columns.classes is None or not suffixes:
        return one_hot
    position = {suffixes[column]: i for i, column in enumerate(columns.labels)}
    if set(position) != set(columns.classes):
        raise InputError(
            f"{name}: one-hot columns and probability columns must name the same classes; got "
            f"{listed(position)} and {listed(columns.classes)}. Choose them with --label and --prob"
        )
    return one_hot[:, np.array([position[c] for c in columns.classes])]


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


def _plain(values: Array | Texts) -> Array:
    if not isinstance(values, Texts):
        return values
    return typed(values, keep=set())


def _row_sums(matrix: Array) -> tuple[float, float] | None:
    """Return the smallest and the largest row sum, without a copy of the matrix."""
    if matrix.ndim == 1 or matrix.shape[1] == 1 or matrix.dtype.kind not in "fiub":
        return None
    low, high = np.inf, -np.inf
    for start in range(0, len(matrix), _ROWS):
        sums = matrix[start : start + _ROWS].sum(axis=1, dtype=np.float64)
        low, high = min(low, float(sums.min())), max(high, float(sums.max()))
    return (low, high) if np.isfinite([low, high]).all() else None
