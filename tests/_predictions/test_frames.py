from decimal import Decimal

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings, strategies as st

from calibrant._predictions import Predictions
from calibrant._predictions._arrays import read

P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625], [0.125, 0.25, 0.625]])
NAMES = ("a", "b", "c")
LABELS = ["a", "c", "b", "a"]


def frames(y_prob, names):
    columns = {name: y_prob[:, j] for j, name in enumerate(names)}
    table = pa.table(columns)
    return [
        pd.DataFrame(y_prob, columns=list(names)),
        pd.DataFrame(y_prob, columns=list(names), index=range(5, 5 + len(y_prob))),
        table.to_pandas(types_mapper=pd.ArrowDtype),
        pl.DataFrame(columns),
        nw.from_native(pl.DataFrame(columns)),
        table,
        table.to_batches()[0],
    ]


def series(labels):
    return [
        pd.Series(labels),
        pd.Series(labels, index=range(3, 3 + len(labels))),
        pd.Index(labels),
        pd.Categorical(labels),
        pd.Series(labels, dtype="category"),
        pd.Series(labels, dtype="string"),
        pd.DataFrame({"label": labels}),
        pl.Series(labels),
        pl.Series(labels).cast(pl.Categorical),
        pl.DataFrame({"label": labels}),
        pa.array(labels),
        pa.array(labels).dictionary_encode(),
        pa.chunked_array([labels]),
    ]


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_every_kind_of_frame_gives_the_same_bits(n, m, seed):
    rng = np.random.default_rng(seed)
    y_true, y_prob = rng.integers(m, size=n), rng.dirichlet(np.ones(m), n)
    names = tuple("abcde"[:m])
    for frame in frames(y_prob, names):
        predictions = Predictions(y_true, frame)
        assert predictions.y_prob.tobytes() == y_prob.tobytes()
        assert predictions.y_true.tobytes() == y_true.tobytes()
        assert predictions.classes == names


@pytest.mark.parametrize("i", range(len(series(LABELS))))
def test_every_kind_of_series_holds_labels(i):
    predictions = Predictions(series(LABELS)[i], pd.DataFrame(P, columns=list(NAMES)))
    assert predictions.y_true.tolist() == [0, 2, 1, 0]


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([0, 1, 2, 1], dtype="Int64"),
        pd.Series([0, 1, 2, 1], dtype="int8"),
        pd.Series([0.0, 1.0, 2.0, 1.0]),
        pl.Series([0, 1, 2, 1], dtype=pl.UInt8),
        pa.array([0, 1, 2, 1]),
    ],
)
def test_every_kind_of_series_holds_codes(labels):
    assert Predictions(labels, P).y_true.tolist() == [0, 1, 2, 1]


@pytest.mark.parametrize(
    "labels",
    [pd.Series([True, False]), pd.Series([True, False], dtype="boolean"), pl.Series([True, False])],
)
def test_every_kind_of_series_holds_booleans(labels):
    assert Predictions(labels, pd.Series([0.5, 0.25])).y_true.tolist() == [1, 0]


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_the_rounding_of_a_frame_is_known(kind):
    frame = pd.DataFrame(P, columns=list(NAMES)).astype({"b": kind})
    assert read(frame, "y_prob").precision == np.dtype(kind).name
    assert read(frame["b"], "y_prob").precision == np.dtype(kind).name
    assert read(frame["a"], "y_prob").precision == "float64"


def test_half_floats_of_arrow_are_read_exactly():
    half = pa.table({name: pa.array(P[:, j].astype(np.float16)) for j, name in enumerate(NAMES)})
    source = read(half, "y_prob")
    assert source.precision == "float16"
    assert np.array_equal(source.values, P)


@pytest.mark.parametrize("library", [pa.table, pl.DataFrame])
def test_decimals_are_read_as_numbers(library):
    decimals = {"a": [Decimal("0.5"), Decimal("0.25")], "b": [Decimal("0.5"), Decimal("0.75")]}
    assert np.array_equal(Predictions([0, 1], library(decimals)).y_prob, [[0.5, 0.5], [0.25, 0.75]])


def test_numbers_in_column_names_are_names_where_every_label_is_among_them():
    frame = pd.DataFrame(P, columns=[10, 20, 30])
    assert Predictions([10, 30, 20, 10], frame).y_true.tolist() == [0, 2, 1, 0]
    with pytest.raises(
        ValueError, match=r"contain the classes 10, 20, 30; got 2 labels .* \(0\) at row 0"
    ):
        Predictions([0, 10, 1, 20], frame)


def test_default_column_names_are_positions():
    assert Predictions([0, 1, 2, 1], pd.DataFrame(P)).classes == (0, 1, 2)
    with pytest.raises(
        ValueError, match=r"If your labels start at 1, pass `classes=range\(1, 4\)`"
    ):
        Predictions([1, 2, 3, 1], pd.DataFrame(P))


def test_classes_override_unrelated_column_names():
    frame = pd.DataFrame(P, columns=["p_a", "p_b", "p_c"])
    assert Predictions(LABELS, frame, classes=NAMES).classes == NAMES


def test_classes_in_another_order_than_the_columns_are_refused():
    frame = pd.DataFrame(P, columns=list(NAMES))
    with pytest.raises(
        ValueError, match=r"must have the order of the columns; got 'c', 'b', 'a' .* Reorder one"
    ):
        Predictions(LABELS, frame, classes=["c", "b", "a"])


def test_pos_label_against_the_columns_is_refused():
    frame = pd.DataFrame({"yes": [0.5], "no": [0.5]})
    with pytest.raises(ValueError, match="`pos_label` must be the last class, 'no'; got 'yes'"):
        Predictions(["yes"], frame, pos_label="yes")


def test_a_label_that_is_no_column_is_refused():
    with pytest.raises(ValueError, match=r"classes 'a', 'b', 'c'; got 1 label .* \('x'\) at row 3"):
        Predictions(["a", "b", "c", "x"], pl.DataFrame(P, schema=list(NAMES)))


def test_one_hot_frames_take_the_order_of_the_predictions():
    dummies = pd.get_dummies(pd.Series(LABELS))
    frame = pd.DataFrame(P, columns=list(NAMES))
    assert Predictions(dummies, frame).y_true.tolist() == [0, 2, 1, 0]
    assert Predictions(dummies, P).classes == NAMES
    assert Predictions(dummies, frame[["c", "b", "a"]]).labels.tolist() == LABELS


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": [0.5, 0.5], "b": [0.5, None]}),
        pd.DataFrame({"a": [0.5, 0.5], "b": [0.5, None]}, dtype="Float64"),
        pl.DataFrame({"a": [0.5, 0.5], "b": [0.5, None]}),
        pa.table({"a": [0.5, 0.5], "b": [0.5, None]}),
    ],
)
def test_missing_probabilities_are_refused(frame):
    message = "must not have missing values; got 1 missing value, the first at row 1, column 'b'"
    with pytest.raises(ValueError, match=message):
        Predictions([0, 1], frame)


def test_nan_that_is_no_missing_value_is_refused_all_the_same():
    frame = pl.DataFrame({"a": [0.5, 0.5], "b": [0.5, float("nan")]})
    with pytest.raises(ValueError, match=r"`y_prob` must be finite; .* at row 1, column 1"):
        Predictions([0, 1], frame)


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series(["a", None, None, "b"]),
        pd.Series([0, None, None, 1]),
        pd.Series([0, None, None, 1], dtype="Int64"),
        pl.Series(["a", None, None, "b"]),
        pa.array([0, None, None, 1]),
    ],
)
def test_missing_labels_are_refused(labels):
    with pytest.raises(
        ValueError, match="`y_true` must not have missing values; got 2 missing values, "
    ):
        Predictions(labels, pd.DataFrame(P, columns=list(NAMES)))


def test_a_column_that_holds_no_numbers_is_refused():
    frame = pl.DataFrame(P, schema=list(NAMES)).with_columns(site=pl.lit("x"))
    with pytest.raises(
        ValueError, match=r"\('x'\) at row 0, column 3. Select the columns that hold nu"
    ):
        Predictions([0, 1, 2, 1], frame)


def test_columns_named_twice_are_refused():
    frame = pd.DataFrame(P, columns=["a", "b", "a"])
    with pytest.raises(ValueError, match="one column per class; got columns named twice: 'a'"):
        Predictions([0, 1, 2, 1], frame)


def test_a_lazy_frame_is_refused_with_the_remedy():
    with pytest.raises(ValueError, match=r"got a lazy frame. Pass `y_prob.collect\(\)`"):
        Predictions([0, 1, 2, 1], pl.DataFrame(P).lazy())


def test_a_frame_without_columns_is_refused():
    with pytest.raises(ValueError, match="`y_prob` must not be empty; got a frame without columns"):
        Predictions([0], pd.DataFrame(index=[0]))


@pytest.mark.parametrize("rows", [pd.Series([[0.5, 0.5]] * 2), pl.Series([[0.5, 0.5]] * 2)])
def test_a_series_of_vectors_is_refused_with_the_remedy(rows):
    with pytest.raises(ValueError, match=r"must be a matrix; got one list per row. Pass `np.stack"):
        Predictions([0, 1], rows)
    assert Predictions([0, 1], np.stack(rows)).n_classes == 2
