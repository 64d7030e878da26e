"""`calibrant check`: what was understood, nothing computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from calibrant.cli._input import Input, input_options
from calibrant.cli._output import Output, Page, output_options

if TYPE_CHECKING:
    from calibrant.io import PredictionFile, PredictionScan

_LISTED = 20


@click.command("check")
@click.argument("file")
@input_options
@output_options
def command(file: str, data: Input, json: str | None) -> None:
    """Show how FILE was understood; compute nothing.

    Columns, classes, rows, base rates and row sums. What every other command would refuse is
    refused here, with the same message.
    """
    from calibrant._predictions._class_rates import class_rates

    found = data.read(file)
    classes = class_rates(found.predictions)
    content = {"input": described(found), "classes": classes}
    headline = (
        f"{found.understood.file}: {found.predictions.n_samples} rows, "
        f"{found.predictions.n_classes} classes. This can be tested."
    )
    Output(json).show("check", Page(headline, _body(found, classes)), content)


def described(found: PredictionFile | PredictionScan) -> dict[str, Any]:
    """Return what was understood of a file, for JSON."""
    from calibrant.io import PredictionFile

    rows = found.predictions if isinstance(found, PredictionFile) else found
    return {
        **found.understood.to_dict(),
        "n_samples": rows.n_samples,
        "n_classes": rows.n_classes,
        "class_names": [str(name) for name in rows.classes],
    }


def _body(found: PredictionFile, classes: list[dict[str, Any]]) -> str:
    understood = found.understood
    columns = _names(understood.label_columns)
    source = f" of {understood.labels_file}" if understood.labels_file else ""
    rows = [
        ("format", f"{understood.format}, numbers as {understood.dtype}"),
        ("labels", f"{columns}{source}"),
        (
            "logits" if understood.logits else "probabilities",
            _names(understood.probability_columns),
        ),
        ("weights", understood.weight_column or ""),
        ("identifier", understood.id_column or ""),
        ("groups", _names(understood.group_columns)),
        ("not used", _names(understood.ignored_columns)),
        ("row sums", _sums(understood.row_sums, understood.normalized)),
    ]
    lines = [f"  {name:<13}  {text}" for name, text in rows if text]
    width = max(len("class"), *(len(_short(c["name"])) for c in classes[:_LISTED]))
    lines += ["", f"  {'class':<{width}}      rows  base rate  mean probability"]
    lines += [
        f"  {_short(c['name']):<{width}}  {c['count']:>8}  {c['base_rate']:>9.4f}"
        f"  {c['mean_probability']:>16.4f}"
        for c in classes[:_LISTED]
    ]
    if len(classes) > _LISTED:
        lines.append(f"  … and {len(classes) - _LISTED} more")
    return "\n".join(["", *lines])


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(_short(name) for name in names[:_LISTED])
    return f"{shown}, … ({len(names)} in all)" if len(names) > _LISTED else shown


def _short(name: str) -> str:
    text = "".join(c if c.isprintable() else "?" for c in name)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _sums(sums: tuple[float, float] | None, normalized: bool) -> str:
    if sums is None:
        return ""
    low, high = sums
    smallest, largest = f"{low:.9g}", f"{high:.9g}"
    text = smallest if smallest == largest else f"{smallest} to {largest}"
    return f"{text}, divided out" if normalized else text
