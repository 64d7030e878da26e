"""The benchmarks run and print their table; speeds are never asserted."""

from __future__ import annotations

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
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_cheapest_benchmark_prints_one_table_on_stdout_and_progress_on_stderr() -> None:
    done = _run("--quick", "--only", "imports")
    assert done.returncode == 0, done.stderr
    _, header, rule, row = done.stdout.splitlines()
    assert header.split() == ["what", "ours", "reference", "ratio", "required"]
    assert set(rule) == {"-", " "}
    assert row.startswith("import calibrant : import numpy")
    assert row.endswith(("ok", "MISSED"))
    assert "imports" in done.stderr


def test_an_unknown_benchmark_is_refused_by_name() -> None:
    done = _run("--only", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert "naive" in done.stderr


@pytest.mark.parametrize("ok", [True, False, None])
def test_a_row_says_whether_its_demand_was_met(
    ok: bool | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.table import Row, render

    last = render([Row("a", "1 ms", "2 ms", "2x", "faster", ok)]).splitlines()[-1]
    assert last.split()[-1] == {True: "ok", False: "MISSED", None: "faster"}[ok]


def test_a_slow_first_call_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    from calibrant.paper import _stopwatch as timing

    clock = 0.0
    calls = 0

    def cold_then_fast() -> None:
        nonlocal clock, calls
        calls += 1
        clock += 1.0 if calls == 1 else 1e-5

    monkeypatch.setattr(timing, "perf_counter", lambda: clock)
    best = timing.side_by_side({"call": cold_then_fast}, repeats=1)
    assert best["call"] == pytest.approx(1e-5)
    assert calls > 100  # many in a sample, although the first took long
