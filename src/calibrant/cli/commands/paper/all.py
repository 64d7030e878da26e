"""`calibrant paper all`: every experiment, and a page with all figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from calibrant.cli._streams import emit
from calibrant.cli.commands.paper._options import (
    DATASETS,
    JOBS,
    OUTPUT,
    PUBLISHED,
    QUIET,
    RESUME,
    SEED,
)
from calibrant.cli.commands.paper._results import writing


@click.command("all")
@click.option("--networks", metavar="DIR",
              type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Folder of predictions of networks; without it that part is left "
              "out.")  # fmt: skip
@DATASETS
@OUTPUT
@RESUME
@PUBLISHED
@SEED
@JOBS
@QUIET
@click.pass_context
def command(
    ctx: click.Context,
    networks: Path | None,
    datasets: int,
    output: Path,
    resume: bool,
    published: Path | None,
    seed: int,
    jobs: int | None,
    quiet: bool,
) -> None:
    """Run all experiments, each in its own folder, and write an index.html for all."""
    from calibrant.cli.commands.paper import EXPERIMENTS, experiment
    from calibrant.paper import check_free, write_gallery

    if not resume:
        check_free(output)
    wanted: dict[str, object] = {
        "--datasets": datasets,
        "--resume": resume,
        "--published": published,
        "--seed": seed,
        "--jobs": jobs,
        "--quiet": quiet,
    }
    for name in EXPERIMENTS:
        if name == "all" or (name == "networks" and networks is None):
            continue
        part = experiment(name)
        options = {option for param in part.params for option in param.opts}
        # timings use one thread, even if other experiments use more
        known = {o: v for o, v in wanted.items() if o in options and (name, o) != _OWN_THREADS}
        arguments = [str(networks)] if name == "networks" else []
        if name == "networks" and not _has_networks(published):
            known.pop("--published", None)
        if not quiet:
            click.echo(f"calibrant paper {name}", err=True)
        told = [*arguments, *_arguments(known), "--output", str(output / name)]
        with part.make_context(name, told, parent=ctx) as inner:
            part.invoke(inner)
    with writing(output):
        page = write_gallery(output)
    emit(f"{page}\n")


_OWN_THREADS = ("timings", "--jobs")


def _has_networks(published: Path | None) -> bool:
    """Return whether the published tables of networks are in this folder, not next to the files."""
    return published is not None and (published / "published_errors.csv").exists()


def _arguments(values: dict[str, object]) -> Iterator[str]:
    for option, value in values.items():
        if value is True:
            yield option
        elif value not in (None, False):
            yield from (option, str(value))
