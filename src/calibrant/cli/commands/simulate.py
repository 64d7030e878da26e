"""`calibrant simulate`: predictions whose miscalibration is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from calibrant._output import one_line
from calibrant.cli._exit import computing
from calibrant.cli._input import refuse_given
from calibrant.cli._numbers import POSITIVE
from calibrant.cli._output import unwritable
from calibrant.cli._run_options import SEED
from calibrant.cli._streams import emit, tell

if TYPE_CHECKING:
    from calibrant.models import GenerativeModel

MODELS = ("m1", "m2", "m3", "temperature")


@click.command("simulate")
@click.argument("model", type=click.Choice(MODELS))
@click.option("--rows", type=click.IntRange(min=1), default=1000, show_default=True,
              help="Number of rows.")  # fmt: skip
@click.option("--classes", type=click.IntRange(min=2), default=10, show_default=True,
              help="Number of classes.")  # fmt: skip
@click.option("--alpha", type=POSITIVE, default=0.1,
              show_default=True,
              help="Concentration; small values give confident predictions.")  # fmt: skip
@click.option("--temperature", type=POSITIVE, default=1.5,
              show_default=True,
              help="For `temperature` only; above 1 is over-confident.")  # fmt: skip
@click.option("-o", "--output", metavar="FILE", help="CSV, TSV, npz, Parquet or Arrow, by its "
              "name (default: CSV on standard output).")  # fmt: skip
@click.option("-q", "--quiet", is_flag=True, help="Do not report what was written.")
@SEED
def command(
    model: str,
    rows: int,
    classes: int,
    alpha: float,
    temperature: float,
    output: str | None,
    quiet: bool,
    seed: int,
) -> None:
    """Simulate predictions whose miscalibration is known.

    m1 is calibrated; in m2 half of the labels are the first class regardless of the prediction; in
    m3 the labels ignore the predictions; in `temperature` the logits are too large by a factor.
    """
    if model != "temperature":
        refuse_given("temperature", f"{model} has no temperature")
    from calibrant._predictions import Predictions
    from calibrant.io import InputError, csv_text, write_predictions

    with computing():
        source = _model(model, classes, alpha, temperature)
        predictions = Predictions(*source.sample(rows, rng=seed))
    if output is None:
        emit(csv_text(predictions))
        return
    try:
        write_predictions(output, predictions)
    except InputError as error:
        raise click.BadParameter(str(error), param_hint="--output") from error
    except OSError as error:
        raise unwritable(output, error) from error
    if not quiet:
        tell(f"wrote {one_line(output)}: {rows} rows, {classes} classes, seed {seed}")


def _model(name: str, n_classes: int, alpha: float, temperature: float) -> GenerativeModel:
    from calibrant import models

    if name == "temperature":
        return models.TemperatureModel(alpha, n_classes, temperature=temperature)
    make = {"m1": models.M1, "m2": models.M2, "m3": models.M3}[name]
    return make(n_classes, alpha)
