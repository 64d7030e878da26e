"""Reproducers: programs that fail if a fault returns."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from calibrant.cli._main import cli


@dataclass(frozen=True)
class Fault:
    """A fault by its number; `check` fails where it is there, in an empty folder."""

    number: str
    title: str
    check: Callable[[Path], None]


FAULTS: list[Fault] = []


def fault(number, title):
    """Keep a function as the reproducer of a fault."""

    def keep(check):
        FAULTS.append(Fault(number, title, check))
        return check

    return keep


def command(*args, **options):
    """Run a command in this process."""
    return CliRunner().invoke(cli, [str(arg) for arg in args], **options)
