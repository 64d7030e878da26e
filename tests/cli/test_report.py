"""`calibrant report` writes the library's page, and replaces no other program's files."""

import hashlib
import json

import pytest

import calibrant as cal
from calibrant.io import FileFacts, read_predictions

pytestmark = pytest.mark.slow


@pytest.fixture
def quick(run, tmp_path, monkeypatch):
    """Run a command with few label sets in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return lambda *args: run(*args, "--resamples", 59)


def test_page_json_and_text_are_those_of_the_library(quick, files_of_models, tmp_path):
    path = files_of_models["grouped"]
    options = ("--group", "site", "--alpha", 0.1)
    done = quick("report", path, *options, "--json", "a.json", "--text", "a.txt")
    assert done.exit_code == 0, done.stderr
    assert "calibrant: wrote calibration.html" in done.stderr
    file = read_predictions(str(path), groups=["site"])
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    report = cal.Report(
        None,
        {"grouped": file.predictions},
        groups=file.groups,
        alpha=0.1,
        n_resamples=59,
        rng=0,
        origin={
            "command": document["reproduce"]["command"],
            "inputs": {"grouped": FileFacts.of(file)},
            "checksums": {"grouped": hashlib.sha256(path.read_bytes()).hexdigest()},
        },
    )
    assert (tmp_path / "calibration.html").read_text("utf-8") == report.html()
    assert (tmp_path / "a.json").read_text("utf-8") == report.json()
    assert (tmp_path / "a.txt").read_text("utf-8") == report.text()
    said = done.stdout.splitlines()
    answers = document["models"]["grouped"]["answers"]
    assert said[0] == document["models"]["grouped"]["verdict"] == answers["calibrated"]
    assert said[2].split("  ", 2)[1:] == ["How far off?", answers["size"]]
    command = document["reproduce"]["command"]
    assert command == f"calibrant report --alpha 0.1 --group site --resamples 59 {path}"


def test_repair_limit_and_what_the_user_says_reach_the_page(quick, files_of_models, tmp_path):
    options = ("--repair", "--limit", 0.2, "--dataset", "trial 7", "--author", "A", "--date", "May")
    done = quick("report", files_of_models["raw"], *options, "--json", "a.json")
    assert done.exit_code == 0, done.stderr
    document = json.loads((tmp_path / "a.json").read_text("utf-8"))
    assert document["about"] == {"dataset": "trial 7", "author": "A", "date": "May"}
    assert document["settings"]["limit"] == 0.2
    [model] = document["models"].values()
    assert model["repair"]["n_samples"] == model["data"]["n_samples"]
    assert "the limit of 20 percentage points" in done.stdout
    command = document["reproduce"]["command"]
    assert command.startswith("calibrant report --repair --limit 0.2 --dataset 'trial 7' ")


def test_several_files_are_models_of_the_same_rows(quick, document, files_of_models):
    paths = [files_of_models[name] for name in ("raw", "scaled")]
    found = document("report", *paths, "--resamples", 59, "-o", "two.html")
    assert list(found["models"]) == ["raw", "scaled"]
    assert found["comparison"]["result"]["n_samples"] == 200
    grouped, back = files_of_models["grouped"], files_of_models["reversed"]
    refused = quick("report", f"a={grouped}", f"b={back}", "--prob", "p_*")
    assert refused.exit_code == 3
    assert "--id" in refused.stderr


def test_one_result_goes_to_standard_output(quick, raw):
    page = quick("report", raw, "-o", "-")
    assert page.stdout.startswith("<!doctype html>")
    assert page.stderr == ""
    assert quick("report", raw, "-o", "-", "--json", "-").exit_code == 2


def test_files_of_others_are_not_replaced(quick, raw, tmp_path):
    mine = tmp_path / "calibration.html"
    mine.write_text("<!doctype html><title>my diary</title>")
    for command in (("report", raw), ("demo",)):
        done = quick(*command)
        assert done.exit_code == 2
        assert "exists and calibrant did not write it" in done.stderr
        assert "--force" in done.stderr
    assert "my diary" in mine.read_text()
    assert quick("report", raw, "--force").exit_code == 0
    assert quick("report", raw).exit_code == 0  # a report of ours is replaced
    assert "my diary" not in mine.read_text("utf-8")


def test_what_cannot_be_done_is_said(quick, run, raw):
    assert quick("report", raw, "-o", "no/such/folder.html").exit_code == 4
    few = run("report", raw, "--resamples", 38, "-o", "few.html")
    assert few.exit_code == 2
    assert "at least 39" in few.stderr
    assert quick("report", "missing.csv").exit_code == 3


def test_demo_writes_a_report(quick, tmp_path):
    done = quick("demo", "-o", "demo.html")
    assert done.exit_code == 0
    assert "calibrant: wrote demo.html" in done.stderr
    page = (tmp_path / "demo.html").read_text("utf-8")
    for name in ("logistic_regression", "neural_network", "random_forest"):
        assert name in page
    assert "calibrant demo --resamples 59" in page
