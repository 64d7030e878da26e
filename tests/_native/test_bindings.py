"""Every native routine refuses invalid arguments from any caller."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tests._native.calls import CLASSES, METRICS, PROFILES, REPLICATES, calls

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
