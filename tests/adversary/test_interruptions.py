"""A killed process, or one with a full disk, leaves nothing wrong behind."""

import signal
import subprocess
import time

import numpy as np
import pytest
from tests.adversary.process import CALIBRANT, run

import calibrant as cal
from calibrant.io import write_predictions

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    path = tmp_path_factory.mktemp("rows") / "rows.npz"
    model = cal.models.TemperatureModel(0.3, 5, temperature=1.3)
    write_predictions(str(path), cal.Predictions(*model.sample(3000, rng=0)))
    return path


@pytest.fixture(scope="module")
def fresh(rows):
    return run("test", rows, "--resamples", "999", "-q", "--json", "-").stdout


@pytest.mark.parametrize("seconds", [0.7, 1.0, 1.4, 2.0])
def test_a_killed_run_resumes_to_the_same_bytes(rows, fresh, tmp_path, seconds):
    ck = tmp_path / "ck"
    base = ["test", str(rows), "--resamples", "999", "-q", "--json", "-"]
    with subprocess.Popen(
        [*CALIBRANT, *base, "--checkpoint", str(ck)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
    option = "--resume" if ck.exists() else "--checkpoint"
    resumed = run(*base, option, ck)
    assert resumed.code == 0, resumed
    assert resumed.stdout == fresh


def test_a_full_disk_is_told_and_what_was_there_stays(rows, tmp_path):
    page = tmp_path / "page.html"
    assert run("report", rows, "--resamples", "39", "-q", "-o", page).code == 0
    before = page.read_bytes()
    ended = run("report", rows, "--resamples", "39", "-q", "-o", page, file_size=1 << 16)
    assert ended.code == 4, ended
    assert b"cannot be written" in ended.stderr
    assert page.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["page.html"]


def test_a_checkpoint_on_a_full_disk_can_be_resumed(rows, fresh, tmp_path):
    ck = tmp_path / "ck"
    base = ("test", rows, "--resamples", "999", "-q", "--json", "-")
    ended = run(*base, "--checkpoint", ck, file_size=1 << 15)
    assert ended.code in (0, 4), ended
    assert b"bug" not in ended.stderr
    option = "--resume" if ck.exists() else "--checkpoint"
    assert run(*base, option, ck).stdout == fresh


def test_labels_with_strides_are_taken(rows):
    y, p = cal.models.M1(3).sample(40, rng=0)
    whole = cal.Predictions(y[::2].copy(), p[::2].copy())
    assert cal.ECE()(y[::2], p[::2]) == cal.ECE()(whole)
    assert np.array_equal(cal.Predictions(y, p).take(slice(None, None, 2)).y_true, whole.y_true)
