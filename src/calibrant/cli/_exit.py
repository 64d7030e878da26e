"""Exit codes, and the exceptions that lead to them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from calibrant.cli._remedies import message_of
from calibrant.errors import DataError

FINE = 0
GATE_FAILED = 1
USAGE = 2
INPUT_REFUSED = 3
COMPUTATION_FAILED = 4
BUG = 70
INTERRUPTED = 130


class GateFailed(Exception):  # noqa: N818 - not an error: the gate did its work
    """A gate failed because a condition holds; everything is already printed."""


class UsageOnLines(click.BadParameter):
    """Wrong options, with a message whose line breaks are intended."""


class Failure(Exception):  # noqa: N818 - named after the exit code
    """The input was valid, but the computation or writing its result failed."""


class Unprinted(Failure):
    """The result is known, but could not be written to standard output."""


@contextmanager
def computing() -> Iterator[None]:
    """Convert the library's refusals to compute into failures with their messages."""
    from calibrant._execution import single_threaded_blas  # loads NumPy, which --help avoids

    try:
        with single_threaded_blas():  # so that plots, too, have the same numbers on every machine
            yield
    except MemoryError as error:
        raise Failure("there is not enough memory for this. Use fewer rows or resamples") from error
    except (ValueError, ArithmeticError, RuntimeError) as error:
        if isinstance(error, DataError):  # files that do not match, or unusable data
            raise
        raise Failure(message_of(error)) from error
