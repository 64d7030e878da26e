"""``--cluster`` on the command line."""

import json

import numpy as np
import pytest

import calibrant as cal

pytestmark = pytest.mark.slow


@pytest.fixture
def path(tmp_path):
    y, p = cal.models.M1(2).sample(60, rng=0)
    index = np.repeat(np.arange(60), 4)
    rows = "\n".join(
        f"{a},{b!r},s{c}" for a, b, c in zip(y[index], p[index, 1].tolist(), index, strict=True)
    )
    file = tmp_path / "preds.csv"
    file.write_text(f"label,p,subject\n{rows}\n")
    return str(file)


@pytest.mark.parametrize(
    "command",
    [
        ["test"],
        ["measure"],
        ["where", "--resamples", "39"],
        ["repair", "--resamples", "39"],
        ["gate", "--fail-if", "p<0.01"],
        ["check"],
        ["plan", "--temperature", "2"],
        ["plot", "-o", "a.png"],
    ],
)
def test_every_command_takes_clusters(run, path, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name, *options = command
    result = run(name, path, "--cluster", "subject", *options, "--json", "-")
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    inputs = [document["input"]] if "input" in document else document["inputs"].values()
    assert all(one["cluster_column"] == "subject" for one in inputs)


def test_the_report_names_the_clusters(run, path, tmp_path):
    page = tmp_path / "a.html"
    assert run("report", path, "--cluster", "subject", "-o", str(page)).exit_code == 0
    facts = "".join(page.read_text().split())
    assert "240rowsin60clusters" in facts
    assert "<dt>Clusters</dt><dd>dependenceλ=" in facts


def test_the_verdict_says_what_was_done(run, path):
    result = run("test", path, "--cluster", "subject", "--resamples", "99")
    assert "240 rows in 60 clusters" in result.stdout
    assert "approximate, coupled inside clusters" in result.stdout


def test_one_line_names_the_flag(run, path):
    result = run("test", path, "--resamples", "19", "--no-effects")
    assert "pass --cluster subject" in result.stderr
    assert "--cluster" not in run("test", path, "--cluster", "subject", "--resamples", "19").stderr


def test_too_few_clusters_are_refused_as_input(run, tmp_path):
    file = tmp_path / "few.csv"
    file.write_text(
        "label,p,site\n" + "".join(f"{k % 2},0.{k % 8 + 1}1,{k % 4}\n" for k in range(40))
    )
    result = run("test", str(file), "--cluster", "site")
    assert result.exit_code == 3
    assert "at least 10 clusters" in result.stderr


def test_a_plan_says_how_many_times_as_many_rows_clusters_take(run, path):
    command = ["plan", path, "--temperature", "2", "--seed", "0"]
    apart, together = run(*command), run(*command, "--cluster", "subject")
    assert "count for less" in apart.stdout
    assert "with a design effect of 4, it takes about" in together.stdout
    assert apart.stdout.splitlines()[0] == together.stdout.splitlines()[0]


@pytest.mark.parametrize("name", ["hospital", "study_id", "passage", "uid", "Conversation"])
def test_columns_of_ids_are_known_by_their_names(run, tmp_path, name):
    file = tmp_path / "preds.csv"
    lines = (f"{k % 2},0.{k % 8 + 1}1,x{k // 2}\n" for k in range(40))
    file.write_text(f"label,p,{name}\n" + "".join(lines))
    assert f"pass --cluster {name}" in run("check", str(file)).stderr
