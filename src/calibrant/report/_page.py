"""The document as one HTML page: texts and tables are made here, the template only places them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from calibrant._followup.where import WhereResult
from calibrant._output import VERSION, counted, number, short_form, to_plain
from calibrant.plots import to_svg
from calibrant.report import _figures
from calibrant.report import _tables as tables
from calibrant.report._document import ModelReport, ReportDocument
from calibrant.report._downloads import downloads
from calibrant.report._figures import Figure

#: no page is larger, in bytes
LARGEST = 3_000_000


#: rows of a table and characters of all downloads, tried in turn until the page is small enough
LIMITS = ((1000, 1_000_000), (200, 500_000), (50, 200_000), (20, 0))
#: tables of more rows can be searched
SEARCHED = 50
#: findings that are listed above their tables
_LISTED = 6

#: name in the navigation, and heading
SECTIONS = {
    "verdict": ("Verdict", "Verdict"),
    "data": ("Data", "The data as understood"),
    "reliability": ("Reliability", "Reliability"),
    "measures": ("How badly", "How badly"),
    "test": ("The test", "The test"),
    "where": ("Where", "Where"),
    "comparison": ("Comparison", "Comparison of models"),
    "reading": ("How to read this", "How to read this"),
    "reproduce": ("How to reproduce this", "How to reproduce this"),
    "downloads": ("Downloads", "Downloads"),
}


def to_html(document: ReportDocument, json: str, csv: str) -> str:
    """Return the page, with as much in it as fits; JSON and CSV are its downloads."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {"number": number, "cell": tables.cell}
    template = environment.from_string(_source("page.html"))
    pictures, page = _draw(document), ""
    for max_rows, max_size in LIMITS:
        links = downloads(json, csv, max_size)
        page = template.render(_Page(document, pictures, max_rows).contents(), files=links)
        if len(page.encode(errors="backslashreplace")) <= LARGEST:
            break
    return page


def _draw(document: ReportDocument) -> dict[Figure, str]:
    """Return every picture of the document as SVG."""
    shown = [model.figures for model in document.models.values()]
    if document.comparison is not None:
        shown.append(document.comparison.figures)
    return {
        figure: to_svg(figure.display, prefix=f"p{k}-{name}-{i}", inherit_colors=True)
        for k, named in enumerate(shown)
        for name, figures in named.items()
        for i, figure in enumerate(figures)
    }


@dataclass(frozen=True)
class _Page:
    document: ReportDocument
    pictures: Mapping[Figure, str]
    max_rows: int

    def contents(self) -> dict[str, Any]:
        """Return what the template shows, section by section."""
        document, models = self.document, self.document.models
        css, js = (_source(name).strip() for name in ("page.css", "page.js"))
        compared = {} if document.comparison is None else document.comparison.figures
        return {
            "css": Markup(css),
            "js": Markup(js),
            "policy": _policy(css, js),
            "version": f"calibrant {VERSION}",
            "document": document,
            "settings": document.settings,
            "subtitle": self._subtitle(),
            "sections": {k: v for k, v in SECTIONS.items() if compared or k != "comparison"},
            "several": document.several,
            "notes": self._notes(),
            "models": [
                {
                    "name": tables.cell(name),
                    "report": model,
                    "places": model.where.verdict,
                    "method": short_form(model.test.method),
                    "components": tables.component_table(model.test.details),
                    "highlights": _highlights(model.where),
                    "pictures": self._pictures(f"m{k}", _figures.PICTURES, model.figures),
                    "hidden_classes": _hidden_classes(model),
                }
                for k, (name, model) in enumerate(models.items())
            ],
            "classes": tables.class_table({n: one.data.classes for n, one in models.items()}).cut(
                min(50, self.max_rows)
            ),
            "measures": tables.measure_table({n: one.measures for n, one in models.items()}),
            "compared": self._pictures("all", _figures.COMPARISONS, compared),
            "searched": SEARCHED,
            "python_call": _python_call(document),
        }

    def _subtitle(self) -> str:
        data = self.document.data
        what = f"{counted(data.n_samples, 'row')}, {counted(data.n_classes, 'class')}"
        return f"{', '.join(map(tables.cell, self.document.models))} · {what}"

    def _notes(self) -> list[str]:
        several = self.document.several
        notes = ["Every p-value is for one model, not adjusted for several models."]
        return (notes if several else []) + [
            f"{tables.cell(name)}: {note}." if several else f"{note}."
            for name, model in self.document.models.items()
            for note in model.test.notes
        ]

    def _pictures(
        self, prefix: str, kinds: Sequence[Any], figures: Mapping[str, Sequence[Figure]]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the pictures of every section, those of one layout together."""
        sections: dict[str, list[dict[str, Any]]] = {}
        for kind in kinds:
            shown = [
                {
                    "of": figure,
                    "svg": Markup(self.pictures[figure]),  # to_svg has escaped every text
                    "table": figure.rows.cut(self.max_rows),
                }
                for figure in figures.get(kind.name, ())
            ]
            groups = sections.setdefault(kind.section, [])
            if kind.layout == "cards" and groups and groups[-1]["layout"] == "cards":
                groups[-1]["figures"] += shown
            elif shown:
                name = f"{prefix}-{kind.name}"
                groups.append({"layout": kind.layout, "id": name, "figures": shown})
        return sections


def _source(name: str) -> str:
    return files("calibrant.report").joinpath(name).read_text("utf-8")


def _policy(css: str, js: str) -> str:
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (css, js)
    )
    return (
        f"default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _highlights(places: WhereResult) -> list[str]:
    """Return what stands out, and what does beyond the overall error."""
    beyond = places.beyond
    lines = _first(places.highlights)
    if beyond is not None and beyond.significant:
        lines += [f"Beyond {beyond.taken_out}: {line}" for line in _first(beyond.highlights)]
    return lines


def _first(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _LISTED
    return [*lines[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]


def _hidden_classes(model: ModelReport) -> str:
    """Say that some classes have no reliability diagram, if so."""
    m = model.data.n_classes
    shown = len(model.figures["reliability"]) - (m > 2)  # of two classes the event is a class
    if shown == m:
        return ""
    return (
        f"{shown} of {m} classes are shown, strongest evidence first; all are in the table under "
        "“Where”."
    )


def _python_call(document: ReportDocument) -> str:
    options = {"rng": document.seed, **to_plain(document.settings)}
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    names = ", ".join(f"{name!r}: …" for name in document.models)
    y_prob = f"{{{names}}}" if document.several else "y_prob"
    return f'calibrant.Report(y_true, {y_prob}, {arguments}).write_html("calibration.html")'
