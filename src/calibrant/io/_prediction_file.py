"""The result of reading a file: predictions, and the meaning of each column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from calibrant._output import Count, Finite, Plain, counted, number
from calibrant._predictions import Predictions, name_text
from calibrant.io._columns import Columns
from calibrant.io._formats import TITLES
from calibrant.io._options import ReadOptions
from calibrant.io._table import Array

if TYPE_CHECKING:
    from calibrant.io._scan import PredictionScan

#: most columns in a list
_LISTED = 20


@dataclass(frozen=True, kw_only=True)
class Understanding(Plain):
    r"""How a file was read, in plain values.

    Attributes
    ----------
    file, format : str
        Its name and its format: csv, tsv, json, jsonl, npz, npy, parquet or arrow.
    labels_file : str or None
        The file of labels, if they are in a separate file.
    label_columns, probability_columns, group_columns, ignored_columns : tuple of str
        The columns with each meaning.
    weight_column, id_column, cluster_column : str or None
        The columns of weights, row ids and cluster ids.
    dtype : str
        Type of the probabilities in the file.
    logits, normalized, one_based : bool
        Whether the options said so.
    row_sums : (float, float) or None
        The smallest and the largest sum of a row's probabilities.
    decimals : int or None
        Number of decimals of the probabilities, if rows were divided by their sums because of
        rounding.
    predicted_column : str or None
        The column of predicted labels, if they were used.
    top_label_only : bool
        Whether the file contains only the probability of the predicted label.
    dropped_rows : int
        Number of rows dropped because of missing values.
    shared_column : str or None
        A column named like an identifier with repeated values: its rows may depend on each
        other.
    ordered : bool
        Whether the options said that the classes are in increasing order.
    writing : tuple of str
        Notes on how the file is written.

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
    labels_file: str | None = None
    row_sums: tuple[Finite, Finite] | None = None  # smallest and largest, as in the file
    decimals: int | None = None
    cluster_column: str | None = None
    predicted_column: str | None = None
    top_label_only: bool = False
    dropped_rows: int = 0
    shared_column: str | None = None
    ordered: bool = False
    writing: tuple[str, ...] = ()


def understand(
    columns: Columns, options: ReadOptions, label_columns: tuple[str, ...], **found: Any
) -> Understanding:
    """Combine the user's options and the findings in the file."""
    if found.get("top_label_only"):
        found["predicted_column"] = columns.predicted
    return Understanding(
        label_columns=label_columns,
        probability_columns=columns.probabilities,
        weight_column=columns.weight,
        id_column=columns.id,
        cluster_column=columns.cluster,
        group_columns=columns.groups,
        ignored_columns=columns.ignored,
        logits=columns.logits,
        normalized=options.normalize,
        one_based=options.one_based,
        ordered=options.ordered,
        **found,
    )


@dataclass(frozen=True, eq=False)
class PredictionFile:
    r"""Predictions from a file, with the groups and ids of their rows.

    Attributes
    ----------
    predictions : Predictions
        Labels, probabilities, weights and clusters.
    understood : Understanding
        The meaning of each column.
    groups : mapping from the name of a column to its values, shape (n_samples,)
        The group columns.
    ids : ndarray of shape (n_samples,) or None
        The identifiers of the rows.
    row_ids : mapping from the name of a column to its values, shape (n_samples,)
        Unused columns that look like identifiers of the rows.

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
    row_ids: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FileFacts(Understanding):
    """Facts about a file: its columns, rows and classes."""

    n_samples: Count
    n_classes: Count
    class_names: tuple[str, ...]

    @classmethod
    def of(cls, file: PredictionFile | PredictionScan) -> FileFacts:
        """Return the facts of a file that was read or scanned."""
        rows = file.predictions if isinstance(file, PredictionFile) else file
        names = tuple(str(name) for name in rows.classes)
        return cls(**vars(file.understood), n_samples=rows.n_samples, n_classes=rows.n_classes,
                   class_names=names)  # fmt: skip

    @property
    def facts(self) -> list[tuple[str, str]]:
        """The known facts, as pairs of a name and a text."""
        source = f" of {self.labels_file}" if self.labels_file else ""
        writing = ", ".join([TITLES.get(self.format, self.format), *self.writing])
        rows = [
            ("format", f"{writing}, numbers as {self.dtype}"),
            ("labels", f"{_list(self.label_columns)}{source}"),
            ("predictions", self.predicted_column or ""),
            (self._numbers(), _list(self.probability_columns)),
            ("weights", self.weight_column or ""),
            ("identifier", self.id_column or ""),
            ("clusters", self.cluster_column or ""),
            ("groups", _list(self.group_columns)),
            ("not used", _list(self.ignored_columns)),
            ("order", self._order() if self.ordered else ""),
            ("row sums", self._sums()),
            ("left out", self._dropped()),
            ("rows share", f"{self.shared_column}: rows with the same value may depend on each "
                           "other" if self.shared_column else ""),
        ]  # fmt: skip
        return [(name, text) for name, text in rows if text]

    @property
    def line(self) -> str:
        """The facts in one line."""
        source = f" of {self.labels_file}" if self.labels_file else ""
        parts = [
            ", ".join([TITLES.get(self.format, self.format), *self.writing]),
            f"labels {_list(self.label_columns, 3)}{source}",
            f"{self._numbers()} {_list(self.probability_columns, 3)}",
        ]
        if self.predicted_column is not None:
            parts.insert(2, f"predictions {name_text(self.predicted_column, 40)}")
        if self.top_label_only:
            parts.append("top label only")
        else:
            parts.append(f"classes {self._order() if self.ordered else _list(self.class_names, 5)}")
        return "; ".join(parts)

    def _order(self) -> str:
        return " < ".join(name_text(name, 40) for name in self.class_names)

    def _numbers(self) -> str:
        if self.logits:
            return "logits"
        return "confidence" if self.top_label_only else "probabilities"

    def _dropped(self) -> str:
        rows = counted(self.dropped_rows, "row")
        return f"{rows} with a missing value" if self.dropped_rows else ""

    def _sums(self) -> str:
        if self.row_sums is None:
            return ""
        low, high = (number(end, 9) for end in self.row_sums)
        text = low if low == high else f"{low} to {high}"
        if self.decimals is not None:
            return f"{text}, divided out: rounded to {self.decimals} decimals"
        return f"{text}, divided out" if self.normalized else text


def _list(names: Sequence[str], most: int = _LISTED) -> str:
    text = ", ".join(name_text(name, 40) for name in names[:most])
    return f"{text}, … ({len(names)} in all)" if len(names) > most else text
