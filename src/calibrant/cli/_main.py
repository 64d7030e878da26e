"""The command `calibrant`: its subcommands, imported on demand, and its exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from difflib import get_close_matches
from functools import partial
from importlib import import_module
from typing import Any

import click

from calibrant._output import one_line
from calibrant.cli import _exit
from calibrant.cli._interrupt import interruptible
from calibrant.cli._memory import demand_memory
from calibrant.cli._remedies import message_of
from calibrant.cli._streams import emit, tell
from calibrant.errors import DataError, EnvironmentVariableError

#: in the order of first use; each is a function `command` in a module
COMMANDS = (
    "demo",
    "check",
    "test",
    "measure",
    "where",
    "compare",
    "repair",
    "apply",
    "plot",
    "report",
    "gate",
    "plan",
    "simulate",
    "paper",
    "info",
)

_EPILOG = """\b
Exit codes: 0 fine, 1 a gate failed (nothing else exits with 1), 2 usage,
3 input refused, 4 computation failed, 70 a bug in calibrant, 130 interrupted.
"""


class Commands(click.Group):
    """A group that imports commands on demand and uses calibrant's exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"calibrant.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, if there is enough memory for its libraries."""
        demand_memory()
        return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or suggest the one that was meant."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if args[0].startswith("-"):
                raise
            close = get_close_matches(args[0].lower(), COMMANDS, n=1, cutoff=0.5)
            meant = f"did you mean `calibrant {close[0]}`?" if close else ""
            if not close and "." in args[0]:
                meant = f"to look at a file: calibrant check {args[0]}"
            listed = meant or f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"there is no command {args[0]!r}; {listed}", ctx) from error

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run and exit; only a gate exits with 1."""
        extra["standalone_mode"] = False
        with warnings.catch_warnings(), interruptible():
            _hear_warnings()
            code = _run(partial(super().main, args, prog_name or "calibrant", **extra))
        sys.exit(_flush(code))


@click.group("calibrant", cls=Commands, epilog=_EPILOG, context_settings={"max_content_width": 100})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=lambda ctx, _, wanted: _show_version(ctx) if wanted else None,
    help="Show the version and exit.",
)
def cli() -> None:
    """Check whether you can trust a classifier's probabilities.

    FILE is CSV, TSV, JSON, Parquet, Arrow, npz or npy, with a label column and one probability
    column per class. `-` is standard input. Results go to standard output, everything else to
    standard error.
    """


def _show_version(ctx: click.Context) -> None:
    from calibrant._output import VERSION

    click.echo(f"calibrant {VERSION}")
    ctx.exit()


def _run(command: Any) -> int:
    try:
        code = command()
    except _exit.GateFailed:
        return _exit.GATE_FAILED
    except click.ClickException as error:
        if not isinstance(error, _exit.UsageOnLines):
            vars(error)["message"] = one_line(error.message)  # names of files and columns
        error.show()
        return _exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted", _exit.INTERRUPTED)
    except SystemExit as end:  # from shell completion, or from Click after a broken pipe
        failed = _exit.USAGE if "_CALIBRANT_COMPLETE" in os.environ else _exit.FINE
        return failed if end.code == 1 else int(end.code or 0)
    except Exception as error:
        return _refused(error)
    return code if isinstance(code, int) else _exit.FINE


def _refused(error: Exception) -> int:
    if isinstance(error, DataError):
        return _say(message_of(error), _exit.INPUT_REFUSED)
    if isinstance(error, EnvironmentVariableError):
        return _say(str(error), _exit.USAGE)
    if isinstance(error, _exit.Failure):
        return _say(str(error), _exit.COMPUTATION_FAILED)
    if isinstance(error, MemoryError):
        return _say("there is not enough memory", _exit.COMPUTATION_FAILED)
    if isinstance(error, BrokenPipeError):
        return _exit.FINE  # the reader has closed the pipe
    if isinstance(error, OSError | ImportError):
        return _say(_environment(error), _exit.COMPUTATION_FAILED)
    return _bug(error)


def _environment(error: OSError | ImportError) -> str:
    """Describe an error of the environment rather than the program."""
    if isinstance(error, ImportError):
        reason = one_line(str(error))
        return f"a library cannot be loaded: {reason}. Install it again, or free memory"
    name = "" if error.filename is None else f"{one_line(str(error.filename))}: "
    return f"{name}{error.strerror or error}. Check the disk, the folder and your permissions"


def _say(message: str, code: int) -> int:
    tell(message)
    return code


def _bug(error: Exception) -> int:
    if os.environ.get("CALIBRANT_DEBUG"):
        import traceback

        traceback.print_exc()
    return _say(
        "this is a bug in calibrant, please report it: "
        f"{type(error).__name__}: {one_line(str(error))}. "
        "CALIBRANT_DEBUG=1 shows where",
        _exit.BUG,
    )


def _hear_warnings() -> None:
    """Print warnings for users on standard error, each once, and hide all others."""
    told: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = message_of(message)
        if text not in told:
            told.add(text)
            tell(f"warning: {text}")

    warnings.simplefilter("ignore")
    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = show


def _flush(code: int) -> int:
    """Flush the output, and return the code for a failed write if that fails."""
    try:
        emit("")
    except _exit.Unprinted as error:
        return _say(str(error), code or _exit.COMPUTATION_FAILED)
    return code
