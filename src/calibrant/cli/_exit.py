"""How a command ends: one code for every kind of end."""

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
    """A condition of a gate holds; everything was printed already."""


class UsageOnLines(click.BadParameter):
    """Options that are wrong, with a message whose lines are meant and need no escapes."""


class Failure(Exception):  # noqa: N818 - named after the exit code
    """The input was fine but the computation, or writing its result, was not possible."""


class Unprinted(Failure):
    """The result is known, but standard output could not be written."""


@contextmanager
def computing() -> Iterator[None]:
    """Turn what the library refuses to compute into a failure with its message."""
    from calibrant._execution import single_threaded_blas  # loads NumPy, which --help need not

    try:
        with single_threaded_blas():  # numbers of pictures, too, are the same on every machine
            yield
    except MemoryError as error:
        raise Failure("there is not enough memory for this. Use fewer rows or resamples") from error
    except (ValueError, ArithmeticError, RuntimeError) as error:
        if isinstance(error, DataError):  # files that do not go together, or data that do not do
            raise
        raise Failure(message_of(error)) from error
