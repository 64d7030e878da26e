"""Copying a file with other probabilities, streamed and atomic, with all other columns kept."""

from __future__ import annotations

import gzip
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from calibrant._output import replacing
from calibrant.errors import Argument, InputError, Problem
from calibrant.io._formats import TITLES
from calibrant.io._options import DELIMITER, ENCODING, ReadOptions, class_texts
from calibrant.io._read import open_table
from calibrant.io._rewriters import Change, Job, find_writer
from calibrant.io._rewritten_columns import find_probabilities
from calibrant.io._rewritten_numbers import Numbers
from calibrant.io._table import Progress, Table


def rewrite_probabilities(
    path: str,
    output: str,
    classes: Sequence[Hashable],
    change: Change,
    *,
    prob: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    logits: bool = False,
    normalize: bool = False,
    percent: bool = False,
    progress: Progress | None = None,
) -> int:
    """Copy a file with other probabilities, and return its number of rows.

    Parameters
    ----------
    path, output : str
        Files in CSV, TSV (also compressed), Parquet, Arrow or npz, both in the same format.
    classes : sequence
        Names of the probability columns, in any order; the columns of a matrix, or of a file
        without a header, must have this order.
    change : callable
        Maps class-major probabilities, shape (n_classes, rows), to new ones of the same shape.
    prob : str, optional
        The probability columns, as in `read_predictions`.
    delimiter, encoding : str, optional
        How the text file is written, as in `read_predictions`. Output is in UTF-8.
    logits, normalize, percent : bool
        What the numbers are, as in `read_predictions`; logits are written as logits, percentages
        as percentages.
    progress : callable, optional
        Called with (done, total) while the file is copied.

    Returns
    -------
    int
    """
    options = ReadOptions(
        prob=prob,
        classes=class_texts(classes),
        delimiter=delimiter,
        encoding=encoding,
        logits=logits,
        normalize=normalize,
        percent=percent,
    )
    with open_table(path, options) as table:
        _refuse_idle(table, options)
        found = find_probabilities(table, options, tuple(classes))
        rewrite = find_writer(table, output)
        job = Job(found, Numbers.of(table, found.columns, options), change)
        with (
            _writable(output),
            replacing(Path(output)) as file,
            _compressing(file, output) as stream,
        ):
            for done, total in rewrite(table, job, stream):
                if progress is not None:
                    progress(done, total)
        job.warn()
    return job.n_rows


def _refuse_idle(table: Table, options: ReadOptions) -> None:
    given = {DELIMITER: options.delimiter, ENCODING: options.encoding}
    for argument in (a for a, value in given.items() if value is not None):
        if table.format not in ("csv", "tsv"):
            name = Argument(argument.name)
            raise InputError(
                Problem.FORMAT,
                (name, f" is for CSV and TSV; this is {TITLES[table.format]}"),
                source=table.name,
                remedy=("leave ", name, " out"),
            )


@contextmanager
def _writable(output: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        rule = f"cannot be written: {error.strerror or error}"
        raise InputError(Problem.NO_FILE, rule, source=output) from error


@contextmanager
def _compressing(stream: IO[bytes], output: str) -> Iterator[IO[bytes]]:
    if not output.lower().endswith(".gz"):
        yield stream
        return
    # no name and no time inside, so that the bytes are reproducible
    with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as compressed:
        yield cast("IO[bytes]", compressed)
