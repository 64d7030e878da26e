"""The command line: parse, call the library, print. No statistics of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run the command `calibrant` and exit with its code."""
    try:
        from calibrant.cli._exit import INTERRUPTED
        from calibrant.cli._interrupt import leave_at_once
        from calibrant.cli._main import cli
    except KeyboardInterrupt:  # before there is anything to say
        raise SystemExit(130) from None
    try:
        cli.main(args)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave_at_once(INTERRUPTED)
        raise
