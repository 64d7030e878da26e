"""The document as one HTML page: texts and tables are made here, the template only places them."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from markupsafe import Markup

from calibrant._output import VERSION, Table, counted, number, range_text, short_form, to_plain
from calibrant._predictions import name_text
from calibrant._where import Finding, WhereResult
from calibrant.io import FileFacts
from calibrant.report import _tables as tables
from calibrant.report._document import Caption, Figure, ModelReport, ReportDocument
from calibrant.report._downloads import downloads

#: no page is larger, in bytes
LARGEST = 3_000_000


@dataclass(frozen=True)
class Limits:
    """How much a page may hold: rows of a table, and characters of all downloads."""

    rows: int
    downloads: int


#: tried one after the other, until the page is small enough
LIMITS = (Limits(1000, 1_000_000), Limits(200, 500_000), Limits(50, 200_000), Limits(20, 0))

#: tables of more rows can be searched
SEARCHED = 50
#: findings that are listed above their tables
_LISTED = 6
#: notes that are shown below them
_NOTED = 10

_SECTIONS = {
    "verdict": "Verdict",
    "data": "Data",
    "reliability": "Reliability",
    "measures": "How badly",
    "test": "The test",
    "where": "Where",
    "comparison": "Comparison",
    "reading": "How to read this",
    "reproduce": "How to reproduce this",
    "downloads": "Downloads",
}


def to_html(document: ReportDocument, pictures: Mapping[str, str]) -> str:
    """Return the page, with as much in it as fits."""
    page = ""
    for limits in LIMITS:
        page = _Page(document, pictures, limits).html()
        if len(page.encode(errors="backslashreplace")) <= LARGEST:
            break
    return page


@dataclass(frozen=True)
class _Page:
    document: ReportDocument
    pictures: Mapping[str, str]
    limits: Limits

    def html(self) -> str:
        from jinja2 import Environment, StrictUndefined

        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
        )
        css, js = (_source(name).strip() for name in ("page.css", "page.js"))
        return environment.from_string(_source("page.html")).render(
            css=Markup(css),
            js=Markup(js),
            policy=_policy(css, js),
            generator=f"calibrant {VERSION}",
            title=self.document.title,
            subtitle=self._subtitle(),
            sections=[
                (key, name)
                for key, name in _SECTIONS.items()
                if key != "comparison" or self.document.comparison is not None
            ],
            several=self.document.several,
            verdicts=[self._verdict(name) for name in self._models],
            verdict_notes=self._verdict_notes(),
            data=self._data(),
            reliability=[self._reliability(k, name) for k, name in enumerate(self._models)],
            measures=tables.measure_table(self._models),
            n_resamples=self.document.settings.n_resamples,
            tests=[self._test(k, name) for k, name in enumerate(self._models)],
            has_groups=any(model.where.groups for model in self._models.values()),
            places=[self._where(k, name) for k, name in enumerate(self._models)],
            comparison=self._comparison(),
            alpha=number(self.document.settings.alpha),
            searched=SEARCHED,
            reproduce=self._reproduce(),
            files=downloads(self.document, self.limits.downloads),
        )

    @property
    def _models(self) -> Mapping[str, ModelReport]:
        return self.document.models

    def _subtitle(self) -> str:
        data = self.document.first.data
        what = f"{counted(data.n_samples, 'row')}, {counted(data.n_classes, 'class')}"
        names = [tables.cell(name) for name in self._models]
        return f"{', '.join(names)} · {what}"

    def _of(self, what: str, name: str) -> str:
        return f"{what} of {tables.cell(name)}" if self.document.several else what

    def _verdict(self, name: str) -> dict[str, Any]:
        model = self._models[name]
        spoke = model.test.details.get("component_name")
        lines = [_places_sentence(model.where), model.figures.detectable.reach]
        if not model.against:
            lines = ["This does not show that the model is calibrated.", *lines]
        elif spoke:
            lines = [f"The strongest evidence: {spoke}.", *lines]
        return {
            "name": tables.cell(name),
            "sentence": model.verdict,
            "against": model.against,
            "lines": [" ".join(lines)],
        }

    def _verdict_notes(self) -> list[str]:
        several = self.document.several
        notes = ["Every p-value is that of one model, not adjusted for several models."]
        return (notes if several else []) + [
            f"{tables.cell(name)}: {note}." if several else f"{note}."
            for name, model in self._models.items()
            for note in model.test.notes
        ]

    def _data(self) -> dict[str, Any]:
        data = self.document.first.data
        inputs = {n: model.input for n, model in self._models.items() if model.input is not None}
        rows = [
            ("Rows", str(data.n_samples)),
            ("Classes", str(data.n_classes)),
            ("Weights", "sample weights are used" if data.weighted else "none"),
            *((self._of("File", name), given.file) for name, given in inputs.items()),
        ]
        return {
            "facts": rows,
            "inputs": [(tables.cell(name), _input_facts(given)) for name, given in inputs.items()],
            "classes": tables.class_table(self._models).cut(min(50, self.limits.rows)),
        }

    def _reliability(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        figures = model.figures.reliability
        views = [
            {
                "id": f"view-{k}-{i}",
                "label": "predicted label" if one.label is None else name_text(one.label),
                "off": any(side != 0 for side in one.table["outside"]),
                "figure": self._figure(one, f"{k}-reliability-{i}", tables.reliability_table(one)),
            }
            for i, one in enumerate(figures)
        ]
        m = model.data.n_classes
        shown = len(figures) - (m > 2)  # of two classes the event is a class
        notes = [
            f"{shown} of {m} classes are shown, those with the strongest evidence first; all "
            "are in the table under “Where”."
        ]
        return {
            "name": tables.cell(name),
            "id": f"views-{k}",
            "legend": "Show the predicted label, or one class" if m > 2 else "Show one class",
            "views": views,
            "notes": notes if shown < m else [],
        }

    def _figure(self, figure: Caption, picture: str, table: Table | None) -> dict[str, Any]:
        return {
            "title": figure.title,
            "description": figure.description,
            "svg": Markup(self.pictures[picture]),  # to_svg has escaped every text
            "table": None if table is None else table.cut(self.limits.rows),
        }

    def _test(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        details, figures = model.test.details, model.figures
        error = number(details["monte_carlo_error"])
        rows = [
            ("p-value", f"{number(model.test.pvalue)} (Monte Carlo standard error {error})"),
            ("What spoke", details["component_name"] if model.against else "nothing clearly"),
            ("Method", short_form(model.test.method)),
            ("Choice", details["choice"]),
        ]
        null = tables.number_table(figures.null, ("From", "To", "Draws"))
        needed = tables.number_table(figures.detectable, ("Temperature", "Rows needed"))
        return {
            "name": tables.cell(name),
            "facts": rows,
            "null": self._figure(figures.null, f"{k}-null", null),
            "detectable": self._figure(figures.detectable, f"{k}-detectable", needed),
            "components": tables.component_table(details),
        }

    def _where(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        places, simplex = model.where, model.figures.simplex
        listed, more = places.highlights[:_LISTED], len(places.highlights) - _LISTED
        contents = {"classes": places.classes, "regions": places.regions, **places.groups}
        return {
            "name": tables.cell(name),
            "headline": _places_sentence(places),
            "lines": [*listed, *([f"… and {more} more"] if more > 0 else [])],
            "simplex": simplex and self._figure(simplex, f"{k}-simplex", _simplex_table(simplex)),
            "parts": [
                self._part(k, i, model, key, findings)
                for i, (key, findings) in enumerate(contents.items())
            ],
            "notes": places.notes[:_NOTED],
        }

    def _part(
        self, k: int, i: int, model: ModelReport, key: str, findings: Sequence[Finding]
    ) -> dict[str, Any]:
        title, kind = {
            0: ("Classes", "Class"),
            1: ("Regions of confidence", "Confidence"),
        }.get(i, (f"Groups of {name_text(key)}", "Group"))
        figure = model.figures.contributions[key]
        table = tables.finding_table(f"{title}, the strongest evidence first", findings, kind)
        stands = any(one in model.where.significant for one in findings)
        return {
            "title": f"{title}. {figure.description}",
            "figure": self._figure(figure, f"{k}-contributions-{i}", None),
            "table": table.cut(self.limits.rows),
            "open": stands or not self.document.several,
        }

    def _comparison(self) -> dict[str, Any] | None:
        found = self.document.comparison
        if found is None:
            return None
        return {
            "headline": found.result.verdict,
            "lines": found.result.highlights,
            "figure": self._figure(
                found.figure, "comparison", tables.difference_table(found.result)
            ),
        }

    def _reproduce(self) -> dict[str, Any]:
        made, settings = self.document.reproduce, self.document.settings
        versions = [f"{name} {found}" for name, found in made.versions.items() if found]
        core = f"calibrant {VERSION} ({made.core} core)"
        rows = [
            ("Seed", str(self.document.seed)),
            ("Label sets", str(settings.n_resamples)),
            ("Alpha", number(settings.alpha)),
            ("Regions", f"{settings.n_regions}, of at least {settings.min_size} rows"),
            ("Versions", ", ".join([core, *versions])),
        ]
        what = "SHA-256" if self.document.several else "SHA-256 of the data"
        rows += [(self._of(what, name), model.data.sha256) for name, model in self._models.items()]
        return {
            "command": made.command or _python_call(self.document),
            "facts": rows,
            "citation": made.citation,
        }


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


def _input_facts(given: FileFacts) -> list[tuple[str, str]]:
    sums = "" if given.row_sums is None else range_text(*given.row_sums, digits=9)
    rows = [
        ("Format", f"{given.format}, numbers as {given.dtype}"),
        ("Labels", _listed(given.label_columns)),
        ("Logits" if given.logits else "Probabilities", _listed(given.probability_columns)),
        ("Labels from", given.labels_file or ""),
        ("Weights", given.weight_column or ""),
        ("Identifier", given.id_column or ""),
        ("Groups", _listed(given.group_columns)),
        ("Not used", _listed(given.ignored_columns)),
        ("Row sums", f"{sums}, divided out" if sums and given.normalized else sums),
    ]
    return [(term, text) for term, text in rows if text]


def _listed(names: Sequence[str]) -> str:
    text = ", ".join(name_text(name) for name in names[:20])
    return f"{text}, … ({len(names)} in all)" if len(names) > 20 else text


def _simplex_table(figure: Figure) -> Table:
    return tables.number_table(figure, [name_text(name, 40) for name in figure.table])


def _places_sentence(places: WhereResult) -> str:
    kinds = ["classes", "regions of confidence", *(["groups"] if places.groups else [])]
    all_ = f"{', '.join(kinds[:-1])} and {kinds[-1]}"
    many, alpha = len(places.significant), number(places.alpha)
    if not many:
        return f"None of the {len(places.findings)} {all_} stands out at alpha = {alpha}."
    verb = "stands" if many == 1 else "stand"
    return f"{many} of the {len(places.findings)} {all_} {verb} out at alpha = {alpha}."


def _python_call(document: ReportDocument) -> str:
    options = {"rng": document.seed, **to_plain(document.settings)}
    given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    names = ", ".join(f"{name!r}: …" for name in document.models)
    y_prob = f"{{{names}}}" if document.several else "y_prob"
    call = f"calibrant.Report(y_true, {y_prob}, {given})"
    return f'{call}.write_html("calibration.html")'
