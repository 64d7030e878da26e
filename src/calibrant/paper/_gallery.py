"""All figures and tables of a folder on one page, with relative links."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from calibrant._output import replacing

#: the summary at the top of an experiment's page, if its folder has one
SUMMARY = "summary.txt"
_TITLES = {
    "errors": "Calibration error estimates",
    "tests": "Calibration tests",
    "networks": "Real networks",
    "timings": "Time and precision",
}
_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; color: #22262b; margin: 2rem auto; max-width: 76rem;
       padding: 0 1rem; }
pre { background: #f4f5f6; padding: .8rem; overflow: auto; max-height: 24rem; font-size: .8rem; }
figure { margin: 1.5rem 0; }
figure img { width: 100%; max-width: 60rem; height: auto; }
figcaption { font-size: .9rem; }
"""


def write_gallery(root: Path) -> Path:
    """Write ``index.html`` for the experiments in the folders of `root`; return its path."""
    found = [name for name in _TITLES if (root / name).is_dir()]
    links = " · ".join(f'<a href="#{name}">{_TITLES[name]}</a>' for name in found)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>The paper, reproduced</title><style>{_STYLE}</style></head><body>",
        "<h1>The paper, reproduced</h1>",
        "<p>Widmann, Lindsten and Zachariah, <i>Calibration tests in multi-class classification: "
        "a unifying framework</i>, NeurIPS 2019, repeated with calibrant.</p>",
        f"<nav>{links}</nav>",
        *(line for name in found for line in _section(root, name)),
        "</body></html>",
    ]
    page = root / "index.html"
    with replacing(page) as stream:
        stream.write(("\n".join(parts) + "\n").encode())
    return page


def _section(root: Path, name: str) -> Iterator[str]:
    folder = root / name
    yield f'<section id="{name}"><h2>{_TITLES[name]}</h2>'
    summary = folder / SUMMARY
    if summary.exists():
        yield f"<pre>{escape(summary.read_text('utf-8'))}</pre>"
    tables = sorted(folder.glob("*.csv"))
    if tables:
        links = (f'<a href="{name}/{escape(path.name)}">{escape(path.name)}</a>' for path in tables)
        yield f"<p>Tables: {', '.join(links)}</p>"
    # the main figures, whose names have no settings, first
    figures = sorted((folder / "figures").glob("*.svg"), key=lambda p: ("=" in p.name, p.name))
    for path in figures:
        yield _figure(f"{name}/figures", path)
    yield "</section>"


def _figure(folder: str, path: Path) -> str:
    title, words, size = _texts(path)
    source = escape(f"{folder}/{path.name}")
    pdf = escape(f"{folder}/{path.stem}.pdf")
    return (
        f'<figure><img src="{source}" alt="{escape(f"{title}. {words}")}" {size} loading="lazy">'
        f'<figcaption><b>{escape(title)}.</b> {escape(words)} <a href="{source}">SVG</a> '
        f'<a href="{pdf}">PDF</a></figcaption></figure>'
    )


def _texts(path: Path) -> tuple[str, str, str]:
    """Return the title, description and size of a figure."""
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    title, words = (root.findtext(f"{space}{tag}") or "" for tag in ("title", "desc"))
    _, _, width, height = root.get("viewBox", "0 0 4 3").split()
    # so that the page does not jump while figures load
    size = f'width="{round(float(width))}" height="{round(float(height))}"'
    return title or path.stem, words, size
