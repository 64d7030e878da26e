"""Writing of predictions to files, with reproducible bytes."""

from __future__ import annotations

import csv
import gzip
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from calibrant._output import replacing
from calibrant._predictions import Predictions
from calibrant.errors import InputError, Problem
from calibrant.io._errors import missing_pyarrow
from calibrant.io._table import Array

_KINDS = ".csv, .tsv, .csv.gz, .npz, .parquet, .arrow or .feather"


def write_predictions(path: str, predictions: Predictions) -> None:
    """Write labels and probabilities to a file; its suffix determines the format.

    Weights become the column ``weight`` and clusters the column ``cluster``; pass these names when
    reading the file. The order of classes and lenses are not stored.

    Parameters
    ----------
    path : str
        A name that ends with .csv, .tsv (.gz), .npz, .parquet, .arrow or .feather.
    predictions : Predictions
        The predictions to write.

    Raises
    ------
    InputError
        If the format is unknown or cannot represent these classes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from calibrant import Predictions
    >>> from calibrant.io import read_predictions, write_predictions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = str(pathlib.Path(folder) / "coins.npz")
    ...     write_predictions(path, Predictions([0, 1], [0.5, 0.5]))
    ...     read_predictions(path).predictions
    Predictions(n_samples=2, n_classes=2, classes=(0, 1))
    """
    suffixes = [suffix.lower() for suffix in Path(path).suffixes]
    gzipped = suffixes[-1:] == [".gz"]
    last = (suffixes[:-1] if gzipped else suffixes)[-1:] or [""]
    if last[0] not in (".csv", ".tsv", ".npz", ".parquet", ".arrow", ".feather"):
        raise InputError(Problem.FORMAT, f"the name must end with {_KINDS}", source=path)
    _require_kept(predictions, path)
    with replacing(Path(path)) as stream:
        if not gzipped:
            _write(stream, last[0], predictions, path)
            return
        # no name and no time inside, so that the bytes are reproducible
        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as compressed:
            _write(cast("IO[bytes]", compressed), last[0], predictions, path)


def csv_text(predictions: Predictions, delimiter: str = ",") -> str:
    """Return the text of a CSV file, with enough digits to read the same numbers."""
    out = io.StringIO()
    rows = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    facts = _facts(predictions)
    rows.writerow(["label", *(f"p_{name}" for name in predictions.classes), *facts])
    columns = [predictions.y_prob, *(fact[:, None] for fact in facts.values())]
    texts = (map(repr, row) for row in _rows(columns))
    for label, row in zip(predictions.labels.tolist(), texts, strict=True):
        rows.writerow([label, *row])
    return out.getvalue()


def _facts(predictions: Predictions) -> dict[str, Array]:
    """Return the weights and clusters of the rows, by column name."""
    facts = {"weight": predictions.sample_weight, "cluster": predictions.clusters}
    return {name: values for name, values in facts.items() if values is not None}


def _rows(columns: Sequence[Array]) -> Iterator[list[Any]]:
    for parts in zip(*(column.tolist() for column in columns), strict=True):
        yield [value for part in parts for value in part]


def _write(stream: IO[bytes], suffix: str, predictions: Predictions, path: str) -> None:
    if suffix in (".csv", ".tsv"):
        stream.write(csv_text(predictions, "," if suffix == ".csv" else "\t").encode())
    elif suffix == ".npz":
        # write names, not codes, which would be read as names if the names are numbers
        names = _of_one_type(predictions)
        labels = names[predictions.y_true]
        facts: dict[str, Any] = _facts(predictions)
        np.savez_compressed(
            stream, y_true=labels, y_prob=predictions.y_prob, classes=names, **facts
        )
    else:
        _write_arrow(stream, suffix, predictions, path)


def _of_one_type(predictions: Predictions) -> Array:
    """Return the names of the classes as integers, booleans or strings; mixed ones as strings."""
    names = predictions.classes
    if all(type(name) is int for name in names) or all(type(name) is bool for name in names):
        array = np.array(names)
        if array.dtype.kind in "bi":  # integers beyond 64 bits become strings
            return array
    return np.array([str(name) for name in names])


def _require_kept(predictions: Predictions, path: str) -> None:
    """Refuse class names that would change when they are read."""
    texts = list(map(str, predictions.classes))
    changed = next((text for text in texts if text != text.strip("\0 ").strip() or not text), None)
    if changed is not None:
        raise InputError(
            Problem.CLASSES,
            f"the name {changed!r} begins or ends with a space, which files do not keep",
            source=path,
            remedy="rename the class",
        )
    text, times = Counter(texts).most_common(1)[0]
    if times > 1:
        raise InputError(
            Problem.CLASSES,
            f"{text!r} is the text of more than one class, and a file could not distinguish them",
            source=path,
            remedy="rename the classes",
        )


def _write_arrow(stream: IO[bytes], suffix: str, predictions: Predictions, path: str) -> None:
    try:
        import pyarrow as pa
    except ImportError:
        raise missing_pyarrow(path, "Parquet and Arrow") from None
    columns = {"label": pa.array(_of_one_type(predictions)[predictions.y_true])}
    for name, column in zip(predictions.classes, predictions.y_prob.T, strict=True):
        columns[f"p_{name}"] = pa.array(np.ascontiguousarray(column))
    columns |= {name: pa.array(values) for name, values in _facts(predictions).items()}
    table = pa.table(columns)
    if suffix == ".parquet":
        import pyarrow.parquet as pq

        pq.write_table(table, stream)
        return
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)
