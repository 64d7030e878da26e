"""The summary as one HTML page: texts and tables are made here, the template only places them."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from calibrant._compare import ComparisonResult
from calibrant._where import WhereResult
from calibrant.plots._text import counted, name_text
from calibrant.report import _tables as tables
from calibrant.report._downloads import downloads
from calibrant.report._words import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from markupsafe import Markup

    from calibrant.report._tables import Table

#: no page is larger, in bytes
LARGEST = 3_000_000


@dataclass(frozen=True)
class Limits:
    """How much a page may hold: rows of a table, and characters of all downloads."""

    rows: int
    downloads: int


#: tried one after the other, until the page is small enough
LIMITS = (Limits(1000, 1_000_000), Limits(200, 500_000), Limits(50, 200_000), Limits(20, 0))

#: findings that are listed above their tables
_LISTED = 6

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


def to_html(summary: Mapping[str, Any], pictures: Mapping[str, str]) -> str:
    """Return the page, with as much in it as fits."""
    page = ""
    for limits in LIMITS:
        page = _Page(summary, pictures, limits).html()
        if len(page.encode()) <= LARGEST:
            break
    return page


@dataclass(frozen=True)
class _Page:
    summary: Mapping[str, Any]
    pictures: Mapping[str, str]
    limits: Limits

    def html(self) -> str:
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, keep_trailing_newline=True
        )
        css, js = (_source(name).strip() for name in ("page.css", "page.js"))
        return environment.from_string(_source("page.html")).render(
            css=Markup(css),
            js=Markup(js),
            policy=_policy(css, js),
            generator=f"calibrant {self.summary['calibrant']}",
            title=self.summary["title"],
            subtitle=self._subtitle(),
            sections=[
                (key, name)
                for key, name in _SECTIONS.items()
                if key != "comparison" or self.summary["comparison"]
            ],
            several=self._several,
            verdicts=[self._verdict(name) for name in self._models],
            verdict_notes=self._verdict_notes(),
            data=self._data(),
            reliability=[self._reliability(k, name) for k, name in enumerate(self._models)],
            measures=tables.measure_table(self._models),
            n_resamples=self.summary["settings"]["n_resamples"],
            tests=[self._test(k, name) for k, name in enumerate(self._models)],
            has_groups=any(model["where"]["groups"] for model in self._models.values()),
            places=[self._where(k, name) for k, name in enumerate(self._models)],
            comparison=self._comparison(),
            level=shown(self.summary["settings"]["level"]),
            reproduce=self._reproduce(),
            files=downloads(self.summary, self.limits.downloads),
        )

    @property
    def _models(self) -> Mapping[str, Mapping[str, Any]]:
        found: Mapping[str, Mapping[str, Any]] = self.summary["models"]
        return found

    @property
    def _several(self) -> bool:
        return len(self._models) > 1

    @property
    def _first(self) -> Mapping[str, Any]:
        return next(iter(self._models.values()))

    def _subtitle(self) -> str:
        data = self._first["data"]
        what = f"{counted(data['n_samples'], 'row')}, {counted(data['n_classes'], 'class')}"
        names = [tables.cell(name) for name in self._models]
        return f"{', '.join(names)} · {what}"

    def _verdict(self, name: str) -> dict[str, Any]:
        model = self._models[name]
        lines = [_places_sentence(WhereResult.from_dict(model["where"]))]
        if model["against"]:
            spoke = model["test"]["details"].get("component_name")
            lines = [f"The strongest evidence: {spoke}.", *lines] if spoke else lines
        else:
            lines = ["This does not show that the model is calibrated.", *lines]
        detectable = model["figures"]["detectable"]["description"]
        lines.append(f"{detectable.partition(';')[0].rstrip('.')}.")
        return {
            "name": tables.cell(name),
            "sentence": model["verdict"],
            "against": model["against"],
            "lines": [" ".join(lines)],
        }

    def _verdict_notes(self) -> list[str]:
        notes = []
        if self._several:
            notes.append("Every p-value is that of one model, not adjusted for several models.")
        for name, model in self._models.items():
            count = model["test"]["details"].get("impossible_labels", 0)
            if count:
                of = f"{tables.cell(name)}: " if self._several else ""
                notes.append(
                    f"{of}{counted(count, 'label')} had predicted probability exactly 0: "
                    "impossible under the model, or the file was rounded."
                )
        return notes

    def _data(self) -> dict[str, Any]:
        data = self._first["data"]
        rows = [
            ("Rows", str(data["n_samples"])),
            ("Classes", str(data["n_classes"])),
            ("Weights", "sample weights are used" if data["weighted"] else "none"),
        ]
        rows += [
            ("File" if not self._several else f"File of {tables.cell(name)}",
             model["input"]["file"])
            for name, model in self._models.items() if model["input"]
        ]  # fmt: skip
        inputs = [
            (tables.cell(name), _input_facts(model["input"]))
            for name, model in self._models.items()
            if model["input"]
        ]
        classes = tables.class_table(self._models)
        return {"facts": rows, "inputs": inputs, "classes": classes.cut(min(50, self.limits.rows))}

    def _reliability(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        figures = model["figures"]["reliability"]
        views = []
        for i, one in enumerate(figures):
            off = any(side != 0 for side in one["table"]["outside"])
            label = "predicted label" if one["label"] is None else name_text(one["label"])
            table = tables.reliability_table(one)
            views.append(
                {
                    "id": f"view-{k}-{i}",
                    "label": label,
                    "off": off,
                    "figure": self._figure(one, f"{k}-reliability-{i}", table),
                }
            )
        shown_, m = len(figures) - 1, model["data"]["n_classes"]
        notes = []
        if shown_ < m:
            notes.append(
                f"{shown_} of {m} classes are shown, those with the strongest evidence first; all "
                "are in the table under “Where”."
            )
        return {"name": tables.cell(name), "id": f"views-{k}", "views": views, "notes": notes}

    def _figure(
        self, figure: Mapping[str, Any], picture: str, table: Table | None
    ) -> dict[str, Any]:
        from markupsafe import Markup

        svg: Markup = Markup(self.pictures[picture])  # to_svg has escaped every text
        return {
            "title": figure["title"],
            "description": figure["description"],
            "svg": svg,
            "table": None if table is None else table.cut(self.limits.rows),
        }

    def _test(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        test, figures = model["test"], model["figures"]
        details = test["details"]
        rows = [
            ("p-value", f"{shown(test['pvalue'])} (Monte Carlo standard error "
             f"{shown(details['monte_carlo_error'])})"),
            ("What spoke", details["component_name"] if model["against"] else "nothing clearly"),
            ("Method", test["method"]),
            ("Choice", details["choice"]),
        ]  # fmt: skip
        return {
            "name": tables.cell(name),
            "facts": rows,
            "null": self._figure(
                figures["null"],
                f"{k}-null",
                tables.number_table(figures["null"], ("From", "To", "Draws")),
            ),
            "detectable": self._figure(
                figures["detectable"],
                f"{k}-detectable",
                tables.number_table(figures["detectable"], ("Temperature", "Rows needed")),
            ),
            "components": tables.component_table(test),
        }

    def _where(self, k: int, name: str) -> dict[str, Any]:
        model = self._models[name]
        result = WhereResult.from_dict(model["where"])
        listed = [line.strip() for line in result.summary().split("\n\n")[0].splitlines()[1:]]
        more = [f"… and {len(listed) - _LISTED} more"] if len(listed) > _LISTED else []
        found = model["where"]
        contents = {"classes": found["classes"], "regions": found["regions"], **found["groups"]}
        simplex = model["figures"]["simplex"]
        parts = [
            self._part(k, i, model, key, findings)
            for i, (key, findings) in enumerate(contents.items())
        ]
        return {
            "name": tables.cell(name),
            "headline": _places_sentence(result),
            "lines": [*listed[:_LISTED], *more],
            "simplex": simplex
            and self._figure(simplex, f"{k}-simplex", _simplex_table(simplex)),
            "parts": parts,
            "notes": [line.removeprefix("note: ") for line in result.summary().splitlines()
                      if line.startswith("note: ")][:10],
        }  # fmt: skip

    def _part(
        self, k: int, i: int, model: Mapping[str, Any], key: str, findings: list[Any]
    ) -> dict[str, Any]:
        title, kind = {
            0: ("Classes", "Class"),
            1: ("Regions of confidence", "Confidence"),
        }.get(i, (f"Groups of {name_text(key)}", "Group"))
        figure = model["figures"]["contributions"][key]
        table = tables.finding_table(f"{title}, the strongest evidence first", findings, kind)
        stands = any(
            one["adjusted_pvalue"] is not None
            and one["adjusted_pvalue"] <= self.summary["settings"]["level"]
            for one in findings
        )
        return {
            "title": f"{title} ({figure['description'].rstrip('.')})",
            "figure": self._figure(figure, f"{k}-contributions-{i}", None),
            "table": table.cut(self.limits.rows),
            "open": stands or not self._several,
        }

    def _comparison(self) -> dict[str, Any] | None:
        found = self.summary["comparison"]
        if found is None:
            return None
        result = ComparisonResult.from_dict(found["result"])
        head, *rest = result.summary().split("\n\n")[0].splitlines()
        table = tables.difference_table(found["result"])
        return {
            "headline": head,
            "lines": [line.strip() for line in rest],
            "figure": self._figure(found["figure"], "comparison", table),
        }

    def _reproduce(self) -> dict[str, Any]:
        made, settings = self.summary["reproduce"], self.summary["settings"]
        versions = [f"{name} {found}" for name, found in made["versions"].items() if found]
        rows = [
            ("Seed", str(self.summary["seed"])),
            ("Label sets", str(settings["n_resamples"])),
            ("Level", shown(settings["level"])),
            ("Regions", f"{settings['n_regions']}, of at least {settings['min_size']} rows"),
            ("Versions", ", ".join([f"calibrant {self.summary['calibrant']} "
                                    f"({made['core']} core)", *versions])),
        ]  # fmt: skip
        rows += [
            ("SHA-256 of the data" if not self._several else f"SHA-256 of {tables.cell(name)}",
             model["data"]["sha256"])
            for name, model in self._models.items()
        ]  # fmt: skip
        return {
            "command": made["command"] or _python_call(self.summary),
            "facts": rows,
            "citation": made["citation"],
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


def _input_facts(given: Mapping[str, Any]) -> list[tuple[str, str]]:
    sums = given["row_sums"]
    rows = [
        ("Format", f"{given['format']}, numbers as {given['dtype']}"),
        ("Labels", _listed(given["label_columns"])),
        ("Logits" if given["logits"] else "Probabilities", _listed(given["probability_columns"])),
        ("Labels from", given["labels_file"] or ""),
        ("Weights", given["weight_column"] or ""),
        ("Identifier", given["id_column"] or ""),
        ("Groups", _listed(given["group_columns"])),
        ("Not used", _listed(given["ignored_columns"])),
        ("Row sums", "" if sums is None else f"{sums[0]:.9g} to {sums[1]:.9g}"
         + (", divided out" if given["normalized"] else "")),
    ]  # fmt: skip
    return [(term, text) for term, text in rows if text]


def _listed(names: list[str]) -> str:
    text = ", ".join(name_text(name) for name in names[:20])
    return f"{text}, … ({len(names)} in all)" if len(names) > 20 else text


def _simplex_table(figure: Mapping[str, Any]) -> Table:
    return tables.number_table(figure, [name_text(name, 40) for name in figure["table"]])


def _places_sentence(places: WhereResult) -> str:
    kinds = ["classes", "regions of confidence", *(["groups"] if places.groups else [])]
    all_ = f"{', '.join(kinds[:-1])} and {kinds[-1]}"
    many, level = len(places.significant), shown(places.level)
    if not many:
        return f"None of the {len(places.findings)} {all_} stands out at level {level}."
    verb = "stands" if many == 1 else "stand"
    return f"{many} of the {len(places.findings)} {all_} {verb} out at level {level}."


def _python_call(summary: Mapping[str, Any]) -> str:
    options = {"rng": summary["seed"], **summary["settings"]}
    given = ", ".join(f"{name}={value!r}" for name, value in options.items())
    names = ", ".join(f"{name!r}: …" for name in summary["models"])
    y_prob = "y_prob" if len(summary["models"]) == 1 else f"{{{names}}}"
    call = f"calibrant.Report(y_true, {y_prob}, {given})"
    return f'{call}.write_html("calibration.html")'
