"""``--cluster`` on the command line."""

import json

import numpy as np
import pytest

import calibrant as cal


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
        ["gate", "--fail-if", "p<0"],
        ["check"],
    ],
)
def test_every_command_takes_clusters(run, path, command):
    name, *options = command
    result = run(name, path, "--cluster", "subject", *options, "--json", "-")
    assert result.exit_code in (0, 2), result.output
    if result.exit_code == 0:
        document = json.loads(result.stdout)
        assert document["input"]["cluster_column"] == "subject"


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
