"""`calibrant paper`: the paper's experiments, reproduced."""

from __future__ import annotations

from importlib import import_module

import click

#: each is a function `command` in a module of this folder
EXPERIMENTS = ("errors", "tests", "networks", "timings", "all")


class Experiments(click.Group):
    """A group that imports experiments on demand."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names in order."""
        return list(EXPERIMENTS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import an experiment."""
        return experiment(cmd_name) if cmd_name in EXPERIMENTS else None


def experiment(name: str) -> click.Command:
    """Import the command of an experiment."""
    command: click.Command = import_module(f"calibrant.cli.commands.paper.{name}").command
    return command


@click.group("paper", cls=Experiments)
def command() -> None:
    """Reproduce the paper's experiments: figures, tables, comparison with the published values.

    Every experiment fills a folder with what was computed, tables (CSV) and figures (SVG, PDF).
    Finished parts are kept: after an interruption, --resume continues.
    """
