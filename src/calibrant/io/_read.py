"""Reading of checked predictions from a file, with a record of how it was read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import numpy as np

from calibrant.errors import InputError, Problem
from calibrant.io._arrow import ParquetTable
from calibrant.io._checked import as_probabilities, checked_predictions, without_rounding
from calibrant.io._columns import Columns, find_columns
from calibrant.io._errors import stranger_error
from calibrant.io._formats import FORMATS
from calibrant.io._growing import Texts
from calibrant.io._label_source import raw_labels
from calibrant.io._labels import plain
from calibrant.io._missing import without_missing
from calibrant.io._options import LABEL, ReadOptions, class_texts
from calibrant.io._prediction_file import PredictionFile, understand
from calibrant.io._repeats import find_ids
from calibrant.io._source import open_source
from calibrant.io._table import Array, Content, Progress, Request, Table

#: rows whose sums are computed together
_ROWS = 1 << 16
#: most characters of a label; longer texts are documents
_LONGEST = 1000


def read_predictions(
    path: str,
    *,
    label: str | None = None,
    labels: str | None = None,
    prob: str | None = None,
    classes: Iterable[str] | None = None,
    pos_label: str | None = None,
    predicted: str | None = None,
    weight: str | None = None,
    id: str | None = None,  # noqa: A002 - the name of the option
    cluster: str | None = None,
    groups: Iterable[str] = (),
    ordered: bool = False,
    logits: bool = False,
    onehot: bool = False,
    one_based: bool = False,
    normalize: bool = False,
    percent: bool = False,
    drop_missing: bool = False,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    progress: Progress | None = None,
) -> PredictionFile:
    r"""Read labels and predicted probabilities from a file.

    The formats are CSV and TSV (also gzipped), JSON and JSON Lines, Parquet, Arrow, Feather, npz
    and npy; pickles are never loaded. Parquet and Arrow need pyarrow. The meaning of columns is
    taken from their names and checked against their values; ambiguous files raise an error that
    names the argument to pass. Memory: one copy of the probabilities in float64; all files but
    JSON are read in chunks.

    Parameters
    ----------
    path : str
        The file, or ``-`` for standard input.
    label : str, optional
        The label column; by default the one called label, y_true, target, y, class, truth, actual,
        obs, observed, outcome, ground_truth, gt, answer, correct or similar. With `onehot`, a list
        or pattern of columns.
    labels : str, optional
        A separate file of labels, in the same row order or joined by `id`.
    prob : str, optional
        Probability columns, as a list ``"p_cat,p_dog"`` or a pattern ``"p_*"``; by default those
        that begin with ``p_``, ``prob_``, ``.pred_`` or similar, those called ``P(class)``, a
        single column called ``p`` or ``prob``, or all others if they are named by the classes. A
        cell may contain a list of probabilities, or a mapping from class to probability.
    classes : iterable of str, optional
        Names of the classes in the order of the columns; by default from the column names.
    pos_label : str, optional
        The label whose probability is in a single column.
    predicted : str, optional
        The column of predicted labels whose probability is in a single column. Then only the top
        label is tested.
    weight, id : str, optional
        Columns of sample weights and of identifiers.
    cluster : str, optional
        Column of cluster ids; see `Predictions`.
    groups : iterable of str, optional
        Columns that assign rows to groups.
    ordered : bool, default False
        Whether the classes are in increasing order; see `Predictions`.
    logits, onehot, one_based, normalize, percent : bool
        The columns are logits; the labels are one-hot columns; the labels count from 1; every row
        is divided by its sum; the numbers are percentages.
    drop_missing : bool, default False
        Drop rows with a missing label, probability or weight.
    delimiter : str, optional
        Delimiter of the cells of a text file; detected by default.
    encoding : str, optional
        Encoding of a CSV or TSV file, such as ``"cp1252"``; by default UTF-8, or UTF-16 with its
        byte order mark.
    header : bool or None, default None
        Whether the first line of a text file names the columns; None means unless it looks like
        data. Columns without names are numbered from 0.
    progress : callable, optional
        Called with (done, total) while the file is read.

    Returns
    -------
    PredictionFile

    Raises
    ------
    InputError
        If the file cannot be read with certainty; the error names the place and the remedy.

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

    The classes come from the column names.
    """
    options = ReadOptions(
        label=label,
        labels=labels,
        prob=prob,
        classes=class_texts(classes),
        pos_label=pos_label,
        predicted=predicted,
        weight=weight,
        id=id,
        cluster=cluster,
        groups=tuple(groups),
        ordered=ordered,
        logits=logits,
        onehot=onehot,
        one_based=one_based,
        normalize=normalize,
        percent=percent,
        drop_missing=drop_missing,
        delimiter=delimiter,
        encoding=encoding,
        header=header,
    )
    return read_file(path, options, progress)


def read_file(path: str, options: ReadOptions, progress: Progress | None = None) -> PredictionFile:
    """Read a file with the given options."""
    with ExitStack() as stack:

        def opened(file: str) -> Table:
            return stack.enter_context(open_table(file, options))

        table = opened(path)
        other = None if options.labels is None else opened(options.labels)
        columns = find_columns(table, options, own_labels=other is None)
        content = _read_table(table, columns, progress)
        raw, label_columns = raw_labels(table, columns, content, other, options)
        shared, row_ids = find_ids(table, columns)
    dropped = 0
    if options.drop_missing:
        raw, content, dropped = without_missing(raw, content, columns, table.name)
    matrix = as_probabilities(content.matrices["probabilities"], options, columns, table)
    sums = None if columns.logits else _row_sums(matrix)
    matrix, decimals = without_rounding(matrix, columns, options)
    predictions = checked_predictions(raw, matrix, columns, content, table, options)
    understood = understand(
        columns,
        options,
        label_columns,
        file=table.name,
        format=table.format,
        labels_file=None if other is None else other.name,
        dtype=content.precisions.get("probabilities", matrix.dtype.name),
        row_sums=sums,
        decimals=decimals,
        writing=(*table.writing, "log-probabilities") if columns.logs else table.writing,
        top_label_only=predictions.ranked,
        dropped_rows=dropped,
        shared_column=shared,
    )
    ids = None if columns.id is None else plain(content.texts[columns.id])
    return PredictionFile(
        predictions,
        understood,
        {name: plain(content.texts[name]) for name in columns.groups},
        ids,
        {} if dropped else row_ids,
    )


@contextmanager
def open_table(path: str, options: ReadOptions) -> Iterator[Table]:
    """Open a file as a table, which can be read inside the with-block."""
    with open_source(path) as source:
        yield FORMATS[source.format].open(source, options)


@contextmanager
def open_parquet(path: str) -> Iterator[ParquetTable]:
    """Open a Parquet file, which can be read in parts."""
    with open_source(path) as source:
        if source.format != "parquet":
            raise InputError(
                Problem.FORMAT,
                f"only Parquet files can be scanned; this is {source.format}",
                source=path,
                remedy="read it with `read_predictions`, or write it as Parquet",
            )
        yield ParquetTable(source)


def request_of(table: Table, columns: Columns) -> Request:
    """Return what to read from a table: probabilities, labels and the other columns in use."""
    matrices = {"probabilities": columns.probabilities}
    labels = columns.labels
    if len(labels) > 1 or (labels and table.widths[labels[0]] > 1):
        matrices["labels"] = labels
        labels = ()
    others = filter(None, (columns.id, columns.predicted, columns.cluster))
    texts = dict.fromkeys([*labels, *others, *columns.groups])
    numbers = (columns.weight,) if columns.weight else ()
    return Request(matrices, numbers, tuple(texts))


def _read_table(table: Table, columns: Columns, progress: Progress | None) -> Content:
    try:
        content = table.read(request_of(table, columns), progress)
    except InputError as error:
        strangers = _never_labels(table, columns)
        if strangers:
            unknown = stranger_error(table.name, strangers, columns)
            raise replace(unknown, notes=(error,)) from error
        raise
    n_rows = len(content.matrices["probabilities"])
    if n_rows == 0:
        raise InputError(
            Problem.EMPTY,
            "there is a header but no row of data",
            source=table.name,
            remedy="check the file",
        )
    for name, texts in content.texts.items():
        _refuse_long_texts(table.name, name, texts)
    for name, column in (content.numbers | content.texts).items():
        if name not in columns.labels and len(column) != n_rows:
            raise InputError(
                Problem.LENGTHS,
                f"must have one value for each of the {n_rows} rows",
                source=table.name,
                column=name,
                got=str(len(column)),
            )
    return content


def _never_labels(table: Table, columns: Columns) -> tuple[str, ...]:
    """Return columns that were read as classes although no label has their names."""
    if not columns.by_elimination or len(columns.labels) != 1:
        return ()
    try:
        labels = table.read(Request({}, (), columns.labels)).texts[columns.labels[0]]
    except InputError:
        return ()  # the labels are unreadable, too; the first error says why
    seen = set(labels.values) if isinstance(labels, Texts) else set(map(str, labels.tolist()))
    strangers = tuple(name for name in columns.probabilities if name not in seen)
    return strangers if len(strangers) < len(columns.probabilities) else ()


def _refuse_long_texts(file: str, column: str, texts: Array | Texts) -> None:
    """Refuse texts too long to be labels, before messages quote them."""
    if isinstance(texts, Texts):
        longest = max((len(value) for value in texts.values if value is not None), default=0)
        if longest > _LONGEST:
            raise InputError(
                Problem.TEXT,
                f"must contain labels or names of at most {_LONGEST:,} characters",
                source=file,
                column=column,
                got=f"one of {longest:,}",
                remedy=("choose another column with ", LABEL),
            )


def _row_sums(matrix: Array) -> tuple[float, float] | None:
    """Return the smallest and the largest row sum, without a copy of the matrix."""
    if matrix.ndim == 1 or matrix.shape[1] == 1 or matrix.dtype.kind not in "fiub":
        return None
    low, high = np.inf, -np.inf
    for start in range(0, len(matrix), _ROWS):
        sums = matrix[start : start + _ROWS].sum(axis=1, dtype=np.float64)
        low, high = min(low, float(sums.min())), max(high, float(sums.max()))
    return (low, high) if np.isfinite([low, high]).all() else None
