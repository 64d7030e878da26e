"""Predictions in Parquet files that need not fit into memory, read in blocks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any

from calibrant._native import IntArray
from calibrant._predictions import (
    Predictions,
    RowSource,
    code_clusters,
    divide_nearly_unit_rows,
    join,
    levels_to_the_user,
    replace_parts,
)
from calibrant.errors import DataError, InputError, Problem, RowSumWarning
from calibrant.io._checked import (
    as_probabilities,
    checked_predictions,
    cluster_ids,
    without_rounding,
)
from calibrant.io._columns import Columns, find_columns
from calibrant.io._errors import located
from calibrant.io._label_source import own_labels
from calibrant.io._options import ReadOptions, class_texts
from calibrant.io._prediction_file import PredictionFile, Understanding, understand
from calibrant.io._read import open_parquet, request_of
from calibrant.io._table import Content, Progress, Table

#: bytes of probabilities above which rows are streamed
IN_MEMORY = 1 << 28


@dataclass(frozen=True)
class PredictionScan(RowSource):
    """Rows of Parquet files whose data are read only when needed; created by `scan_predictions`.

    Parameters
    ----------
    files : tuple of str
        The files, in the order of their rows.
    file_rows : tuple of int
        Number of rows in each file.
    columns : Columns
        The meaning of each column.
    options : ReadOptions
        The user's options.
    classes : tuple
        Names of the classes, from the first rows.
    in_memory : int, default 2**28
        Bytes of probabilities up to which `calibration_test` reads all rows into memory.
    path : str
        The folder or file that was scanned.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from calibrant import Predictions
    >>> from calibrant.io import scan_predictions, write_predictions
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in ("a.parquet", "b.parquet"):
    ...         write_predictions(str(pathlib.Path(folder) / part), Predictions([0, 1], [0.5, 0.5]))
    ...     scan = scan_predictions(folder)
    ...     scan.n_samples, scan.n_classes, [len(block) for block in scan.blocks(range(4), 3)]
    (4, 2, [3, 1])
    """

    files: tuple[str, ...]
    file_rows: tuple[int, ...]
    columns: Columns
    options: ReadOptions
    classes: tuple[Any, ...]
    in_memory: int = IN_MEMORY
    path: str = ""

    @property
    def n_samples(self) -> int:
        """The number of rows."""
        return sum(self.file_rows)

    @property
    def n_classes(self) -> int:
        """The number of classes."""
        return len(self.classes)

    @property
    def clusters(self) -> str | None:
        """The column of clusters, if there is one."""
        return self.columns.cluster

    @property
    def has_order(self) -> bool:
        """Whether the classes are ordered and more than two, as `Predictions.has_order` says."""
        return self.options.ordered and self.n_classes > 2

    @property
    def is_streamed(self) -> bool:
        """Whether there are too many rows to keep in memory."""
        return 8 * self.n_samples * self.n_classes > self.in_memory

    @cached_property
    def understood(self) -> Understanding:
        """The meaning of each column."""
        with open_parquet(self.files[0]) as table:
            dtype = table.precision(self.columns.probabilities)
        return understand(
            self.columns,
            self.options,
            self.columns.labels,
            file=self.path,
            format="parquet",
            dtype=dtype,
        )

    def blocks(self, rows: range, size: int) -> Iterator[Predictions]:
        """Yield checked rows, `size` at a time; the last block may be shorter.

        Parameters
        ----------
        rows : range
            The rows, numbered through all files.
        size : int
            Number of rows in a block.
        """
        waiting: Predictions | None = None
        for part, _ in self.parts(rows):
            whole = part if waiting is None else join(waiting, part)
            full = len(whole) // size * size
            for start in range(0, full, size):
                yield whole.take(slice(start, start + size))
            waiting = whole.take(slice(full, None)) if full < len(whole) else None
        if waiting is not None:
            yield waiting

    def parts(self, rows: range) -> Iterator[tuple[Predictions, float]]:
        """Yield rows as stored, with the largest deviation of the row sums that were divided."""
        before = 0
        for file, n_rows in zip(self.files, self.file_rows, strict=True):
            here = range(max(rows.start - before, 0), min(rows.stop - before, n_rows))
            before += n_rows
            if len(here):
                yield from self._read(file, here)

    def read(self, progress: Progress | None = None) -> PredictionFile:
        """Read all rows into memory.

        Parameters
        ----------
        progress : callable, optional
            Called with (rows done, rows in all).

        Returns
        -------
        PredictionFile
        """
        parts, done, off = [], 0, []
        for part, worst in self.parts(range(self.n_samples)):
            parts.append(part)
            off += [worst] if worst else []
            done += len(part)
            if progress is not None:
                progress(done, self.n_samples)
        if off:
            divided = f"rows in {len(off)} parts of the files"
            warnings.warn(RowSumWarning(divided, max(off)), stacklevel=levels_to_the_user())
        return PredictionFile(join(*parts), self.understood)

    def fingerprint(self) -> str:
        """Return an identifier of these files, computed from all of their bytes in one pass."""
        digest = blake2b(digest_size=16)
        for file in self.files:
            with Path(file).open("rb") as stream:
                digest.update(file_digest(stream, blake2b).digest())
        return digest.hexdigest()

    def _read(self, file: str, rows: range) -> Iterator[tuple[Predictions, float]]:
        with open_parquet(file) as table:
            request = request_of(table, self.columns)
            at = rows.start
            for content in table.chunks(request, rows):
                try:
                    yield _checked(table, content, self.columns, self.options)
                except InputError as error:
                    if error.row is None:
                        raise
                    raise replace(error, row=error.row + at) from error
                at += len(content.matrices["probabilities"])


def scan_predictions(
    paths: str | Iterable[str],
    *,
    label: str | None = None,
    prob: str | None = None,
    classes: Iterable[str] | None = None,
    pos_label: str | None = None,
    weight: str | None = None,
    cluster: str | None = None,
    ordered: bool = False,
    logits: bool = False,
    onehot: bool = False,
    one_based: bool = False,
    normalize: bool = False,
    in_memory: int = IN_MEMORY,
) -> PredictionScan:
    """Scan Parquet files of predictions without reading their rows.

    `calibration_test` accepts the scan in place of arrays. Up to `in_memory` bytes it reads all
    rows; above, it streams them, in the memory of a few blocks. Files are in the order of their
    names in a folder, or in the given order.

    Parameters
    ----------
    paths : str or iterable of str
        A folder (with all its sub-folders), one Parquet file, or several.
    label, prob, classes, pos_label, weight, cluster, ordered, logits, onehot, one_based, normalize
        See `read_predictions`. If only the labels name the classes, the first rows must contain
        all of them; otherwise pass `classes`.
    in_memory : int, default 2**28
        Bytes of probabilities above which rows are streamed.

    Returns
    -------
    PredictionScan

    Raises
    ------
    InputError
        If a file cannot be read with certainty; the error names the place and the remedy.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import calibrant as cal
    >>> from calibrant.io import scan_predictions, write_predictions
    >>> model = cal.models.TemperatureModel(0.1, 10, temperature=1.5)  # over-confident
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for day in range(3):
    ...         rows = cal.Predictions(*model.sample(400, rng=day))
    ...         write_predictions(str(pathlib.Path(folder) / f"day{day}.parquet"), rows)
    ...     scan = scan_predictions(folder, in_memory=0)
    ...     result = cal.calibration_test(scan, method=cal.methods.Aggregated(99), rng=0)
    >>> result.n_samples, result.pvalue, result.details["direction"]
    (1200, 0.01, 'over-confident')
    """
    options = ReadOptions(
        label=label,
        prob=prob,
        classes=class_texts(classes),
        pos_label=pos_label,
        weight=weight,
        cluster=cluster,
        ordered=ordered,
        logits=logits,
        onehot=onehot,
        one_based=one_based,
        normalize=normalize,
    )
    return scan_files(paths, options, in_memory)


def scan_files(
    paths: str | Iterable[str], options: ReadOptions, in_memory: int = IN_MEMORY
) -> PredictionScan:
    """Scan Parquet files with the given options."""
    files = _files(paths)
    path = paths if isinstance(paths, str) else files[0]
    with open_parquet(files[0]) as table:
        columns = find_columns(table, options)
        texts = {name: table.holds_texts(name) for name in columns.labels}
    counts = tuple(_rows_of(file, columns, files[0], texts) for file in files)
    if not sum(counts):
        rule = "the files have no row of data"
        raise InputError(Problem.EMPTY, rule, source=path, remedy="check them")
    scan = PredictionScan(tuple(files), counts, columns, options, (), int(in_memory), path)
    # the first rows determine the names and type of the classes for all others
    first, _ = next(scan.parts(range(scan.n_samples)))
    known = replace(columns, classes=first.classes, by_elimination=False)
    return replace(
        scan, columns=known, classes=first.classes, options=replace(options, pos_label=None)
    )


def _files(paths: str | Iterable[str]) -> list[str]:
    if not isinstance(paths, str):
        files = [str(path) for path in paths]
        if not files:
            remedy = "name a folder or Parquet files"
            raise InputError(Problem.NO_FILE, "there are no files to scan", remedy=remedy)
        return files
    if not os.path.isdir(paths):  # noqa: PTH112 - False, not an error, for a name that is too long
        return [paths]
    try:
        found = [path for end in ("parquet", "pq") for path in Path(paths).rglob(f"*.{end}")]
        files = sorted(str(path) for path in found if path.is_file() and path.name[0] not in "._")
    except OSError:  # the folder changed during the scan
        files = []
    if not files:
        raise InputError(
            Problem.NO_FILE,
            "there is no Parquet file in this folder",
            source=paths,
            remedy="name the folder that has them, or the file itself",
        )
    return files


def _rows_of(file: str, columns: Columns, first: str, texts: Mapping[str, bool]) -> int:
    with open_parquet(file) as table:
        others = filter(None, [columns.weight, columns.cluster])
        wanted = [*columns.labels, *columns.probabilities, *others]
        missing = [name for name in wanted if name not in table.widths]
        if missing:
            raise InputError(
                Problem.COLUMNS,
                f"is missing, which {first} has",
                source=file,
                column=missing[0],
                remedy="write all files with the same columns",
            )
        for name, are_texts in texts.items():
            if table.holds_texts(name) != are_texts:
                raise InputError(
                    Problem.COLUMNS,
                    f"must contain {'texts' if are_texts else 'numbers'}, as it does in {first}",
                    source=file,
                    column=name,
                    remedy="write the labels of all files with one type",
                )
        return table.n_rows


def _cluster_codes(table: Table, content: Content, columns: Columns) -> IntArray | None:
    if columns.cluster is None:
        return None
    ids = cluster_ids(content, columns.cluster)
    try:
        return code_clusters(ids, len(content.matrices["probabilities"]))
    except DataError as error:
        raise located(error, table.name, columns) from error


def _checked(
    table: Table, content: Content, columns: Columns, options: ReadOptions
) -> tuple[Predictions, float]:
    matrix = as_probabilities(content.matrices["probabilities"], options, columns)
    matrix, _ = without_rounding(matrix, columns, options)
    worst = 0.0
    if not (columns.logits or options.normalize):
        # like `Predictions`, but with a single warning for all blocks
        worst = divide_nearly_unit_rows(matrix, content.precisions["probabilities"])
    raw = own_labels(table, columns, content)
    weight = None if columns.weight is None else content.numbers[columns.weight]
    together = _cluster_codes(table, content, columns)
    plain = replace(columns, cluster=None)  # a part may consist of one cluster
    if weight is None or weight.any():
        rows = checked_predictions(raw, matrix, plain, content, table, options)
        return replace_parts(rows, clusters=together), worst
    # only the whole data set must have a positive weight, not each part
    rows = checked_predictions(raw, matrix, replace(plain, weight=None), content, table, options)
    return replace_parts(rows, sample_weight=weight, clusters=together), worst
