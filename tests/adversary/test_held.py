"""What an attack could not break: any kind of data, files and environment."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import dask.array
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests.adversary.process import CALIBRANT

import calibrant as cal
from calibrant.io import read_predictions, write_predictions
from calibrant.models import TemperatureModel

NAMES = ["eel", "cat", "dog"]


@pytest.fixture(scope="module")
def predictions():
    y, p = TemperatureModel(0.5, 3, temperature=1.4).sample(200, rng=5)
    return cal.Predictions([NAMES[k] for k in y], p, classes=NAMES)


def memory_map(table, folder):
    np.save(folder / "table.npy", table)
    return np.load(folder / "table.npy", mmap_mode="r")


TABLES = {
    "a memory map": memory_map,
    "a Dask array": lambda table, _: dask.array.from_array(table, chunks=(70, 3)),
    "big-endian": lambda table, _: table.astype(">f8"),
    "Fortran order": lambda table, _: np.asfortranarray(table),
    "backwards in memory": lambda table, _: table[::-1, ::-1].copy()[::-1, ::-1],
    "every second row and column": lambda table, _: np.repeat(np.repeat(table, 2, 0), 2, 1)[
        ::2, ::2
    ],
    "read-only": lambda table, _: np.frombuffer(table.tobytes()).reshape(table.shape),
    "a list of tuples": lambda table, _: [tuple(row) for row in table.tolist()],
}


@pytest.mark.parametrize("kind", TABLES)
def test_every_kind_of_table_has_the_same_error(kind, predictions, tmp_path):
    table = TABLES[kind](predictions.y_prob, tmp_path)
    found = cal.SKCE()(predictions.labels, table, classes=NAMES)
    assert found == cal.SKCE()(predictions)


LABELS = {
    "categories in another order": lambda names: pd.Categorical(names, categories=sorted(NAMES)),
    "an ordered category": lambda names: pd.Series(
        pd.Categorical(names, categories=NAMES[::-1], ordered=True)
    ),
    "an Enum": lambda names: pl.Series(names, dtype=pl.Enum(sorted(NAMES))),
    "a polars category": lambda names: pl.Series(names, dtype=pl.Categorical),
    "a dictionary of Arrow": lambda names: pa.array(names).dictionary_encode(),
    "texts of NumPy": lambda names: np.array(names),
    "texts of pandas": lambda names: pd.array(names, dtype="string"),
}


@pytest.mark.parametrize("kind", LABELS)
def test_categories_never_reorder_classes(kind, predictions):
    found = cal.Predictions(LABELS[kind](predictions.labels), predictions.y_prob, classes=NAMES)
    assert found.classes == predictions.classes
    assert found.y_true.tolist() == predictions.y_true.tolist()


SURROUNDINGS = {
    "an ASCII locale": ([], {"LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}),
    "ASCII streams": ([], {"PYTHONIOENCODING": "ascii"}),
    "no home": ([], {"HOME": None, "USERPROFILE": None}),
    "a home that is a file": ([], {"HOME": "/dev/null"}),
    "other hashes": ([], {"PYTHONHASHSEED": "12345"}),
    "no assertions": (["-O"], {}),
    "no docstrings": (["-OO"], {}),
    "warnings are errors": (["-W", "error"], {}),
    "development mode": (["-X", "dev"], {}),
    "one thread of every library": ([], {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}),
}


def outcome(folder, options=(), variables=None, cwd=None):
    """Return the bytes of a document and a page made by a process in some surroundings."""
    environment = {**os.environ, **(variables or {})}
    environment = {name: value for name, value in environment.items() if value is not None}
    command = [CALIBRANT[0], *options, *CALIBRANT[1:], "report", str(folder / "rows.npz")]
    command += ["-o", str(folder / "page.html"), "--resamples", "39", "-q", "--json", "-"]
    done = subprocess.run(
        command, env=environment, cwd=cwd or folder, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, (folder / "page.html").read_bytes()


@pytest.fixture(scope="module")
def folder(predictions, tmp_path_factory):
    path = tmp_path_factory.mktemp("rows")
    write_predictions(str(path / "rows.npz"), predictions)
    return path


@pytest.fixture(scope="module")
def usual(folder):
    return outcome(folder)


@pytest.mark.slow
@pytest.mark.parametrize("kind", SURROUNDINGS)
def test_surroundings_do_not_change_a_byte(kind, folder, usual):
    assert outcome(folder, *SURROUNDINGS[kind]) == usual


@pytest.mark.slow
def test_the_working_folder_may_be_read_only(folder, usual):
    assert outcome(folder, cwd="/proc") == usual


@pytest.mark.parametrize("name", ["a b.csv", "ä\u202e.csv", "-.csv", "a'\"b.csv", "a\nb.csv"])
def test_files_of_any_name_are_read(name, predictions, tmp_path):
    path = str(tmp_path / name)
    write_predictions(path, predictions)
    (tmp_path / "link.csv").symlink_to(path)
    for way in (path, str(tmp_path / "link.csv")):
        found = read_predictions(way).predictions
        assert np.array_equal(found.y_prob, predictions.y_prob)
        assert found.labels.tolist() == predictions.labels.tolist()


@pytest.mark.parametrize("source", ["/dev/stdin", "/proc/self/fd/0"])
def test_a_pipe_is_a_file(source, predictions, tmp_path):
    path = tmp_path / "rows.csv"
    write_predictions(str(path), predictions)
    command = [*CALIBRANT, "check", source]
    done = subprocess.run(command, input=path.read_bytes(), capture_output=True, check=False)
    assert (done.returncode, b"200 rows, 3 classes" in done.stdout) == (0, True), done.stderr


def test_a_named_pipe_is_a_file(predictions, tmp_path):
    path, pipe = tmp_path / "rows.csv", tmp_path / "pipe"
    write_predictions(str(path), predictions)
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    found = read_predictions(str(pipe)).predictions
    writer.join()
    assert np.array_equal(found.y_prob, predictions.y_prob)


def test_twelve_writers_of_one_file_leave_it_whole(predictions, tmp_path):
    path = str(tmp_path / "rows.csv")
    with ThreadPoolExecutor(12) as pool:
        list(pool.map(lambda _: write_predictions(path, predictions), range(12)))
    assert [one.name for one in tmp_path.iterdir()] == ["rows.csv"]
    assert np.array_equal(read_predictions(path).predictions.y_prob, predictions.y_prob)


@pytest.mark.slow
@pytest.mark.parametrize("start", ["fork", "spawn", "forkserver"])
def test_a_child_process_computes_the_same_after_threads_ran(start, tmp_path):
    script = tmp_path / "child.py"
    script.write_text(
        "import multiprocessing, sys, calibrant as cal\n"
        "from calibrant.models import M1\n"
        "def skce(seed): return cal.SKCE()(*M1(3).sample(500, rng=seed), n_jobs=2)\n"
        "if __name__ == '__main__':\n"
        "    here = skce(0)\n"
        "    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:\n"
        "        print(pool.map(skce, [0, 0]) == [here, here])\n"
    )
    done = subprocess.run(
        [sys.executable, str(script), start],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.stdout == "True\n", done.stderr
