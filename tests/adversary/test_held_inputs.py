"""What an attack could not break: arguments out of range, other scales, dictionaries, folders."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import calibrant as cal
from calibrant.errors import DataError
from calibrant.io import read_predictions, write_predictions

ROWS = cal.Predictions(*cal.models.M1(3, 0.5).sample(40, rng=0))
ONCE = cal.methods.Exact(9)
ESTIMATORS = [
    cal.SKCE(),
    cal.SKCE(cal.kernels.Laplacian(0.2), block_size=2),
    cal.ECE(),
    cal.ECE(cal.binning.MedianVariance(min_size=10)),
    cal.SmoothECE(),
]
LABEL_SETS = {
    "too large": np.full((1, 40), 3),
    "negative": np.full((1, 40), -1),
    "beyond the range of codes": np.full((1, 40), 2**40),
    "bytes": np.full((1, 40), 255, np.uint8),
    "the last one": np.r_[np.zeros(39, int), 3][None],
    "too short": np.zeros((1, 39), int),
    "too long": np.zeros((1, 41), int),
    "one axis": np.zeros(40, int),
    "fractions": np.full((1, 40), 0.5),
    "NaN": np.full((1, 40), np.nan),
    "booleans": np.ones((1, 40), bool),
    "texts": np.full((1, 40), "0"),
}


@pytest.mark.parametrize("kind", LABEL_SETS)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_label_sets_out_of_bounds_are_refused(estimator, kind):
    with pytest.raises(ValueError, match="`labels` must"):
        estimator.over_labels(ROWS, LABEL_SETS[kind])


def trial(**options):
    return lambda value: cal.calibration_test(ROWS, **{"method": ONCE, **options, "rng": value})


ARGUMENTS = {
    "rng": (trial(), [-1, 1.5, "a", np.nan, True, np.random.RandomState(0)]),
    "n_jobs": (lambda n: cal.SKCE()(ROWS, n_jobs=n), [0, 1.5, "a", np.nan, True]),
    "bandwidth": (cal.kernels.Laplacian, [0, -1, np.nan, np.inf, "x", None, True, [1], 1e-320]),
    "n": (cal.binning.Uniform, [0, -1, 1.5, np.nan, "x", True, 2**40]),
    "n_resamples": (cal.methods.Exact, [0, -1, 1.5, np.nan, "x", True]),
    "block_size": (
        lambda size: cal.SKCE(cal.kernels.Laplacian(0.2), block_size=size)(ROWS),
        [0, 1, -5, 1.5, True],
    ),
}


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, (_, values) in ARGUMENTS.items() for value in values],
)
def test_arguments_out_of_range_are_refused(name, value):
    with pytest.raises((ValueError, TypeError), match=name):
        ARGUMENTS[name][0](value)


SCALES = {
    "logarithms": (np.log, "from_logits|log-probabilities"),
    "percentages": (lambda p: 100 * p, "percentages"),
    "logits": (lambda p: np.log(p) + 7, "from_logits"),
    "odds": (lambda p: p / (1 - p), "sum to 1|must be in"),
}


@pytest.mark.parametrize("kind", SCALES)
def test_scales_of_other_kinds_are_refused_by_name(kind):
    change, message = SCALES[kind]
    with pytest.raises(DataError, match=message):
        cal.Predictions(ROWS.y_true, change(ROWS.y_prob))


NAMES = ["cat", "dog", "eel"]
DICTIONARIES = {
    "polars Enum": pl.Series(NAMES, dtype=pl.Enum(NAMES[::-1])),
    "Arrow, some never used": pa.DictionaryArray.from_arrays([2, 1, 0], ["eel", "dog", "cat"]),
    "Arrow, one twice": pa.DictionaryArray.from_arrays([3, 1, 0], ["eel", "dog", "cat", "cat"]),
    "categories backwards": pd.Series(pd.Categorical(NAMES, categories=NAMES[::-1])),
}


@pytest.mark.parametrize("kind", DICTIONARIES)
@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_dictionaries_of_files_never_reorder_classes(kind, suffix, tmp_path):
    labels, p = DICTIONARIES[kind], np.array([[0.5, 0.25, 0.25], [0.1, 0.7, 0.2], [0, 0.25, 0.75]])
    series = labels.to_arrow() if isinstance(labels, pl.Series) else pa.array(labels)
    table = pa.table({"label": series} | {f"p_{n}": p[:, j] for j, n in enumerate(NAMES)})
    path = tmp_path / f"a.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with pa.OSFile(str(path), "wb") as out, pa.ipc.new_file(out, table.schema) as writer:
            writer.write_table(table)
    found = read_predictions(str(path)).predictions
    assert found.labels.tolist() == NAMES
    assert found.y_prob[np.arange(3), found.y_true].tolist() == [0.5, 0.7, 0.75]


def test_folders_are_refused_or_read(tmp_path):
    with pytest.raises(DataError, match="folder"):
        read_predictions(str(tmp_path))
    with pytest.raises(DataError):
        cal.io.scan_predictions(str(tmp_path))
    for part in ("a", "b"):
        write_predictions(str(tmp_path / f"{part}.parquet"), ROWS)
    (tmp_path / "notes.txt").write_text("nothing")
    (tmp_path / "_SUCCESS").touch()
    found = cal.io.scan_predictions(str(tmp_path)).read().predictions
    assert np.array_equal(found.y_prob, np.tile(ROWS.y_prob, (2, 1)))
