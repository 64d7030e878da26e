"""The command `calibrant`: its subcommands, loaded when asked for, and its exit codes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from calibrant.cli import _exit
from calibrant.cli._interrupt import interruptible
from calibrant.cli._remedies import message_of
from calibrant.errors import DataError

#: in the order of a first day with calibrant; each is a function `command` in a module
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
    "simulate",
    "paper",
    "info",
)

_EPILOG = """\b
Exit codes: 0 fine, 1 a gate failed (nothing else exits with 1), 2 usage,
3 input refused, 4 computation failed, 70 a bug in calibrant, 130 interrupted.
"""


class Commands(click.Group):
    """A group that imports a command when it is asked for, and ends with our exit codes."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in their order."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"calibrant.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def main(  # type: ignore[override]
        self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any
    ) -> Any:
        """Run and exit; nothing but a gate exits with 1."""
        extra["standalone_mode"] = False
        with warnings.catch_warnings(), interruptible():
            _hear_warnings()
            code = _run(lambda: super(Commands, self).main(args, prog_name or "calibrant", **extra))
        _flush()
        sys.exit(code)


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
    """Tell whether the probabilities of a classifier can be trusted.

    FILE is CSV, TSV, Parquet, Arrow, npz or npy, with a label column and one probability column
    per class. `-` is standard input. Results go to standard output, everything else to standard
    error.
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
        error.show()
        return _exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted", _exit.INTERRUPTED)
    except SystemExit as end:  # of shell completion
        return _exit.USAGE if end.code == 1 else int(end.code or 0)
    except Exception as error:
        return _refused(error)
    return code if isinstance(code, int) else _exit.FINE


def _refused(error: Exception) -> int:
    if isinstance(error, DataError):
        return _say(message_of(error), _exit.INPUT_REFUSED)
    if isinstance(error, _exit.Failure):
        return _say(str(error), _exit.COMPUTATION_FAILED)
    if isinstance(error, MemoryError):
        return _say("there is not enough memory", _exit.COMPUTATION_FAILED)
    if isinstance(error, BrokenPipeError):
        return _exit.FINE  # whoever read the result has seen enough
    return _bug(error)


def _say(message: str, code: int) -> int:
    _tell(f"calibrant: {message}")
    return code


def _tell(text: str) -> None:
    """Write to standard error, in lines that fit where it is a terminal."""
    if sys.stderr.isatty():
        from shutil import get_terminal_size

        from calibrant._output import wrap_lines

        text = "\n".join(wrap_lines(text.split("\n"), get_terminal_size().columns))
    click.echo(text, err=True)


def _bug(error: Exception) -> int:
    if os.environ.get("CALIBRANT_DEBUG"):
        import traceback

        traceback.print_exc()
    return _say(
        f"this is a bug in calibrant, please report it: {type(error).__name__}: {error}. "
        "CALIBRANT_DEBUG=1 shows where",
        _exit.BUG,
    )


def _hear_warnings() -> None:
    """Print warnings for users on standard error, each once; be silent about the others."""
    told: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = message_of(message)
        if text not in told:
            told.add(text)
            _tell(f"calibrant: warning: {text}")

    warnings.simplefilter("ignore")
    warnings.simplefilter("always", UserWarning)
    warnings.showwarning = show


def _flush() -> None:
    """Write what is left now, where a reader that is gone can still be forgiven."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
