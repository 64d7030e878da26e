"""The command line, which parses, calls the library and prints, but computes no statistics."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["main"]


def main(args: Sequence[str] | None = None) -> None:
    """Run the command `calibrant` and exit with its code."""
    try:
        from calibrant.cli._exit import COMPUTATION_FAILED, INTERRUPTED
        from calibrant.cli._interrupt import leave_at_once
        from calibrant.cli._streams import open_streams, tell

        open_streams()
    except KeyboardInterrupt:  # interrupted before any output
        raise SystemExit(130) from None
    try:
        from calibrant.cli._main import cli

        cli.main(args)
    except SystemExit as end:
        # libraries that were interrupted, or half loaded for lack of memory, may crash on exit
        if end.code in (INTERRUPTED, COMPUTATION_FAILED):
            leave_at_once(int(end.code))
        raise
    except KeyboardInterrupt:
        leave_at_once(INTERRUPTED)
    except (ImportError, MemoryError, OSError) as error:
        tell(f"cannot start: {error}")
        leave_at_once(COMPUTATION_FAILED)
