"""The benchmarks run and print their table; speeds are never asserted."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return _run_module("benchmarks", *arguments)


def _run_module(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]))
    return subprocess.run(
        [sys.executable, "-m", module, *arguments],
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


def test_the_ratios_are_written_and_compared(tmp_path: Path) -> None:
    path = tmp_path / "ratios.json"
    done = _run("--quick", "--only", "imports", "--json", str(path))
    assert done.returncode == 0, done.stderr
    document = json.loads(path.read_text())
    (name,) = document["ratios"]
    assert name == "import calibrant : import numpy"
    slow = tmp_path / "slow.json"
    document["ratios"][name]["ratio"] *= 1.3
    slow.write_text(json.dumps(document))
    compared = [_run_module("benchmarks.ratios", str(path), str(other)) for other in (path, slow)]
    assert [one.returncode for one in compared] == [0, 1]
    assert "nothing got slower" in compared[0].stdout
    assert f"1.30 times slower: {name}" in compared[1].stdout


@pytest.mark.parametrize(
    ("better", "before", "after", "times"),
    [
        ("less", 1.0, 1.19, None),
        ("less", 1.0, 1.5, 1.5),
        ("less", 1.5, 1.0, None),
        ("more", 30.0, 20.0, 1.5),
        ("more", 20.0, 30.0, None),
    ],
)
def test_slower_is_what_has_more_time_or_less_speed(
    better: str, before: float, after: float, times: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks.ratios import as_document, slower
    from benchmarks.table import Row

    old, new = (
        as_document([Row("it", "", "", f"{ratio}x", better=better)], "")  # type: ignore[arg-type]
        for ratio in (before, after)
    )
    found = slower(old, new)
    assert found == ({} if times is None else {"it": pytest.approx(times)})
    assert slower({"ratios": {}}, new) == {}


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


def test_a_slow_first_call_does_not_count() -> None:
    from calibrant.paper import _stopwatch as timing

    clock = 0.0
    calls = 0

    def cold_then_fast() -> None:
        nonlocal clock, calls
        calls += 1
        clock += 1.0 if calls == 1 else 1e-5

    best = timing.side_by_side({"call": cold_then_fast}, repeats=1, clock=lambda: clock)
    assert best["call"] == pytest.approx(1e-5)
    assert calls > 100  # many in a sample, although the first took long
