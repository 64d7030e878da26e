"""The error of files: what is wrong, where, and what to do."""

from __future__ import annotations


class InputError(ValueError):
    """A file that cannot be read with certainty; the message names file, place and remedy.

    Examples
    --------
    >>> from calibrant.io import InputError, read_predictions
    >>> try:
    ...     read_predictions("nowhere.csv")
    ... except InputError as error:
    ...     print(error)
    nowhere.csv: there is no such file. Check the path; `-` reads standard input
    """


def missing_pyarrow(name: str, kind: str) -> InputError:
    """Return the error that names the extra."""
    return InputError(
        f"{name}: reading {kind} needs pyarrow, which is not installed. "
        "Install it with: python -m pip install 'calibrant[io]'; or save the file as CSV or npz"
    )


def broken_file(name: str, kind: str, error: BaseException) -> InputError:
    """Return the error of a file that its own library cannot read."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    reason = lines[0][:200].rstrip(".")
    return InputError(f"{name}: this {kind} file is broken or cut off: {reason}. Write it again")
