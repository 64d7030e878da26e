"""Plots from files: the library's numbers and reproducible bytes."""

import pytest

from calibrant.binning import Quantile, Uniform
from calibrant.cli.commands.plot import KINDS
from calibrant.io import read_predictions
from calibrant.plots import ReliabilityComparisonDisplay, ReliabilityDisplay

BEGINS = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF"}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn_twice_alike(document, files_of_models, tmp_path, kind):
    files = [files_of_models["raw"], files_of_models["scaled"]][: 2 if kind == "comparison" else 1]
    paths = [tmp_path / "a.svg", tmp_path / "b.svg"]
    draws = kind not in ("cumulative", "simplex", "detectable", "comparison")
    options = ("--kind", kind, *(("--resamples", "99") if draws else ()))
    found = [document("plot", *files, *options, "-o", path) for path in paths]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert found[0] | {"output": ""} == found[1] | {"output": ""}
    assert len({len(column) for column in found[0]["table"].values()}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("suffix", BEGINS)
def test_the_name_says_the_format(run, raw, tmp_path, suffix):
    path, again = tmp_path / f"a{suffix}", tmp_path / f"b{suffix}"
    resolution = ("--dpi", "50") if suffix == ".png" else ()  # others have none
    done = run("plot", raw, "-o", path, *resolution)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith(f"{path}: ")
    assert path.read_bytes().startswith(BEGINS[suffix])
    run("plot", raw, "-o", again, *resolution)
    assert path.read_bytes() == again.read_bytes()
    assert b"CreationDate" not in path.read_bytes()


def test_the_picture_of_a_class_is_that_of_the_library(document, raw, tmp_path):
    found = document("plot", raw, "--class", "1", "-o", tmp_path / "a.svg")
    predictions = read_predictions(str(raw)).predictions
    expected = ReliabilityDisplay.from_predictions(predictions, label=1, rng=0)
    assert found["title"] == expected.title
    assert found["description"] == expected.describe()


def test_bins_and_scale_are_those_of_the_library(document, raw, tmp_path):
    predictions, draws = read_predictions(str(raw)).predictions, {"n_resamples": 99, "rng": 0}
    for options, binning in (
        (("--binning", "quantile"), Quantile(10)),
        (("--binning", "quantile", "--bins", "4"), Quantile(4)),
        (("--bins", "3"), Uniform(3)),
        (("--binning", "uniform"), Uniform(15)),
        (("--binning", "isotonic", "--scale", "logit"), "isotonic"),
    ):
        path = tmp_path / "a.svg"
        found = document("plot", raw, *options, "--resamples", "99", "-o", path)
        scale = "logit" if "logit" in options else "auto"
        expected = ReliabilityDisplay.from_predictions(
            predictions, binning=binning, scale=scale, **draws
        )
        assert found["table"] == expected.table()
        assert found["description"] == expected.describe()


def test_two_files_are_drawn_into_one_picture(document, files_of_models, tmp_path):
    files = {name: files_of_models[name] for name in ("raw", "scaled")}
    options = ("--resamples", "99", "-o", tmp_path / "a.svg")
    found = document("plot", *files.values(), *options)
    models = {name: read_predictions(str(path)).predictions for name, path in files.items()}
    expected = ReliabilityComparisonDisplay.from_predictions(models, n_resamples=99, rng=0)
    assert found["table"] == expected.table()
    assert found["title"] == expected.title


def test_what_cannot_be_drawn_is_refused(run, raw, tmp_path):
    picture = tmp_path / "a.svg"
    for args, code, message in [
        (("-o", tmp_path / "a.gif"), 2, "must end with"),
        (("--kind", "comparison", "-o", picture), 2, "at least two files"),
        ((raw, "--kind", "simplex", "-o", picture), 2, "needs one file"),
        ((raw, raw, raw, "-o", picture), 2, "at most 3 files"),
        (("--bins", "5", "--binning", "isotonic", "-o", picture), 2, "a curve has no bins"),
        (("--class", "9", "-o", picture), 3, "class"),
        (("-o", tmp_path / "no" / "a.svg"), 4, "cannot be written"),
    ]:
        done = run("plot", raw, *args)
        assert (done.exit_code, done.stdout) == (code, ""), done.stderr
        assert message in done.stderr
    assert not picture.exists()
