"""The HTML page of a document; the template only places texts and tables made here."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from calibrant._calibration_test import dependence_line
from calibrant._execution import limits
from calibrant._followup.where import WhereResult
from calibrant._output import VERSION, counted, number, pvalue_cell, to_plain
from calibrant.plots import ReliabilityDisplay, to_svg
from calibrant.report import _figures, _tables as tables
from calibrant.report._answers import WHICH
from calibrant.report._document import ModelReport, ReportDocument
from calibrant.report._downloads import downloads
from calibrant.report._figures import Figure
from calibrant.report._small import SmallReliability

#: tables with more rows are searchable
SEARCHED = 50
#: most findings listed above their tables
_LISTED = 6


@dataclass(frozen=True)
class Heading:
    """A section: its heading, a one-line summary, and whether it is printed by default."""

    title: str
    digest: str = ""
    is_printed: bool = True


#: by id, in the order of the page; all but the first are collapsed
SECTIONS = {
    "verdict": Heading("Verdict"),
    "repair": Heading("What to do", "the evidence for and against a repair", is_printed=False),
    "reliability": Heading(
        "Reliability diagrams", "predicted probability against observed frequency", is_printed=False
    ),
    "measures": Heading("How badly", "every measure, its interval, and what chance would show"),
    "where": Heading("Where", "classes, regions and groups, the strongest evidence first"),
    "test": Heading("The test", "what was ranked, and what could be detected", is_printed=False),
    "comparison": Heading("Comparison of models", "every difference, with its interval"),
    "reading": Heading("How to read this", "p-value, temperature, interval and other words"),
    "downloads": Heading("Downloads", "all numbers as JSON and CSV", is_printed=False),
    "appendix": Heading("Appendix", "data, settings, seed, versions and checksums"),
}


def to_html(document: ReportDocument, json: str, csv: str) -> str:
    """Return the page, with as much content as fits; JSON and CSV are its downloads."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
    )
    environment.filters |= {
        "number": number,
        "cell": tables.cell,
        "grouped": "{:,}".format,
        "dependence": dependence_line,
        "tied": _tie,
    }
    template = environment.from_string(_source("page.html"))
    pictures, cards, page = _draw(document), _draw_cards(document), ""
    for max_rows, max_size in limits().page_limits:
        links = downloads(json, csv, max_size)
        contents = _Page(document, pictures, cards, max_rows).contents()
        page = template.render(contents, files=links)
        if len(page.encode(errors="backslashreplace")) <= limits().page_bytes:
            break
    return page


def _tie(text: str) -> str:
    """Keep numbers with their units and signs on one line."""
    return re.sub(r" (?=%)|(?<=\bp) (?=[=≤])|(?<=p [=≤]) ", "\N{NO-BREAK SPACE}", text)


def _draw(document: ReportDocument) -> dict[Figure, str]:
    """Return every plot of the document as SVG."""
    shown = [model.figures for model in document.models.values()]
    if document.comparison is not None:
        shown.append(document.comparison.figures)
    return {
        figure: to_svg(figure.display, prefix=f"p{k}-{name}-{i}", inherit_colors=True)
        for k, named in enumerate(shown)
        for name, figures in named.items()
        for i, figure in enumerate(figures)
    }


def _draw_cards(document: ReportDocument) -> dict[str, str]:
    """Return the plot on each model's card as SVG."""
    drawn = {}
    for k, (name, model) in enumerate(document.models.items()):
        display = model.figures["reliability"][0].display
        assert isinstance(display, ReliabilityDisplay)
        card = SmallReliability(display, is_large=not document.several)
        drawn[name] = to_svg(card, prefix=f"c{k}", inherit_colors=True)
    return drawn


@dataclass(frozen=True)
class _Page:
    document: ReportDocument
    pictures: Mapping[Figure, str]
    cards: Mapping[str, str]
    max_rows: int

    def contents(self) -> dict[str, Any]:
        """Return the contents of the template, section by section."""
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
            "facts": self._facts(),
            "sections": SECTIONS,
            "several": document.several,
            "which": WHICH,
            "better": None if document.comparison is None else document.comparison.result.verdict,
            "notes": self._notes(),
            "models": [
                {
                    "name": tables.cell(name),
                    "report": model,
                    "card": Markup(self.cards[name]),
                    "answers": model.answers.items()[1:],
                    "repair": self._repair(model),
                    "places": model.where.verdict,
                    "method": model.test.test_text,
                    "pvalue": pvalue_cell(model.test.pvalue, model.test.details["n_resamples"]),
                    "components": tables.component_table(model.test.details, model.test.n_classes),
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
        document, data = self.document, self.document.data
        models = [counted(len(document.models), "model")] if document.several else []
        rows, classes = counted(data.n_samples, "row"), counted(data.n_classes, "class")
        inside = "" if data.n_clusters is None else f" in {counted(data.n_clusters, 'cluster')}"
        return ", ".join([*models, f"{rows}{inside}", classes])

    def _facts(self) -> list[tuple[str, str]]:
        """Return the user's facts about the report."""
        said = to_plain(self.document.about)
        names = {"dataset": "Data", "author": "Author", "date": "Date"}
        return [(names[key], text) for key, text in said.items() if text]

    def _repair(self, model: ModelReport) -> dict[str, Any] | None:
        repair = model.repair
        if repair is None:
            return None
        parts = tables.repair_tables(repair)
        return {"verdict": model.answers.repair, "tables": parts, "notes": repair.notes}

    def _notes(self) -> list[str]:
        several = self.document.several
        notes = ["Every p-value is for one model, not adjusted for several models."]
        sampled = [f"{self.document.sampled}."] if self.document.sampled else []
        return (
            sampled
            + (notes if several else [])
            + [
                f"{tables.cell(name)}: {note}." if several else f"{note}."
                for name, model in self.document.models.items()
                for note in model.test.notes
            ]
        )

    def _pictures(
        self, prefix: str, kinds: Sequence[Any], figures: Mapping[str, Sequence[Figure]]
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the plots of every section, grouped by layout."""
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
    """Return what stands out, and what stands out beyond the overall error."""
    beyond = places.beyond
    lines = _first(places.highlights)
    if beyond is not None and beyond.significant:
        lines += [f"Beyond {beyond.taken_out}: {line}" for line in _first(beyond.highlights)]
    return lines


def _first(lines: Sequence[str]) -> list[str]:
    more = len(lines) - _LISTED
    return [*lines[:_LISTED], *([f"… and {more} more"] if more > 0 else [])]


def _hidden_classes(model: ModelReport) -> str:
    """Return a note if some classes have no reliability diagram."""
    m = model.data.n_classes
    shown = len(model.figures["reliability"]) - (m > 2)  # with two classes, the event is a class
    if shown == m:
        return ""
    return (
        f"{shown} of {m:,} classes are shown, strongest evidence first; all are in the table under "
        "“Where”."
    )


def _python_call(document: ReportDocument) -> str:
    options = {"rng": document.seed, **to_plain(document.settings)}
    arguments = ", ".join(f"{name}={value!r}" for name, value in options.items())
    names = ", ".join(f"{name!r}: …" for name in document.models)
    y_prob = f"{{{names}}}" if document.several else "y_prob"
    return f'calibrant.Report(y_true, {y_prob}, {arguments}).write_html("calibration.html")'
