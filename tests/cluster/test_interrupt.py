"""Ctrl-C while a cluster starts or works: one line, one exit code, no process left."""

import signal
import subprocess
import sys
from pathlib import Path
from time import sleep

import numpy as np
import pytest

from calibrant.models import M1

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX"),
]


def children(pid):
    """Processes that a process started, and those they started."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == pid:
            child = int(status.parent.name)
            found += [child, *children(child)]
    return found


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("seconds", [0.3, 0.8, 1.1, 1.5, 4.0])
def test_an_interrupt_at_any_moment_ends_quietly(seconds, tmp_path):
    pytest.importorskip("distributed", reason="dask is not installed")
    y_true, y_prob = M1(n_classes=3).sample(3000, rng=0)
    np.savez(tmp_path / "rows.npz", y_true=y_true, y_prob=y_prob)
    command = [sys.executable, "-m", "calibrant", "test", "rows.npz", "-q"]
    command += ["--engine", "dask", "--resamples", "100000", "--json", "out.json"]
    with subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as running:
        sleep(seconds)
        workers = children(running.pid)
        running.send_signal(signal.SIGINT)
        output, told = running.communicate(timeout=120)
    assert running.returncode == 130
    assert output == ""
    lines = [line for line in told.splitlines() if line]
    assert all(line.startswith("calibrant: ") for line in lines), told
    assert seconds < 0.5 or lines[-1] == "calibrant: interrupted"
    assert not (tmp_path / "out.json").exists()
    for _ in range(100):  # whom the system has still to bury
        if not any(map(is_running, workers)):
            break
        sleep(0.1)
    assert not any(map(is_running, workers))
