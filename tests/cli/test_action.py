"""The GitHub Action: its step is run by bash, as a runner would, against the real command."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the step is a script of bash"),
]


def parts():
    """Return the inputs with their defaults, and the script of the step; read without YAML."""
    lines = (ROOT / "action.yml").read_text("utf-8").splitlines()
    defaults, name = {}, ""
    for line in lines[lines.index("inputs:") + 1 : lines.index("outputs:")]:
        if line.startswith("  ") and line.endswith(":") and line[2] != " ":
            name = line.strip()[:-1]
            defaults[name] = ""
        elif line.strip().startswith("default:"):
            defaults[name] = line.partition("default:")[2].strip().strip('"')
    start = max(i for i, line in enumerate(lines) if line.strip() == "run: |")
    return defaults, "\n".join(line[8:] for line in lines[start + 1 :])


def run(folder, **given):
    """Run the step as a runner does, which fills the environment from the inputs."""
    defaults, script = parts()
    inputs = defaults | {name.replace("_", "-"): value for name, value in given.items()}
    names = {name: name.upper().replace("-", "_") for name in inputs}
    output = folder / "output"
    output.touch()
    environment = os.environ | {names[name]: value for name, value in inputs.items()}
    environment |= {
        "GITHUB_OUTPUT": str(output), "RUNNER_TEMP": str(folder), "GITHUB_ACTIONS": "true",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    found = dict(line.split("=", 1) for line in output.read_text().splitlines())
    return done, found


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    from calibrant.demo import load_digits_predictions
    from calibrant.io import write_predictions

    folder = tmp_path_factory.mktemp("models")
    for name, predictions in load_digits_predictions().items():
        write_predictions(str(folder / f"{name}.csv"), predictions)
    return folder


def test_a_bad_model_fails_the_step_and_a_report_is_written(models, tmp_path):
    file = models / "neural_network.csv"
    done, found = run(tmp_path, file=str(file), options="--resamples 199", report="page.html")
    assert done.returncode == 1, done.stderr
    assert found["passed"] == "false"
    assert json.loads(Path(found["result"]).read_text())["failed"] is True
    assert "::error" in done.stderr
    assert (tmp_path / "page.html").read_text().startswith("<!doctype html>")


def test_a_good_model_passes_with_several_conditions_and_a_baseline(models, tmp_path):
    done, found = run(
        tmp_path, file=str(models / "neural_network_scaled.csv"),
        fail_if="p<0.01 and rmsce.lo>0.02\n\ndelta_log_loss.lo>0", junit="gate.xml",
        baseline=str(models / "neural_network.csv"), options="--resamples 199",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert found["passed"] == "true"
    assert len(json.loads(Path(found["result"]).read_text())["conditions"]) == 2
    assert "<testsuite" in (tmp_path / "gate.xml").read_text()


def test_a_file_that_cannot_be_read_does_not_look_like_a_bad_model(tmp_path):
    done, found = run(tmp_path, file="$(touch hacked) nowhere.csv")
    assert (done.returncode, found) == (3, {})
    assert not (tmp_path / "hacked").exists()
