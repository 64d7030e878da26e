"""Several files as models of the same rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from calibrant.errors import Argument, DataError, InputError, Problem, Words

if TYPE_CHECKING:
    from calibrant._followup.compare import ComparisonResult
    from calibrant.io import PredictionFile


def named_files(files: Sequence[str]) -> dict[str, str]:
    """Return files by name: from NAME=FILE, or the file name without folder and suffix."""
    named: dict[str, str] = {}
    for given in files:
        name, sign, path = given.partition("=")
        if not (sign and name and path) or os.path.exists(given):  # noqa: PTH110
            name, path = _stem(given), given
            if name in named:
                name = given
        if name in named:
            raise click.UsageError(f"two models are called {name!r}; name them: NAME=FILE")
        named[name] = path
    refuse_twice_standard_input(*named.values())
    return named


def refuse_twice_standard_input(*paths: str | None) -> None:
    """Refuse to read several files from standard input."""
    if paths.count("-") > 1:
        raise click.UsageError("standard input (-) can be one file only")


def aligned(files: dict[str, PredictionFile], by_id: bool) -> dict[str, Any]:
    """Return the predictions of every model, by identifier in the order of the first."""
    from calibrant.io import order_of

    (reference, first), *others = files.items()
    if not by_id:
        for _, file in others:
            _refuse_another_order(first, file)
        return {name: file.predictions for name, file in files.items()}
    found = {reference: first.predictions}
    for name, file in others:
        assert first.ids is not None  # --id names an existing column
        assert file.ids is not None
        order = order_of(first.ids, file.ids, first.understood.file, file.understood.file)
        found[name] = file.predictions.take(order)
    return found


def _refuse_another_order(first: PredictionFile, file: PredictionFile) -> None:
    """Refuse to pair rows that a column of both files shows to be in another order."""
    for name in file.row_ids.keys() & first.row_ids.keys():
        ours, theirs = first.row_ids[name].tolist(), file.row_ids[name].tolist()
        if ours != theirs and set(ours) == set(theirs):
            raise InputError(
                Problem.OTHER_ROWS,
                f"has the values of {name!r} in another order than {first.understood.file}",
                source=file.understood.file,
                remedy=("join the files with ", Argument("id", name)),
            )


def compared(models: dict[str, Any], **options: Any) -> ComparisonResult:
    """Compare models; mismatching rows are an input error."""
    import calibrant as cal

    with lined_up():
        return cal.compare(None, models, **options)


@contextmanager
def lined_up() -> Iterator[None]:
    """Convert mismatching rows to an input error with its remedy."""
    try:
        yield
    except DataError as error:
        if error.problem is Problem.OTHER_ROWS:
            join: Words = ("Or join the files by an identifier with ", Argument("id"))
            raise InputError.of(error, notes=(join,)) from error
        raise


def _stem(path: str) -> str:
    return "standard input" if path == "-" else Path(path).name.partition(".")[0] or path
