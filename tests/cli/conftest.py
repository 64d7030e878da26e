"""Shared by the tests of the command line: a runner and input files."""

import json
from functools import cache
from importlib.resources import files

import jsonschema
import numpy as np
import pytest
from click.testing import CliRunner

from calibrant import Predictions
from calibrant.cli._main import cli
from calibrant.io import write_predictions
from calibrant.models import TemperatureModel, temperature_scale


@cache
def validator():
    schema = json.loads(files("calibrant.cli").joinpath("schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(autouse=True)
def _no_colors_and_no_pipeline(monkeypatch):
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "CALIBRANT_DEBUG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run():
    """Run a command in this process; its result has exit_code, stdout and stderr."""

    def run(*args, **kwargs):
        return CliRunner().invoke(cli, [str(arg) for arg in args], **kwargs)

    return run


@pytest.fixture
def document(run):
    """Run a command with --json -, check the document against the shipped schema, return it."""

    def document(*args, exit_code=0):
        result = run(*args, "--json", "-")
        assert result.exit_code == exit_code, result.stderr
        found = json.loads(result.stdout)
        validator().validate(found)
        return found

    return document


@pytest.fixture(scope="session")
def files_of_models(tmp_path_factory):
    """Over-confident predictions of 200 rows, and their repair, as CSV files."""
    folder = tmp_path_factory.mktemp("models")
    y, p = TemperatureModel(0.5, 3, temperature=3.0).sample(200, rng=0)
    paths = {}
    for name, table in {"raw": p, "scaled": temperature_scale(p, 3.0)}.items():
        paths[name] = folder / f"{name}.csv"
        write_predictions(str(paths[name]), Predictions(y, table))
    groups = np.where(p[:, 0] > 0.5, "north", "south")
    lines = paths["raw"].read_text().splitlines()
    extra = ["site,case", *(f"{g},{i}" for i, g in enumerate(groups))]
    grouped = "\n".join(f"{a},{b}" for a, b in zip(lines, extra, strict=True))
    paths["grouped"] = folder / "grouped.csv"
    paths["grouped"].write_text(f"{grouped}\n")
    head, *rows = grouped.splitlines()
    paths["reversed"] = folder / "reversed.csv"
    paths["reversed"].write_text("\n".join([head, *rows[::-1]]) + "\n")
    return paths


@pytest.fixture(scope="session")
def raw(files_of_models):
    return files_of_models["raw"]
