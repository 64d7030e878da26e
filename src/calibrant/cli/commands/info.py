"""`calibrant info`: what is installed and which core is in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calibrant._output import SCHEMA_VERSION, Section, facts
from calibrant.cli._output import Output, Page, output_options
from calibrant.cli._streams import emit

if TYPE_CHECKING:
    from calibrant.cli._documents import Info


@click.command("info")
@click.option("--schema", is_flag=True, help="Print the JSON schema of all --json outputs.")
@output_options
def command(schema: bool, json: str | None) -> None:
    """Show what is installed and which core is in use.

    Shell completion: eval "$(_CALIBRANT_COMPLETE=bash_source calibrant)" in ~/.bashrc, likewise
    zsh_source and fish_source.
    """
    if schema:
        emit(schema_text())
        return
    from calibrant.cli._documents import InfoDocument

    found = _find()
    headline = f"calibrant {found.version}, computing with the {found.core} core"
    page = Page(headline, (Section(table=facts(_rows(found))),))
    Output(json).show("info", page, InfoDocument(found))


def schema_text() -> str:
    """Return the JSON schema that the package ships."""
    from importlib.resources import files

    return files("calibrant.cli").joinpath("schema.json").read_text("utf-8")


def _find() -> Info:
    from calibrant._execution import count_jobs
    from calibrant._native import core_info
    from calibrant._output import versions
    from calibrant.cli._documents import Info
    from calibrant.io import FORMATS

    libraries = versions()
    has_arrow = libraries["pyarrow"] is not None
    return Info(
        version=str(libraries.pop("calibrant")),
        **core_info(),
        threads=count_jobs(None),
        python=str(libraries.pop("python")),
        platform=str(libraries.pop("platform")),
        schema_version=SCHEMA_VERSION,
        libraries=libraries,
        formats={one.name: has_arrow or not one.needs_pyarrow for one in FORMATS.values()},
    )


def _rows(found: Info) -> list[tuple[str, str]]:
    formats = [name for name, there in found.formats.items() if there]
    missing = [name for name, there in found.formats.items() if not there]
    hint = f" ({', '.join(missing)}: pip install pyarrow)" if missing else ""
    return [
        ("core", f"{found.core}, instruction set {found.simd}"),
        ("threads", str(found.threads)),
        ("python", f"{found.python} on {found.platform}"),
        ("file formats", ", ".join(formats) + hint),
        ("JSON schema", f"version {found.schema_version} (calibrant info --schema)"),
        *((name, version or "not installed") for name, version in found.libraries.items()),
    ]
