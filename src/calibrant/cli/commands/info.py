"""`calibrant info`: what is installed and what computes."""

from __future__ import annotations

import platform
from typing import Any

import click

from calibrant.cli._output import Output, Page, emit, output_options

#: what is used where it is there
_LIBRARIES = ("numpy", "scipy", "narwhals", "click", "rich", "matplotlib", "jinja2", "pyarrow",
              "dask", "torch")  # fmt: skip


@click.command("info")
@click.option("--schema", is_flag=True, help="Print the JSON schema of all --json outputs.")
@output_options
def command(schema: bool, json: str | None) -> None:
    """Say what is installed, and what computes.

    Shell completion: eval "$(_CALIBRANT_COMPLETE=bash_source calibrant)" in ~/.bashrc, likewise
    zsh_source and fish_source.
    """
    if schema:
        emit(schema_text())
        return
    facts = _facts()
    body = "\n".join(["", *(f"  {name:<16}  {text}" for name, text in _lines(facts))])
    page = Page(f"calibrant {facts['version']}, computing with the {facts['core']} core", body)
    Output(json).show("info", page, {"info": facts})


def schema_text() -> str:
    """Return the JSON schema that is shipped with the package."""
    from importlib.resources import files

    return files("calibrant.cli").joinpath("schema.json").read_text("utf-8")


def _facts() -> dict[str, Any]:
    from calibrant._document import SCHEMA_VERSION
    from calibrant._executors import count_jobs
    from calibrant._native import core_info
    from calibrant._version import installed_version, own_version

    libraries = {name: installed_version(name) for name in _LIBRARIES}
    return {
        "version": own_version(),
        **core_info(),
        "threads": count_jobs(None),
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "schema_version": SCHEMA_VERSION,
        "libraries": libraries,
        "formats": {
            "csv": True,
            "npz": True,
            "parquet": libraries["pyarrow"] is not None,
            "arrow": libraries["pyarrow"] is not None,
        },
    }


def _lines(facts: dict[str, Any]) -> list[tuple[str, str]]:
    formats = [name for name, there in facts["formats"].items() if there]
    missing = [name for name, there in facts["formats"].items() if not there]
    hint = f" ({', '.join(missing)}: pip install 'calibrant[io]')" if missing else ""
    return [
        ("core", f"{facts['core']}, instruction set {facts['simd']}"),
        ("threads", str(facts["threads"])),
        ("python", f"{facts['python']} on {facts['platform']}"),
        ("file formats", ", ".join(formats) + hint),
        ("JSON schema", f"version {facts['schema_version']} (calibrant info --schema)"),
        *((name, found or "not installed") for name, found in facts["libraries"].items()),
    ]
