"""Engines, checkpoints and folders on the command line."""

import json
import sys

import numpy as np
import pytest

from calibrant.errors import WorkersLost
from calibrant.models import M2


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.npz"
    y_true, y_prob = M2(n_classes=3).sample(300, rng=0)
    np.savez(path, y_true=y_true, y_prob=y_prob)
    return str(path)


@pytest.fixture
def folder(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    parts = tmp_path / "parts"
    parts.mkdir()
    for k in range(3):
        y, p = M2(n_classes=3).sample(2000, rng=k)
        columns = {f"p_{c}": np.ascontiguousarray(p[:, c]) for c in range(3)}
        pq.write_table(pa.table({"label": y, **columns}), parts / f"{k}.parquet")
    return str(parts)


def test_a_checkpoint_is_started_once_and_resumed_ever_after(run, rows, tmp_path):
    kept = str(tmp_path / "kept")
    options = ["--resamples", "19", "--json", "-"]
    plain = run("test", rows, *options)
    started = run("test", rows, *options, "--checkpoint", kept)
    assert started.exit_code == 0
    assert run("test", rows, *options, "--resume", kept).stdout == plain.stdout == started.stdout
    again = run("test", rows, *options, "--checkpoint", kept)
    assert again.exit_code == 2
    assert "the file exists. --resume" in again.stderr
    other = run("test", rows, "--resamples", "29", "--resume", kept)
    assert other.exit_code == 4
    assert "belongs to another computation: method is" in other.stderr
    damaged = bytearray((tmp_path / "kept").read_bytes())
    damaged[-9] ^= 1
    (tmp_path / "kept").write_bytes(damaged)
    assert run("test", rows, *options, "--resume", kept).exit_code == 4


def test_a_checkpoint_that_cannot_be_written_is_a_failure(run, rows, tmp_path):
    for path in (tmp_path / "nowhere" / "kept", tmp_path / ("x" * 300)):
        done = run("test", rows, "--resamples", "19", "--checkpoint", path)
        assert done.exit_code == 4
        assert "cannot be opened or written. Name one in an existing folder" in done.stderr


def test_options_that_contradict_each_other_are_usage(run, rows, tmp_path):
    for options, message in (
        (["--resume", str(tmp_path / "nothing")], "there is no such file"),
        (["--resume", rows, "--checkpoint", "x"], "use one"),
        (["--engine", "threads", "--scheduler", "tcp://x:1"], "--scheduler needs --engine dask"),
        (["--engine", "spark"], "spark"),
    ):
        done = run("test", rows, *options)
        assert done.exit_code == 2
        assert message in done.stderr


def test_a_missing_dask_names_the_extra(run, rows, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    done = run("test", rows, "--engine", "dask")
    assert done.exit_code == 4
    assert "pip install dask distributed" in done.stderr


def test_lost_workers_end_with_4_and_advice(run, rows, monkeypatch):
    import calibrant as cal

    def lose(*_, **__):
        raise WorkersLost("a task ended every worker. Give the workers more memory")

    monkeypatch.setattr(cal, "calibration_test", lose)
    done = run("test", rows)
    assert done.exit_code == 4
    assert "Give the workers more memory" in done.stderr


def test_a_folder_is_tested_streamed_or_not(run, folder):
    options = ["--resamples", "19", "--json", "-"]
    whole = json.loads(run("test", folder, *options).stdout)
    streamed = json.loads(run("test", folder, *options, "--stream").stdout)
    assert streamed["result"]["null_distribution"] == whole["result"]["null_distribution"]
    assert streamed["input"] == whole["input"]
    assert "streamed from 3 files" in streamed["result"]["details"]["choice"]
    assert run("check", folder).exit_code == 0
    assert run("measure", folder).exit_code == 0


def test_what_cannot_be_streamed_is_refused(run, folder, rows):
    for args, message in (
        ([rows, "--stream"], "only Parquet files can be streamed"),
        ([folder, "--stream", "--lens", "top-label"], "--lens needs all rows in memory"),
        ([folder, "--drop-missing"], "--drop-missing needs one file"),
        ([folder, "--stream", "--drop-missing"], "--drop-missing needs one file"),
    ):
        done = run("test", *args)
        assert done.exit_code == 3, done.stderr
        assert message in done.stderr
    assert run("test", folder, "--lens", "top-label", "--resamples", "9").exit_code == 0
    done = run("test", folder, "--stream", "--method", "moments")
    assert done.exit_code == 4
    assert "Moments needs all rows in memory" in done.stderr


def test_what_takes_long_is_said_before(run, rows, limit):
    limit(long_seconds=0.0, short_work=0.0)
    done = run("test", rows, "--resamples", "19")
    assert done.exit_code == 0
    assert "this takes less than a second on" in done.stderr
    assert "this takes" not in done.stdout
    assert "takes" not in run("test", rows, "--resamples", "19", "--quiet").stderr


@pytest.mark.slow
def test_a_report_streams_a_folder(run, folder, tmp_path):
    page = tmp_path / "page.html"
    done = run("report", folder, "--stream", "--resamples", "39", "-o", page, "--text", "-")
    assert done.exit_code == 0
    assert "are of all 6,000 rows, which stream from files" in done.stdout
    assert f"calibrant report --stream --resamples 39 {folder}" in done.stdout
    assert "--engine" not in done.stdout


def test_several_models_do_not_stream(run, folder, rows, tmp_path):
    done = run("report", folder, rows, "--stream", "-o", tmp_path / "page.html")
    assert done.exit_code == 2
    assert "a comparison needs rows in memory" in done.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore")  # of the cluster's own libraries, when it closes
def test_a_report_of_a_folder_is_the_same_on_dask(run, folder, tmp_path):
    pytest.importorskip("distributed", reason="dask is not installed")
    pages = [tmp_path / name for name in ("threads.html", "dask.html")]
    for page, engine in zip(pages, ("threads", "dask"), strict=True):
        options = ["--stream", "--resamples", "39", "-o", page, "--engine", engine, "--jobs", "2"]
        assert run("report", folder, *options).exit_code == 0
    assert pages[0].read_bytes() == pages[1].read_bytes()
