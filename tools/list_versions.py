"""List the versions of the documentation in a folder of sites, for the switcher on every page.

``python tools/list_versions.py SITES --base /calibrant/`` writes ``versions.json``, and an
``index.html`` that leads to the latest release. Every folder of SITES with an ``index.html`` is a
version: ``0.2.0``, or ``dev`` for the main branch.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path

#: the name of a release's folder
_RELEASE = re.compile(r"v?(\d+)\.(\d+)(?:\.(\d+))?")


def versions(sites: Path) -> list[str]:
    """Return the names of all versions, the latest release first and other names last."""
    names = [page.parent.name for page in sites.glob("*/index.html")]
    return sorted(names, key=lambda name: (_numbers(name), name), reverse=True)


def entries(names: list[str], base: str) -> list[dict[str, object]]:
    """Return the entries for the switcher of pydata-sphinx-theme, preferring the latest release."""
    stable = next(filter(_RELEASE.fullmatch, names), None)
    return [
        {
            "name": f"{name} (stable)" if name == stable else name,
            "version": name,
            "url": f"{base}{name}/",
            "preferred": name == stable,
        }
        for name in names
    ]


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sites", type=Path)
    parser.add_argument("--base", default="/", help="path of the sites on their server")
    options = parser.parse_args()
    names = versions(options.sites)
    listed = json.dumps(entries(names, options.base), indent=2)
    (options.sites / "versions.json").write_text(f"{listed}\n", "utf-8")
    start = f'<meta http-equiv="refresh" content="0; url={names[0]}/">'
    page = f'<!doctype html>\n<html lang="en"><head>{start}<title>calibrant</title></head></html>\n'
    (options.sites / "index.html").write_text(page, "utf-8")


def _numbers(name: str) -> tuple[int, ...]:
    found = _RELEASE.fullmatch(name)
    return tuple(int(part or 0) for part in found.groups()) if found else ()


if __name__ == "__main__":
    main()
