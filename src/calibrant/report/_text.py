"""The document as plain text."""

from __future__ import annotations

from calibrant._output import VERSION, counted, one_line, to_plain
from calibrant.report._answers import QUESTIONS, WHICH
from calibrant.report._document import ReportDocument
from calibrant.report._page import SECTIONS
from calibrant.report._tables import class_table, measure_table, repair_tables

_ROWS = 20


def to_text(document: ReportDocument) -> str:
    """Return all sections but the plots, in the order of the page."""
    measures = measure_table(
        {name: model.measures for name, model in document.models.items()}, in_words=False
    )
    parts = [first_screen(document).rstrip()]
    models = [(f": {n}" if document.several else "", one) for n, one in document.models.items()]
    for name, model in models:
        if model.repair is not None:
            parts += [_heading("repair", name), one_line(model.answers.repair)]
            for table in repair_tables(model.repair):
                parts.append("\n".join([f"{table.caption}:", *table.lines()]))
    parts += [_heading("measures"), "\n".join(measures.lines())]
    for name, model in models:
        parts += [_heading("where", name), model.where.summary()]
    for name, model in models:
        parts += [_heading("test", name), model.test.summary()]
    if document.comparison is not None:
        parts += [_heading("comparison"), document.comparison.result.summary()]
    parts += [_heading("appendix"), _data(document), _origin(document)]
    return "\n\n".join(parts) + "\n"


def first_screen(document: ReportDocument) -> str:
    """Return the answers for decision makers, for every model."""
    parts = ["\n".join([_underline(document.title, "="), *_about(document)])]
    if document.comparison is not None:
        parts.append(one_line(f"{WHICH} {document.comparison.result.verdict}"))
    for name, model in document.models.items():
        lines = [_underline(name, "-")] if document.several else []
        width = max(map(len, QUESTIONS.values()))
        lines += [one_line(f"{q:{width}}  {text}") for q, text in model.answers.items()]
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _about(document: ReportDocument) -> list[str]:
    about = to_plain(document.about)
    return [one_line(f"{name}: {text}") for name, text in about.items() if text]


def _heading(section: str, of: str = "") -> str:
    return _underline(SECTIONS[section].title + of, "-")


def _underline(text: str, line: str) -> str:
    text = one_line(text)
    return f"{text}\n{line * len(text)}"


def _data(document: ReportDocument) -> str:
    data, models = document.data, document.models
    rows, classes = (
        counted(data.n_samples, "row"),
        counted(data.n_classes, "ordered class" if data.ordered else "class"),
    )
    inside = "" if data.n_clusters is None else f" in {counted(data.n_clusters, 'cluster')}"
    lines = [f"{rows}{inside}, {classes}{', weighted' if data.weighted else ''}."]
    lines += [f"{document.sampled}."] if document.sampled else []
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
        *(f"SHA-256 of the {what}{f' of {name}' if document.several else ''}: {checksum}"
          for name, model in document.models.items()
          for what, checksum in (("data", model.data.sha256), ("file", model.checksum))
          if checksum is not None),
        f"Cite: {made.citation}",
    ]  # fmt: skip
    return "\n".join(map(one_line, lines))
