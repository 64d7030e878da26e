"""`calibrant plot`: one picture as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from calibrant._output import Section
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, input_options
from calibrant.cli._models import aligned, compared, named_files
from calibrant.cli._output import Output, Page, output_options, write_bytes
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant.io import PredictionFile
    from calibrant.plots import Display

PlotKind = Literal[
    "reliability", "classwise", "null", "contributions", "simplex", "detectable", "comparison"
]
KINDS = get_args(PlotKind)
_SUFFIXES = (".png", ".svg", ".pdf")


@click.command("plot")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--kind", type=click.Choice(KINDS), default="reliability", show_default=True)
@click.option("-o", "--output", metavar="PICTURE", required=True, help="PNG, SVG or PDF, by its "
              "name.", callback=lambda _c, _p, v: _checked_name(v))  # fmt: skip
@click.option("--class", "shown_class", metavar="CLASS", help="Reliability of this class "
              "(default: the last of two, else the predicted label).")  # fmt: skip
@click.option("--dpi", type=click.IntRange(min=10), default=200, show_default=True)
@input_options
@run_options
@output_options
def command(
    files: tuple[str, ...],
    kind: PlotKind,
    output: str,
    shown_class: str | None,
    dpi: int,
    data: Input,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Draw the calibration of FILE as one picture.

    reliability: predicted probability and frequency with bands; classwise: the same of every
    class; null: the statistic among those of a calibrated model; contributions: the part of every
    class in the error; simplex: three classes in a triangle; detectable: what could be seen with
    more rows; comparison: differences of two or more FILEs.
    """
    from calibrant.cli._documents import PlotDocument
    from calibrant.io import FileFacts

    several = kind == "comparison"
    if several != (len(files) > 1):
        needed = "at least two files" if several else "one file"
        raise click.UsageError(f"--kind {kind} needs {needed}; got {len(files)}")
    paths = named_files(files)
    found = {name: data.read(path, minimum=2) for name, path in paths.items()}
    with computing(), shown_progress("drawing", data.quiet) as progress:
        run = {"rng": seed, "n_jobs": jobs, "progress": progress}
        display = _display(kind, found, shown_class, resamples, run, data.id is not None)
        picture = _rendered(display, Path(output).suffix.lower(), dpi)
    write_bytes(output, picture)
    document = PlotDocument(
        inputs={name: FileFacts.of(file) for name, file in found.items()},
        seed=seed,
        kind=kind,
        output=output,
        title=display.title,
        description=display.describe(),
        table=display.table(),
    )
    sections = (Section(sentences=(document.description,)), origin(", ".join(files), seed))
    Output(json).show("plot", Page(f"{output}: {document.title}", sections), document)


def _checked_name(value: str) -> str:
    if Path(value).suffix.lower() not in _SUFFIXES:
        raise click.BadParameter(f"{value!r} must end with {', '.join(_SUFFIXES)}")
    return value


def _display(
    kind: str,
    found: Mapping[str, PredictionFile],
    shown_class: str | None,
    resamples: int,
    run: Mapping[str, Any],
    by_id: bool,
) -> Display:
    import calibrant as cal
    from calibrant import plots

    if kind == "comparison":
        models = aligned(dict(found), by_id)
        return plots.ComparisonDisplay.from_result(compared(models, **run))
    [file] = found.values()
    predictions = file.predictions
    if kind == "reliability":
        chosen = None if shown_class is None else _class(predictions, shown_class)
        return plots.ReliabilityDisplay.from_predictions(
            predictions, label=chosen, n_resamples=resamples, rng=run["rng"]
        )
    if kind == "null":
        method = cal.methods.Aggregated(resamples)
        result = cal.calibration_test(predictions, method=method, effects=False, **run)
        return plots.NullDistributionDisplay.from_result(result)
    if kind == "contributions":
        where = cal.where(predictions, n_resamples=resamples, **run)
        return plots.ClassContributionDisplay.from_result(where)
    if kind == "classwise":
        return plots.ClasswiseReliabilityDisplay.from_predictions(
            predictions, n_resamples=resamples, rng=run["rng"]
        )
    if kind == "simplex":
        return plots.SimplexDisplay.from_predictions(predictions)
    return plots.DetectableDisplay.from_predictions(predictions)


def _class(predictions: Predictions, label: str) -> Any:
    return {str(name): name for name in predictions.classes}.get(label, label)


def _rendered(display: Display, suffix: str, dpi: int) -> bytes:
    """Return the bytes of the picture, the same for the same numbers."""
    import io

    if suffix == ".svg":
        from calibrant.plots import to_svg

        return f'<?xml version="1.0" encoding="UTF-8"?>\n{to_svg(display)}\n'.encode()
    out = io.BytesIO()
    metadata = {"Software": None} if suffix == ".png" else {"CreationDate": None}
    display.plot().figure.savefig(out, format=suffix[1:], dpi=dpi, metadata=metadata)
    return out.getvalue()
