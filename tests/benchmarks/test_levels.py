"""The study of levels runs, prints tables on stdout and writes them to a folder."""

from __future__ import annotations

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-m", "benchmarks.levels", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_tables_are_printed_and_written_and_do_not_depend_on_the_processes(tmp_path: Path) -> None:
    study = ("--only", "floors", "--runs", "4")
    one = _run(*study, "--jobs", "1", "--output", str(tmp_path))
    two = _run(*study, "--jobs", "2")
    assert one.returncode == 0, one.stderr
    assert one.stdout == two.stdout
    assert (tmp_path / "levels.txt").read_text(encoding="utf-8") == one.stdout
    assert "runs" in one.stderr
    title, _, rule, header, *_, runs, last_rule = one.stdout.splitlines()
    assert title.startswith("Power of the default")
    assert set(rule) == set(last_rule) == {"=", " "}
    assert header.startswith("rejected at 5 %  oscillation  temp. 1.3")
    assert runs.split() == ["runs", *["2"] * 6]
    with (tmp_path / "levels.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6 * 4
    assert {row["n_samples"] for row in rows} == {"250"}
    assert all(0 <= float(row["rate"]) <= 1 for row in rows)


def test_an_unknown_study_is_refused_by_name() -> None:
    done = _run("--only", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr
