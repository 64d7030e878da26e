"""``--ordered`` on the command line."""

import json

import numpy as np
import pytest

NAMES = ("none", "mild", "severe")


@pytest.fixture
def path(tmp_path):
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(3), 60)
    y = (np.cumsum(p, axis=1) < rng.random((60, 1))).sum(axis=1)
    rows = [f"{NAMES[a]},{','.join(map(repr, b))}" for a, b in zip(y, p.tolist(), strict=True)]
    file = tmp_path / "stages.csv"
    file.write_text("\n".join(["label," + ",".join(f"p_{name}" for name in NAMES), *rows]) + "\n")
    return str(file)


def test_the_order_that_was_understood_is_shown(run, path):
    assert "order          none < mild < severe" in run("check", path, "--ordered").stdout
    assert "order  " not in run("check", path).stdout


def test_the_verdict_names_the_order_and_its_score(run, path):
    result = run("test", path, "--ordered", "--resamples", "39", "--json", "-")
    document = json.loads(result.stdout)
    assert document["input"]["ordered"] is True
    assert document["result"]["details"]["ordered"] is True
    assert {"ranked", "grades", "reach"} < set(document["result"]["details"]["components"])
    page = run("test", path, "--ordered", "--resamples", "39").stdout
    assert "60 rows, 3 ordered classes" in page
    assert "\n  rps " in page
    assert "ordered" not in run("test", path, "--resamples", "39").stdout


def test_the_score_is_measured_where_classes_are_ordered(run, path):
    assert "\n  rps " in run("measure", path, "--ordered").stdout
    assert "\n  rps " not in run("measure", path).stdout


def test_a_gate_asks_for_the_score_and_its_interval(run, path):
    options = ("--resamples", "39", "--fail-if")
    assert run("gate", path, "--ordered", *options, "rps.lo>0").exit_code == 1
    assert run("gate", path, "--ordered", *options, "rps.hi<0.01").exit_code == 0


def test_a_lens_has_no_order(run, path):
    result = run("test", path, "--ordered", "--lens", "at-least:mild", "--resamples", "39")
    assert "60 rows, 2 classes" in result.stdout


@pytest.mark.parametrize("command", [["where"], ["compare"], ["plot", "-o", "x.svg"]])
def test_commands_that_do_not_look_along_an_order_refuse_it(run, path, command):
    name, *options = command
    files = [path, path] if name == "compare" else [path]
    result = run(name, *files, *options, "--ordered")
    assert result.exit_code == 2
    assert "--ordered has no effect here" in result.stderr
