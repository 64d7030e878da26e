"""What an attack could not break: many concurrent or repeated calls, missing values, and kills."""

import asyncio
import resource
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import calibrant as cal
from calibrant.errors import DataError
from calibrant.io import read_predictions

ROWS = cal.Predictions(*cal.models.M1(3).sample(300, rng=0))


def answer(_=None):
    result = cal.calibration_test(ROWS, method=cal.methods.Aggregated(39), rng=0, n_jobs=2)
    return str(result.to_dict())


@pytest.mark.slow
def test_threads_and_loops_have_the_same_answer_at_once():
    async def many():
        return await asyncio.gather(*(asyncio.to_thread(answer) for _ in range(4)))

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(answer, range(16)))
    assert {*found, *asyncio.run(many())} == {answer()}


@pytest.mark.slow
def test_many_calls_and_refusals_keep_no_memory():
    def some(times):
        for _ in range(times):
            cal.SKCE()(ROWS)
            with pytest.raises(DataError):
                cal.Predictions([0, 7], [0.5, 0.5])
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = some(200)
    assert some(1000) - before < 4096  # kB


MISSING = {
    "None": [0, None, 1],
    "NaN": [0.0, np.nan, 1.0],
    "masked": np.ma.array([0, 0, 1], mask=[0, 1, 0]),
    "NA of pandas": pd.array([0, pd.NA, 1], dtype="Int64"),
    "NaT": np.array(["2020", "NaT", "2021"], dtype="M8[D]"),
    "null of polars": pl.Series([0, None, 1]),
    "null of Arrow": pa.array([0, None, 1]),
    "a category that is missing": pd.Categorical(["a", None, "b"]),
}


@pytest.mark.parametrize("kind", MISSING)
def test_missing_values_are_refused_wherever_they_are(kind):
    p, values = [0.5, 0.25, 0.75], MISSING[kind]
    attempts = [
        lambda: cal.Predictions(values, p),
        lambda: cal.Predictions([0, 1, 1], values),
        lambda: cal.Predictions([0, 1, 1], p, sample_weight=values),
        lambda: cal.Predictions([0, 1, 1], p, clusters=values),
    ]
    for attempt in attempts:
        with pytest.raises(DataError):
            attempt()


@pytest.mark.slow
def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path):
    path = tmp_path / "a.csv"
    sizes = (300, 30_000)
    code = (
        "import sys, calibrant as cal; from calibrant.io import write_predictions\n"
        f"rows = [cal.Predictions(*cal.models.M1(3).sample(n, rng=0)) for n in {sizes}]\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    for one in rows: write_predictions(sys.argv[1], one)\n"
    )
    for wait in (0.05, 0.15, 0.25):
        with subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE
        ) as process:
            assert process.stdout.readline() == b"ready\n"
            while not path.exists():
                time.sleep(0.01)
            time.sleep(wait)
            process.send_signal(signal.SIGKILL)
        assert len(read_predictions(str(path)).predictions) in sizes
