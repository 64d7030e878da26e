"""The document as plain text."""

from __future__ import annotations

from calibrant._output import VERSION, counted, one_line, to_plain
from calibrant.report._document import ReportDocument
from calibrant.report._page import SECTIONS
from calibrant.report._tables import class_table, measure_table

_ROWS = 20


def to_text(document: ReportDocument) -> str:
    """Return all sections but the pictures, in the order of the page."""
    measures = measure_table(
        {name: model.measures for name, model in document.models.items()}, in_words=False
    )
    parts = [_underline(document.title, "="), _verdicts(document)]
    parts += [_heading("data"), _data(document)]
    parts += [_heading("measures"), "\n".join(measures.lines())]
    for name, model in document.models.items():
        of = f" of {name}" if document.several else ""
        parts += [_heading("test", of), model.test.summary()]
        parts += [_heading("where", of), model.where.summary()]
    if document.comparison is not None:
        parts += [_heading("comparison"), document.comparison.result.summary()]
    parts += [_heading("reproduce"), _origin(document)]
    return "\n\n".join(parts) + "\n"


def _heading(section: str, of: str = "") -> str:
    return _underline(SECTIONS[section][1] + of, "-")


def _underline(text: str, line: str) -> str:
    text = one_line(text)
    return f"{text}\n{line * len(text)}"


def _verdicts(document: ReportDocument) -> str:
    if not document.several:
        return one_line(next(iter(document.models.values())).verdict)
    models = document.models.items()
    return "\n".join(one_line(f"{name}: {model.verdict}") for name, model in models)


def _data(document: ReportDocument) -> str:
    data, models = document.data, document.models
    rows, classes = counted(data.n_samples, "row"), counted(data.n_classes, "class")
    inside = "" if data.n_clusters is None else f" in {counted(data.n_clusters, 'cluster')}"
    lines = [f"{rows}{inside}, {classes}{', weighted' if data.weighted else ''}."]
    lines += [f"File: {model.input.file}" for model in models.values() if model.input is not None]
    lines = list(map(one_line, lines))
    table = class_table({name: model.data.classes for name, model in models.items()})
    return "\n".join([*lines, "", *table.cut(_ROWS).lines()])


def _origin(document: ReportDocument) -> str:
    made = document.reproduce
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items() if version)
    settings = ", ".join(f"{name} {value}" for name, value in to_plain(document.settings).items())
    lines = [
        f"calibrant {VERSION} ({made.core} core), {versions}",
        f"seed {document.seed}, {settings}",
        *([made.command] if made.command else []),
        *(f"SHA-256 of the data{f' of {name}' if document.several else ''}: {model.data.sha256}"
          for name, model in document.models.items()),
        f"Cite: {made.citation}",
    ]  # fmt: skip
    return "\n".join(map(one_line, lines))
