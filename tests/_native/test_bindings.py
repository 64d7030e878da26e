"""Every native routine refuses arguments that it could not compute with, whoever calls it."""

import os
import subprocess
import sys

import numpy as np
import pytest

METRICS, PROFILES, CLASSES, REPLICATES = 2, 3, 3, 64


def calls():
    """One valid call of every routine, as keyword arguments."""
    rng = np.random.default_rng(0)
    n, k = 5, 4
    p, q = rng.dirichlet(np.ones(CLASSES), n), rng.dirichlet(np.ones(CLASSES), k)
    v, w = rng.normal(size=(n, 2)), rng.normal(size=(k, 2))
    line, ones = np.sort(rng.random(n)), np.ones(n)
    codes = rng.integers(CLASSES, size=n)
    labels_i = rng.integers(CLASSES, size=(n, REPLICATES)).astype(np.uint8)
    labels_j = rng.integers(CLASSES, size=(k, REPLICATES)).astype(np.uint16)
    kernel = {"metric": 0, "profile": 1}
    radial = kernel | {"rate": 1.5}
    pair = {"xi": p, "vi": v, "xj": q, "vj": w, "triangle": False}
    draw = {"seed": 1, "stream": 2, "first_row": 3, "first_replicate": 4}
    bins = np.array([0, 1, 1, 0, 2])
    return {
        "pair_sum": pair | radial | {"threads": 2},
        "row_sums": pair | radial | {"out_i": np.zeros(n), "out_j": np.zeros(k)},
        "gram": {"xi": p, "xj": q} | radial | {"out": np.zeros((n, k))},
        "apply": {"xi": p, "xj": q, "vj": w} | radial | {"out": np.zeros((n, 2))},
        "many_pair_sums": {"x": np.stack([p, p]), "v": np.stack([v, v])}
        | kernel
        | {"rates": np.ones(2), "out": np.zeros(2)},
        "block_residual_sums": {"x": p, "p": p, "codes": codes, "weights": ones, "size": 2}
        | radial
        | {"out": np.zeros(2)},
        "row_sums_and_range": {"a": p, "sums": np.zeros(n)},
        "exp": {"x": -line, "out": np.zeros(n)},
        "log": {"x": line, "out": np.zeros(n)},
        "tempered_rows": {
            "p": p,
            "rows": np.array([4, 0, 2]),
            "beta": 1.5,
            "floor": 1e-6,
            "relative": True,
            "out": np.zeros((3, 9)),
        },
        "shifted_rows": {
            "p": p,
            "weights": ones,
            "floor": 1e-6,
            "slope": 1.5,
            "intercepts": np.arange(3.0),
            "out": np.zeros((n, 5)),
            "totals": np.zeros(CLASSES),
            "crosses": np.zeros(CLASSES),
            "roots": np.zeros((n, CLASSES)),
        },
        "odds_sums": {
            "p": p,
            "labels": codes,
            "weights": ones,
            "floor": 1e-6,
            "factors": ones[:CLASSES],
            "out": np.zeros((5, CLASSES)),
        },
        "center_rows": {
            "p": p,
            "values": p,
            "noise": 1e-15,
            "centered": np.zeros((n, CLASSES)),
            "variance": np.zeros(n),
        },
        "sums_of_others": {"p": p, "chosen": codes, "out": np.zeros(n)},
        "fourier_features": {
            "projections": v,
            "rates": np.ones(3),
            "scale": 1.0,
            "out": np.zeros((n, 3, 2, 2)),
        },
        "coupled_labels": {
            "y_prob": p,
            "codes": np.arange(n, dtype=np.uint64) // 2,
            "order": np.arange(n),
            "out": np.full((REPLICATES, n), 9, np.uint8),
            "coupling": 0.5,
            "shared_seed": 7,
        }
        | draw,
        "count_distances": {"xi": p, "xj": q, "metric": 0, "factor": 0.5, "triangle": False}
        | {"prefix": 0, "shift": 63, "finer": 47, "counts": np.zeros(1 << 16, np.int64)},
        "collect_distances": {"xi": p, "xj": q, "metric": 0, "factor": 0.5, "triangle": False}
        | {"prefix": 0, "shift": 63, "beyond": 1.0, "out": np.zeros(n * k)},
        "label_pair_sums": {"xi": p, "wi": ones, "pi": p, "xj": q, "wj": np.ones(k), "pj": q}
        | kernel
        | {
            "rates": np.ones(2),
            "labels_i": labels_i,
            "labels_j": labels_j.astype(np.uint8),
            "triangle": False,
            "count": REPLICATES - 3,
            "agree": np.zeros((2, REPLICATES)),
            "cross": np.zeros((2, REPLICATES)),
            "constant": np.zeros(2),
        },
        "agreeing_sums": {
            "values": np.ones((n, k)),
            "labels_i": labels_i.astype(np.uint16),
            "labels_j": labels_j,
            "triangle": False,
            "count": REPLICATES - 3,
            "out": np.zeros(REPLICATES),
        },
        "line_label_sums": {
            "x": line,
            "hit": ones,
            "miss": ones,
            "order": np.arange(n)[::-1].copy(),
            "c": 1,
            "rate": 1.0,
            "labels": labels_i,
            "out": np.zeros(REPLICATES),
        },
        "score_sums": {"scores": p, "labels": labels_i, "out": np.zeros(REPLICATES)},
        "class_score_sums": {
            "scores": p,
            "labels": labels_i,
            "out": np.zeros((REPLICATES, CLASSES)),
        },
        "feature_sums": {
            "features": v[None],
            "labels": labels_i,
            "out": np.zeros((REPLICATES, 1, CLASSES, 2)),
        },
        "few_class_sums": {
            "features": rng.normal(size=(CLASSES - 1, n, 2)),
            "labels": labels_i,
            "out": np.zeros((REPLICATES, CLASSES - 1, 2)),
        },
        "cell_sums": {
            "cells": rng.integers(7, size=(n, CLASSES)).astype(np.uint16),
            "weights": ones,
            "labels": labels_i,
            "out": np.zeros((REPLICATES, CLASSES, 7)),
        },
        "own_cell_sums": {
            "cells": rng.integers(7, size=(n, CLASSES)).astype(np.uint16),
            "values": p,
            "weights": ones,
            "out": np.zeros((CLASSES, 7)),
        },
        "bucket_sums": {
            "buckets": rng.integers(7, size=n).astype(np.uint16),
            "values": p,
            "weights": ones,
            "out": np.zeros((7, CLASSES)),
        },
        "squared_deviations": {
            "tables": np.ones((5, CLASSES, 7)),
            "expected": np.zeros((CLASSES, 7)),
            "out": np.zeros((5, CLASSES)),
        },
        "cell_pair_sums": {
            "tables": np.ones((5, CLASSES, 7)),
            "expected": np.zeros((CLASSES, 7)),
            "decays": np.ones(3),
            "out": np.zeros((5, 3)),
        },
        "line_sum": {"x": line, "v": v, "rate": 1.0},
        "line_apply": {"x": line, "v": v, "rate": 1.0, "out": np.zeros((n, 2))},
        "line_weighted_sums": {"x": line, "v": ones, "w": v, "rate": 1.0, "out": np.zeros(2)},
        "resample_labels": {"y_prob": p, "out": np.zeros((6, n), np.uint8)} | draw,
        "resample_codes": {"y_prob": p, "out": np.zeros((n, 8), np.uint8), "column": 1, "count": 6}
        | draw,
        "resample_counts": {
            "y_prob": np.stack([p[:, :2], p[:, 1:3]]),
            "ids": rng.integers(4, size=(2, n)),
            "out": np.zeros((2, 6, 4), np.int64),
        }
        | draw,
        "resample_uniforms": {"out": np.zeros((6, n))} | draw,
        "binning_uniform": {"p": p[None], "n_bins": 10, "ids": np.zeros((1, n), np.int64)},
        "binning_median_variance": {
            "p": p[None],
            "min_size": 2,
            "max_bins": 0,
            "ids": np.zeros((1, n), np.int64),
        },
        "binning_sums": {
            "p": p,
            "y": codes,
            "w": ones,
            "ids": bins,
            "sum_p": np.zeros((3, CLASSES)),
            "sum_y": np.zeros((3, CLASSES)),
            "weight": np.zeros(3),
        },
        "binning_errors": {
            "p": np.stack([p, p]),
            "y": np.stack([codes, codes]),
            "ids": np.stack([bins, bins]),
            "distance": 0,
            "norm": 1,
            "out": np.zeros(2),
        },
        "binning_label_errors": {
            "mean": q[:3].copy(),
            "weight": np.ones(3),
            "ids": bins,
            "w": ones,
            "labels": labels_i.T[:2].copy(),
            "distance": 0,
            "norm": 1,
            "out": np.zeros(2),
        },
        "consistency_errors": {
            "p": p,
            "cells": bins,
            "min_size": 2,
            "seed": 7,
            "out": np.zeros((2, 9)),
        },
    }


OUTPUTS = {
    "out",
    "out_i",
    "out_j",
    "sums",
    "sum_p",
    "sum_y",
    "weight",
    "agree",
    "cross",
    "constant",
    "totals",
    "crosses",
    "roots",
}
INDICES = {
    "codes",
    "rows",
    "order",
    "labels",
    "labels_i",
    "labels_j",
    "cells",
    "buckets",
    "y",
    "ids",
}
# arrays that set a length of their own
FREE_ROWS = {
    *((name, x) for name in ("count_distances", "collect_distances") for x in ("xi", "xj")),
    ("collect_distances", "out"),
    ("resample_labels", "out"),
    ("coupled_labels", "out"),
    ("bucket_sums", "out"),
    ("resample_uniforms", "out"),
    ("tempered_rows", "p"),
}
FREE_COLUMNS = {
    *(("block_residual_sums", name) for name in "xp"),
    *(("many_pair_sums", name) for name in "xv"),
    ("row_sums_and_range", "a"),
    ("sums_of_others", "p"),
    ("tempered_rows", "p"),
    ("resample_counts", "out"),
    ("score_sums", "scores"),
    ("line_sum", "v"),
    ("cell_sums", "out"),
    ("own_cell_sums", "out"),
    ("resample_labels", "y_prob"),
    ("resample_codes", "y_prob"),
    ("resample_codes", "out"),
    ("coupled_labels", "y_prob"),
    ("resample_uniforms", "out"),
    ("binning_uniform", "p"),
    ("binning_median_variance", "p"),
    ("binning_errors", "p"),
    ("binning_label_errors", "mean"),
    ("consistency_errors", "p"),
    ("consistency_errors", "out"),
}


def is_output(routine, name):
    if name == "ids":
        return routine in ("binning_uniform", "binning_median_variance")
    return name in OUTPUTS and (routine, name) != ("binning_label_errors", "weight")


def arrays(wanted):
    return [
        pytest.param(routine, name, id=f"{routine}-{name}")
        for routine, arguments in calls().items()
        for name, value in arguments.items()
        if isinstance(value, np.ndarray) and wanted(routine, name)
    ]


def call(native, routine, **changes):
    arguments = calls()[routine] | changes
    return getattr(native, routine)(**arguments)


def longer(array, axis):
    """Repeat the last entry of an axis."""
    last = np.take(array, [-1], axis)
    return np.ascontiguousarray(np.concatenate([array, last], axis))


def test_every_routine_has_a_call_here(native):
    routines = {name for name in dir(native) if not name.startswith("_")} - {"simd"}
    assert routines == set(calls())


@pytest.mark.parametrize("routine", calls())
def test_a_valid_call_fills_its_outputs(native, routine):
    arguments = calls()[routine]
    call(native, routine, **arguments)
    for name, value in arguments.items():
        if is_output(routine, name):
            assert np.any(value != calls()[routine][name]) or name == "ids"


@pytest.mark.parametrize(("routine", "name"), arrays(is_output))
def test_an_output_is_never_filled_as_a_copy(native, routine, name):
    out = calls()[routine][name]
    narrow = out.astype(np.float32 if out.dtype == np.float64 else np.int16)
    strided = np.zeros((*out.shape, 2), out.dtype)[..., 0]
    locked = out.copy()
    locked.flags.writeable = False
    for wrong in (narrow, strided, locked):
        with pytest.raises(TypeError):
            call(native, routine, **{name: wrong})


@pytest.mark.parametrize(("routine", "name"), arrays(lambda _, name: name in INDICES))
def test_indices_are_not_converted(native, routine, name):
    index = calls()[routine][name]
    for dtype in (np.float64, np.int32, np.int64 if index.dtype != np.int64 else np.uint8):
        if (routine, name, dtype) == ("binning_label_errors", "labels", np.int64):
            continue  # one of its types
        with pytest.raises(TypeError):
            call(native, routine, **{name: index.astype(dtype)})


@pytest.mark.parametrize(("routine", "name"), arrays(lambda *place: place not in FREE_ROWS))
def test_an_array_with_a_row_too_many_is_refused(native, routine, name):
    with pytest.raises(ValueError, match="must"):
        call(native, routine, **{name: longer(calls()[routine][name], 0)})


@pytest.mark.parametrize(
    ("routine", "name"),
    [
        param
        for param in arrays(lambda *place: place not in FREE_COLUMNS)
        if calls()[param.values[0]][param.values[1]].ndim > 1
    ],
)
def test_an_array_with_a_column_too_many_is_refused(native, routine, name):
    with pytest.raises(ValueError, match="must"):
        call(native, routine, **{name: longer(calls()[routine][name], -1)})


@pytest.mark.parametrize(
    ("routine", "name", "limit"),
    [
        ("block_residual_sums", "codes", CLASSES),
        ("line_label_sums", "order", 5),
        ("label_pair_sums", "labels_i", CLASSES),
        ("label_pair_sums", "labels_j", CLASSES),
        ("tempered_rows", "rows", 5),
        ("odds_sums", "labels", CLASSES),
        ("score_sums", "labels", CLASSES),
        ("class_score_sums", "labels", CLASSES),
        ("feature_sums", "labels", CLASSES),
        ("few_class_sums", "labels", CLASSES),
        ("resample_counts", "ids", 4),
        ("cell_sums", "labels", CLASSES),
        ("cell_sums", "cells", 7),
        ("own_cell_sums", "cells", 7),
        ("bucket_sums", "buckets", 7),
        ("binning_sums", "y", CLASSES),
        ("binning_sums", "ids", 3),
        ("binning_errors", "y", CLASSES),
        ("binning_errors", "ids", 1 << 32),
        ("binning_label_errors", "labels", CLASSES),
        ("binning_label_errors", "ids", 3),
        ("consistency_errors", "cells", 5),
    ],
)
def test_indices_outside_their_range_are_refused(native, routine, name, limit):
    index = calls()[routine][name]
    wide = index.dtype == np.int64
    for wrong in (-1, limit, np.iinfo(np.int64).min, np.iinfo(np.int64).max) if wide else (limit,):
        for place in (0, -2):  # a row of labels is read to its end, the last block of codes is not
            changed = index.copy()
            changed.reshape(-1)[place] = wrong
            with pytest.raises(ValueError, match=r"must be in \[0, "):
                call(native, routine, **{name: changed})


@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int64])
def test_labels_of_every_type_are_checked(native, dtype):
    labels = np.zeros((2, 5), dtype)
    labels[1, 4] = CLASSES
    with pytest.raises(ValueError, match="labels must be in"):
        call(native, "binning_label_errors", labels=labels)


@pytest.mark.parametrize("routine", ["score_sums", "class_score_sums", "feature_sums", "cell_sums"])
@pytest.mark.parametrize("n", [1, 300, 1000])
def test_labels_of_every_row_are_checked(native, routine, n):
    arguments = calls()[routine]
    for name in ("scores", "cells", "weights", "labels"):
        if name in arguments:
            arguments[name] = np.resize(arguments[name], (n, *arguments[name].shape[1:]))
    if "features" in arguments:
        arguments["features"] = np.resize(arguments["features"], (1, n, 2))
    labels = arguments["labels"] = np.minimum(arguments["labels"], 2).astype(np.uint16)
    getattr(native, routine)(**arguments)
    labels[n - 1, 63] = 300
    with pytest.raises(ValueError, match="labels must be in"):
        getattr(native, routine)(**arguments)


@pytest.mark.parametrize(
    ("routine", "name"),
    [
        (routine, name)
        for routine, arguments in calls().items()
        for name in ("metric", "profile")
        if name in arguments
    ],
)
def test_metrics_and_profiles_must_exist(native, routine, name):
    for wrong in (-1, {"metric": METRICS, "profile": PROFILES}[name]):
        with pytest.raises(ValueError, match=f"{name} must be 0"):
            call(native, routine, **{name: wrong})


@pytest.mark.parametrize(
    ("routine", "changes"),
    [
        ("pair_sum", {"threads": 0}),
        ("pair_sum", {"threads": -1}),
        ("pair_sum", {"triangle": True}),
        ("row_sums", {"triangle": True}),
        ("label_pair_sums", {"triangle": True}),
        ("label_pair_sums", {"count": REPLICATES + 1}),
        ("count_distances", {"triangle": True}),
        ("count_distances", {"shift": 64}),
        ("count_distances", {"finer": 64}),
        ("count_distances", {"finer": -1}),
        ("collect_distances", {"triangle": True}),
        ("collect_distances", {"shift": -1}),
        ("agreeing_sums", {"triangle": True}),
        ("agreeing_sums", {"count": REPLICATES + 1}),
        ("block_residual_sums", {"size": 0}),
        ("block_residual_sums", {"size": -2}),
        ("block_residual_sums", {"size": 1 << 62}),
        ("line_label_sums", {"c": -1}),
        ("line_label_sums", {"c": 256}),
        ("resample_labels", {"first_replicate": (1 << 33) - 5}),
        ("resample_labels", {"first_replicate": (1 << 64) - 1}),
        ("resample_labels", {"y_prob": np.ones((5, 257))}),
        ("resample_labels", {"y_prob": np.ones((5, 0))}),
        ("resample_codes", {"first_replicate": (1 << 33) - 5}),
        ("resample_codes", {"column": 3}),
        ("resample_codes", {"column": 0, "count": 9}),
        ("resample_codes", {"y_prob": np.ones((5, 257))}),
        ("resample_counts", {"out": np.zeros((3, 6, 4), np.int64)}),
        ("resample_counts", {"first_replicate": (1 << 33) - 5}),
        ("coupled_labels", {"order": np.full(5, 5)}),
        ("coupled_labels", {"coupling": 1.5}),
        ("resample_uniforms", {"first_replicate": (1 << 33) - 5}),
        ("binning_uniform", {"n_bins": 0}),
        ("binning_uniform", {"n_bins": 1 << 31}),
        ("binning_median_variance", {"min_size": 0}),
        ("binning_median_variance", {"max_bins": -1}),
        ("binning_median_variance", {"p": np.full((1, 5, 3), np.nan)}),
        ("binning_errors", {"distance": 5}),
        ("binning_errors", {"distance": -1}),
        ("binning_errors", {"norm": 3}),
        ("binning_label_errors", {"distance": 5}),
        ("binning_label_errors", {"norm": 0}),
        ("consistency_errors", {"min_size": 0}),
        ("consistency_errors", {"p": np.full((5, 3), np.nan)}),
    ],
)
def test_numbers_without_a_meaning_are_refused(native, routine, changes):
    with pytest.raises(ValueError, match="must"):
        call(native, routine, **changes)


def test_vectors_without_columns_are_refused(native):
    with pytest.raises(ValueError, match="must have"):
        call(native, "pair_sum", vi=np.ones((5, 0)), vj=np.ones((4, 0)))
    with pytest.raises(ValueError, match="must have"):
        call(native, "many_pair_sums", v=np.ones((2, 5, 0)))


@pytest.mark.parametrize("routine", ["binning_uniform", "binning_median_variance"])
def test_binning_needs_rows_and_columns(native, routine):
    for shape in ((1, 0, 3), (1, 5, 0)):
        with pytest.raises(ValueError, match="must have a row and a column"):
            call(native, routine, p=np.ones(shape), ids=np.zeros(shape[:2], np.int64))


def test_errors_of_no_rows_are_refused(native):
    empty = np.zeros((2, 0), np.int64)
    with pytest.raises(ValueError, match="must have a row"):
        call(native, "binning_errors", p=np.ones((2, 0, 3)), y=empty, ids=empty)
    with pytest.raises(ValueError, match="must not be empty"):
        call(native, "consistency_errors", p=np.ones((0, 3)), cells=np.zeros(0, np.int64))


def test_tiles_without_rows_are_empty_sums(native):
    none = {"xi": np.ones((0, 3)), "vi": np.ones((0, 2))}
    assert call(native, "pair_sum", **none) == 0.0
    out = np.full((5, 2), 0.5)
    call(native, "apply", xj=np.ones((0, 3)), vj=np.ones((0, 2)), out=out)
    assert np.all(out == 0.5)
    call(native, "gram", xi=np.ones((0, 3)), out=np.ones((0, 4)))


def test_more_threads_than_rows_change_nothing(native):
    one, many = (call(native, "pair_sum", threads=threads) for threads in (1, 1 << 30))
    assert one == many


WITHOUT_THREADS = """
import resource, sys
import numpy as np
from calibrant._native import _core

x = np.random.default_rng(0).random((2000, 3))
alone = _core.pair_sum(x, x, x, x, 0, 1, 1.0, True, 1)
pages = int(open("/proc/self/statm").read().split()[0])
room = pages * resource.getpagesize() + (60 << 20)  # for a few stacks, not for a hundred
resource.setrlimit(resource.RLIMIT_AS, (room, room))
together = _core.pair_sum(x, x, x, x, 0, 1, 1.0, True, 100)
sys.exit(alone != together)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory as Linux does")
@pytest.mark.skipif("libasan" in os.environ.get("LD_PRELOAD", ""), reason="needs that memory")
def test_work_is_done_by_the_threads_that_can_be_started(native):
    done = subprocess.run([sys.executable, "-c", WITHOUT_THREADS], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
