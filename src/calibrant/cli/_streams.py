"""The standard streams: even if closed, full or broken, they never change an exit code."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any

import click

from calibrant.cli._exit import Unprinted


class _Unfailing(io.FileIO):
    """A file that drops output that cannot be written."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def open_streams() -> None:
    """Reopen closed streams, so that no file gets their numbers, and ignore encoding errors."""
    for descriptor in range(3):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
    stdout: Any = sys.stdout  # None if it was closed
    if stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Unfailing(1, "w", closefd=False)))
    elif isinstance(stdout, io.TextIOWrapper):  # not a notebook's stream
        stdout.reconfigure(errors="backslashreplace")
    stderr: Any = sys.stderr
    if stderr is None or not stderr.isatty():  # a terminal has its own encoding
        sys.stderr = io.TextIOWrapper(
            io.BufferedWriter(_Unfailing(2, "w", closefd=False)),
            encoding=getattr(stderr, "encoding", None),
            errors="backslashreplace",
            line_buffering=True,
        )


def emit(text: str, encoding: str | None = None) -> None:
    """Write to standard output; a closed pipe is not an error."""
    if encoding is not None and isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")
    try:
        click.echo(text, nl=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()
    except OSError as error:
        _forget_stdout()
        raise Unprinted(f"standard output cannot be written: {error.strerror or error}") from error


def tell(text: str) -> None:
    """Write to standard error, wrapped on a terminal."""
    text = f"calibrant: {text}"
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        from calibrant._output import wrap_lines

        text = "\n".join(wrap_lines(text.split("\n"), get_terminal_size().columns))
    click.echo(text, err=True)


def _forget_stdout() -> None:
    """Discard buffered output when the interpreter exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
