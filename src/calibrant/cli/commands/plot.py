"""`calibrant plot`: one plot as PNG, SVG or PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import click

from calibrant._output import Section
from calibrant.cli._exit import computing
from calibrant.cli._input import Input, refuse_given, ungrouped_input_options
from calibrant.cli._models import aligned, compared, lined_up, named_files
from calibrant.cli._output import Output, Page, output_options, write_bytes
from calibrant.cli._progress import shown_progress
from calibrant.cli._run_options import origin, run_options

if TYPE_CHECKING:
    from calibrant._predictions import Predictions
    from calibrant.plots import Display

PlotKind = Literal[
    "reliability",
    "classwise",
    "cumulative",
    "null",
    "contributions",
    "simplex",
    "detectable",
    "comparison",
]
KINDS = get_args(PlotKind)
_DIAGRAM = ("binning", "bins", "scale", "resamples")
#: options that only some kinds of plots use, and the kinds that use them
_SOME = ("shown_class", *_DIAGRAM)
_USED: dict[str, tuple[str, ...]] = {
    "reliability": _SOME,
    "classwise": _DIAGRAM,
    "cumulative": ("shown_class", "resamples"),
    "null": ("resamples",),
    "contributions": ("resamples",),
}
_SUFFIXES = (".png", ".svg", ".pdf")
_BINNINGS = ("auto", "isotonic", "uniform", "quantile")


@click.command("plot")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--kind", type=click.Choice(KINDS), default="reliability", show_default=True,
              help="What to draw.")  # fmt: skip
@click.option("-o", "--output", metavar="PICTURE", required=True, help="PNG, SVG or PDF, by its "
              "name.", callback=lambda _c, _p, v: _checked_name(v))  # fmt: skip
@click.option("--class", "shown_class", metavar="CLASS", help="Class of a reliability "
              "diagram or of cumulative differences (default: the last of two, else the predicted "
              "label).")  # fmt: skip
@click.option("--binning", type=click.Choice(_BINNINGS), default="auto", show_default=True,
              help="How reliability diagrams group rows: an isotonic (CORP) curve, or bins; auto "
              "takes bins of equal width where all have enough rows.")  # fmt: skip
@click.option("--bins", type=click.IntRange(min=1), help="Number of bins (default: 15; 10 of "
              "equal counts).")  # fmt: skip
@click.option("--scale", type=click.Choice(("auto", "linear", "logit")), default="auto",
              show_default=True, help="Axes of reliability diagrams; auto takes logit axes for "
              "rare events and very confident models, if there are enough rows.")  # fmt: skip
@click.option("--dpi", type=click.IntRange(min=10), default=200, show_default=True,
              help="Resolution of a PNG.")  # fmt: skip
@ungrouped_input_options
@run_options
@output_options
def command(
    files: tuple[str, ...],
    kind: PlotKind,
    output: str,
    shown_class: str | None,
    binning: str,
    bins: int | None,
    scale: str,
    dpi: int,
    data: Input,
    seed: int,
    resamples: int,
    jobs: int | None,
    json: str | None,
) -> None:
    """Draw the calibration of FILE as one picture.

    reliability: observed frequency against predicted probability, with bands, for up to three
    FILEs; classwise: the same for each class; cumulative: the running sum of outcomes minus
    predictions, without bins (Kolmogorov–Smirnov, Kuiper); null: the statistic and its distribution
    under calibration; contributions: each class's part of the error; simplex: three classes in a
    triangle; detectable: what more rows could detect; comparison: differences between two or more
    FILEs.
    """
    from calibrant.cli._documents import PlotDocument
    from calibrant.io import FileFacts

    _check_count(kind, len(files))
    for name in _SOME:
        if name not in _USED.get(kind, ()):
            refuse_given(name, f"--kind {kind} does not use it")
    if not output.lower().endswith(".png"):
        refuse_given("dpi", "only PNG has a resolution")
    if kind != "null":
        refuse_given("ordered", f"--kind {kind} does not use the order")
    diagram = {"binning": _binning(binning, bins), "scale": scale}
    paths = named_files(files)
    found = {name: data.read(path, minimum=2) for name, path in paths.items()}
    with computing(), shown_progress("drawing", data.quiet) as progress:
        run = {"rng": seed, "n_jobs": jobs, "progress": progress}
        models = aligned(found, data.id is not None)
        display = _display(kind, models, shown_class, diagram, resamples, run)
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


def _check_count(kind: str, count: int) -> None:
    least, most = {"comparison": (2, None), "reliability": (1, 3)}.get(kind, (1, 1))
    if count < least:
        raise click.UsageError(f"--kind {kind} needs at least two files; got {count}")
    if most is not None and count > most:
        needed = "one file" if most == 1 else f"at most {most} files"
        raise click.UsageError(f"--kind {kind} needs {needed}; got {count}")


def _binning(name: str, count: int | None) -> Any:
    from calibrant.binning import DEFAULT, Quantile, Uniform

    if name == "quantile":
        return Quantile(count or 10)
    if name == "uniform" or (name == "auto" and count is not None):
        return Uniform(count or DEFAULT.n)
    if count is not None:
        raise click.UsageError("--bins needs --binning uniform or quantile: a curve has no bins")
    return name


def _display(
    kind: PlotKind,
    models: Mapping[str, Predictions],
    label: str | None,
    diagram: dict[str, Any],
    resamples: int,
    run: Mapping[str, Any],
) -> Display:
    """Create the display of a kind of plot."""
    from calibrant import methods, plots

    first = next(iter(models.values()))
    draws: dict[str, Any] = {"n_resamples": resamples, "rng": run["rng"]}
    of_class = {} if label is None else {"label": _class(first, label)}
    if kind == "reliability" and len(models) > 1:
        if diagram["binning"] == "auto":
            diagram["binning"] = "isotonic"
        with lined_up():
            return plots.ReliabilityComparisonDisplay.from_predictions(
                models, **diagram, **draws, **of_class
            )
    rows: dict[PlotKind, tuple[type[Display], dict[str, Any]]] = {
        "reliability": (plots.ReliabilityDisplay, diagram | draws | of_class),
        "classwise": (plots.ClasswiseReliabilityDisplay, diagram | draws),
        "cumulative": (plots.CumulativeDisplay, draws | of_class),
        "null": (plots.NullDistributionDisplay, {"method": methods.Aggregated(resamples), **run}),
        "contributions": (plots.ClassContributionDisplay, {**draws, **run}),
        "simplex": (plots.SimplexDisplay, {}),
        "detectable": (plots.DetectableDisplay, {}),
    }
    if kind == "comparison":
        return plots.ComparisonDisplay.from_result(compared(dict(models), **run))
    display, options = rows[kind]
    return display.from_predictions(first, **options)


def _class(predictions: Predictions, label: str) -> Any:
    return {str(name): name for name in predictions.classes}.get(label, label)


def _rendered(display: Display, suffix: str, dpi: int) -> bytes:
    """Return the bytes of the plot, reproducible for the same numbers."""
    import io

    if suffix == ".svg":
        from calibrant.plots import to_svg

        return f'<?xml version="1.0" encoding="UTF-8"?>\n{to_svg(display)}\n'.encode()
    out = io.BytesIO()
    metadata = {"Software": None} if suffix == ".png" else {"CreationDate": None}
    display.plot().figure.savefig(out, format=suffix[1:], dpi=dpi, metadata=metadata)
    return out.getvalue()
