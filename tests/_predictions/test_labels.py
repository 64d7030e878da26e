import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from calibrant._predictions import Predictions

P = np.array([[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.125, 0.25, 0.625], [0.125, 0.25, 0.625]])
P4 = np.full((4, 4), 0.25)
BINARY = [0.25, 0.5, 0.75, 1.0]


def codes(y_true, y_prob=P, **options):
    return Predictions(y_true, y_prob, **options).y_true.tolist()


@pytest.mark.parametrize(
    "y_true",
    [
        [0, 1, 2, 1],
        [0.0, 1.0, 2.0, 1.0],
        np.array([0, 1, 2, 1], dtype=np.uint8),
        np.array([0, 1, 2, 1], dtype=np.float16),
        np.array([0, 1, 2, 1], dtype=object),
        np.eye(3)[[0, 1, 2, 1]],
        np.eye(3, dtype=int)[[0, 1, 2, 1]],
        np.eye(3, dtype=bool)[[0, 1, 2, 1]],
        [[0], [1], [2], [1]],
    ],
)
def test_every_form_of_integer_labels_gives_the_same_codes(y_true):
    predictions = Predictions(y_true, P)
    assert predictions.y_true.dtype == np.int64
    assert predictions.y_true.tolist() == [0, 1, 2, 1]
    assert predictions.classes == (0, 1, 2)


@pytest.mark.parametrize("y_true", [[False, True, True, False], np.array([0, 1, 1, 0]) == 1])
def test_booleans_are_labels_of_two_classes(y_true):
    assert codes(y_true, BINARY) == [0, 1, 1, 0]


def test_booleans_with_three_classes_are_refused():
    with pytest.raises(ValueError, match="must not be booleans if there are 3 classes"):
        Predictions([True, False, True, True], P)


def test_names_are_found_in_the_order_of_classes():
    assert codes(["c", "a", "b", "a"], classes=["b", "c", "a"]) == [1, 2, 0, 2]


@pytest.mark.parametrize("dtype", [object, "U3", "S3"])
def test_arrays_of_names_are_found(dtype):
    y_true = np.array(["a", "b", "c", "a"], dtype=dtype)
    assert codes(y_true, classes=np.unique(y_true)) == [0, 1, 2, 0]


def test_integers_may_be_names():
    predictions = Predictions([10, 30, 20, 10], P, classes=[10, 20, 30])
    assert predictions.y_true.tolist() == [0, 2, 1, 0]
    assert predictions.labels.tolist() == [10, 30, 20, 10]


def test_labels_of_different_types_stay_apart():
    assert codes([1, "1", 2, 1], classes=[1, "1", 2]) == [0, 1, 2, 0]


def test_integers_are_positions_where_the_names_are_text():
    predictions = Predictions([0, 1, 2, 1], P, classes=["a", "b", "c"])
    assert predictions.labels.tolist() == ["a", "b", "c", "b"]


@pytest.mark.parametrize("names", [["1", "2", "x"], ["one 1", "two 2", "three 3"]])
def test_integers_that_could_be_names_or_positions_are_refused_with_the_remedy(names):
    message = (
        r"got integers \(1, 2\), which could be names or positions.* pass `classes=range\(0, 3\)`"
    )
    with pytest.raises(ValueError, match=message):
        Predictions([1, 2, 2, 1], P, classes=names)


def test_booleans_that_could_be_names_or_positions_are_refused():
    with pytest.raises(
        ValueError, match=r"booleans \(False, True\), which could be names or positions"
    ):
        Predictions([True, False, True, True], BINARY, classes=["spam", "not spam"])


def test_booleans_are_no_class_among_other_numbers():
    with pytest.raises(ValueError, match=r"contain the classes 1, 2; got 4 labels not among them"):
        Predictions([True, True, True, True], BINARY, classes=[1, 2])
    with pytest.raises(ValueError, match="must not be booleans"):
        Predictions([True, True, True, False], P, classes=range(3))


def test_integers_beyond_64_bits_are_names():
    assert codes([2**70, 1, 2**70, 2], classes=[1, 2, 2**70]) == [2, 0, 2, 1]


def test_positions_written_as_text_are_unambiguous():
    assert codes([0, 2, 1, 0], classes=["0", "1", "2"]) == [0, 2, 1, 0]
    assert codes([True, False, True, True], BINARY, classes=["False", "True"]) == [1, 0, 1, 1]


@pytest.mark.parametrize("y_true", [[1, 2, 3, 1], [3, 3, 3, 3], [1.0, 2.0, 3.0, 1.0]])
def test_labels_that_start_at_one_are_refused_with_the_remedy(y_true):
    message = r"integers in \[0, 3\); .* \(3\) at row .* start at 1, pass `classes=range\(1, 4\)`"
    with pytest.raises(ValueError, match=message):
        Predictions(y_true, P)
    assert codes(y_true, classes=range(1, 4)) == [int(label) - 1 for label in y_true]


def test_binary_labels_that_start_at_one_are_refused_with_the_remedy():
    with pytest.raises(ValueError, match="If your labels start at 1, pass `pos_label=2`"):
        Predictions([1, 2, 2, 1], BINARY)
    assert codes([1, 2, 2, 1], BINARY, pos_label=2) == [0, 1, 1, 0]


def test_a_label_out_of_range_is_located():
    with pytest.raises(
        ValueError, match=r"in \[0, 3\); got 2 labels outside, the first \(7\) at row 2"
    ):
        Predictions([0, 1, 7, 3], P)
    with pytest.raises(
        ValueError, match=r"in \[0, 3\); got 1 label outside, the first \(-1\) at row 1"
    ):
        Predictions([0, -1, 1, 2], P)


def test_a_label_beyond_int64_is_out_of_range():
    with pytest.raises(ValueError, match=r"\(18446744073709551615\) at row 1"):
        Predictions(np.array([0, 2**64 - 1, 1, 2], dtype=np.uint64), P)


def test_fractions_are_refused():
    with pytest.raises(ValueError, match=r"must be whole numbers; got 2 values.*\(0.5\) at row 1"):
        Predictions([0, 0.5, 1, 1.5], P)


def test_infinite_labels_are_refused():
    with pytest.raises(ValueError, match="must be whole numbers; got 1 value"):
        Predictions([0, np.inf, 1, 1], P)


@pytest.mark.parametrize(
    ("dtype", "limit"), [("f2", 2**11), ("f4", 2**24), ("f8", 2**53), ("g", 2**53)]
)
def test_labels_that_floats_round_are_refused(dtype, limit):
    classes = [0, limit - 1, limit, limit + 1]
    found = Predictions(np.array([0, limit - 1, 0, 0], dtype), P4, classes=classes)
    assert found.y_true.tolist() == [0, 1, 0, 0]
    with pytest.raises(ValueError, match=f"must be below {limit:,} in float.*2 larger values"):
        Predictions(np.array([0, limit, limit + 1, 0], dtype), P4, classes=classes)


def test_whole_numbers_of_any_size_keep_every_digit():
    classes = [2**63 + 5, -1, 2**63 + 6, 2**70]
    for y_true in (classes, np.array(classes, dtype=object)):
        found = Predictions(y_true, P4, classes=classes)
        assert found.labels.tolist() == classes
    with pytest.raises(ValueError, match="larger value"):
        Predictions([2**53 + 1, 0.0, 1.0, 0.0], P4, classes=[2**53, 0, 1, 2])


def test_a_zero_at_the_end_of_a_name_is_kept():
    found = Predictions(["a", "a\0", "b", "a"], P, classes=["a", "a\0", "b"])
    assert found.labels.tolist() == ["a", "a\0", "b", "a"]


def test_vectors_in_the_place_of_labels_are_refused():
    with pytest.raises(
        ValueError, match=r"one label per row; got 'list'. Pass one-hot rows as a m"
    ):
        Predictions(pd.Series([[0, 1], [1, 0]]), [0.5, 0.5])


def test_complex_labels_are_refused():
    with pytest.raises(ValueError, match="`y_true` must be labels; got dtype complex128"):
        Predictions([0j, 1, 1, 1], P)


@pytest.mark.parametrize(
    "missing",
    [[0, None, 2, None], [0, np.nan, 1, np.nan], ["a", None, "b", pd.NA], ["a", pd.NaT] * 2],
)
def test_missing_labels_are_counted_and_located(missing):
    with pytest.raises(
        ValueError, match=r"got 2 missing labels, the first at row 1. Drop these rows"
    ):
        Predictions(missing, P, classes=["a", "b", "c"])


def test_unknown_names_are_counted_and_located():
    with pytest.raises(
        ValueError, match=r"classes 'a', 'b', 'c'; got 2 labels .* \('x'\) at row 1\."
    ):
        Predictions(["a", "x", "b", "y"], P, classes=["a", "b", "c"])


def test_unknown_integers_are_refused_where_the_names_are_numbers():
    with pytest.raises(ValueError, match=r"classes 10, 20, 30; got 1 label .* \(0\) at row 3\."):
        Predictions([10, 20, 30, 0], P, classes=[10, 20, 30])


def test_a_name_of_another_type_is_pointed_out():
    with pytest.raises(ValueError, match="a class of another type: make the types equal"):
        Predictions(["1", "2", "3", "1"], P, classes=[1, 2, 3])


def test_names_without_classes_are_refused():
    message = r"got names \('b', 'a', 'c'\). Pass `classes`, the 3 names in the order"
    with pytest.raises(ValueError, match=message):
        Predictions(["b", "a", "c", "a"], P)


def test_more_names_than_columns_are_refused():
    with pytest.raises(
        ValueError, match="at most 3 classes where the predictions have 3 columns; got 4 classes"
    ):
        Predictions(["a", "b", "c", "d"], P)


def test_names_with_one_column_need_the_positive_class():
    with pytest.raises(
        ValueError, match=r"one column; got names \('no', 'yes'\).*`pos_label='yes'`"
    ):
        Predictions(["no", "yes", "yes", "no"], BINARY)


def test_pos_label_names_the_positive_class():
    predictions = Predictions(["no", "yes", "yes", "no"], BINARY, pos_label="no")
    assert predictions.classes == ("yes", "no")
    assert predictions.y_true.tolist() == [1, 0, 0, 1]
    assert predictions.y_prob[:, 1].tolist() == BINARY


@pytest.mark.parametrize(
    ("y_true", "pos_label", "classes", "expected"),
    [
        ([-1, 1, 1, -1], 1, (-1, 1), [0, 1, 1, 0]),
        ([0, 1, 1, 0], 0, (1, 0), [1, 0, 0, 1]),
        ([0.0, 1.0, 1.0, 0.0], 1, (0, 1), [0, 1, 1, 0]),
        ([True, False, True, True], False, (True, False), [0, 1, 0, 0]),
        ([1, 1, 1, 1], 1, (0, 1), [1, 1, 1, 1]),
        ([True, True, True, True], np.True_, (False, True), [1, 1, 1, 1]),
        (["yes"] * 4, "yes", ("not yes", "yes"), [1, 1, 1, 1]),
        (["no"] * 4, "yes", ("no", "yes"), [0, 0, 0, 0]),
    ],
)
def test_the_other_class_is_whatever_is_not_positive(y_true, pos_label, classes, expected):
    predictions = Predictions(y_true, BINARY, pos_label=pos_label)
    assert predictions.classes == classes
    assert predictions.y_true.tolist() == expected


def test_the_last_of_two_classes_is_the_positive_one():
    predictions = Predictions(["no", "yes", "yes", "no"], BINARY, classes=["no", "yes"])
    assert predictions.y_true.tolist() == [0, 1, 1, 0]
    assert predictions.y_prob[:, 1].tolist() == BINARY


def test_pos_label_names_the_last_of_two_columns():
    table = np.column_stack([1 - np.array(BINARY), BINARY])
    assert codes(["no", "yes", "yes", "no"], table, pos_label="yes") == [0, 1, 1, 0]


def test_signs_without_pos_label_are_refused_with_the_remedy():
    with pytest.raises(
        ValueError, match=r"\(-1\) at row 0. Name the positive class, for example `pos_label=1`"
    ):
        Predictions([-1, 1, 1, -1], BINARY)


@pytest.mark.parametrize(
    ("label", "pos_label"),
    [
        (1, "1"),
        ("1", 1),
        ("yes", "Yes"),
        ("yes", " yes"),
        ("no", 1),
        (True, "True"),
        ("True", True),
    ],
)
def test_pos_label_in_another_spelling_or_type_is_refused(label, pos_label):
    message = f"one of the labels, which are all {label!r}; got {pos_label!r}. Use the spelling"
    with pytest.raises(ValueError, match=message):
        Predictions([label] * 4, BINARY, pos_label=pos_label)


def test_pos_label_that_is_nowhere_is_refused():
    with pytest.raises(
        ValueError, match=r"one of at most two labels; got 'oui' for the labels 'no', 'yes'"
    ):
        Predictions(["no", "yes", "yes", "no"], BINARY, pos_label="oui")


def test_pos_label_with_many_columns_is_refused():
    with pytest.raises(ValueError, match="`pos_label` is for two classes; got 3 columns"):
        Predictions([0, 1, 2, 1], P, pos_label=1)


def test_pos_label_against_the_order_of_classes_is_refused():
    with pytest.raises(
        ValueError, match=r"must be the last class, 'yes'; got 'no'. .* reverse `classes`"
    ):
        Predictions(["no", "yes"] * 2, BINARY, classes=["no", "yes"], pos_label="no")


@given(st.permutations(range(5)), st.lists(st.integers(0, 4), min_size=1, max_size=20))
def test_relabelling_names_the_same_events(order, y_true):
    names = np.array(list("abcde"))[list(order)]
    y_prob = np.full((len(y_true), 5), 0.2)
    predictions = Predictions(names[y_true], y_prob, classes=names)
    assert predictions.y_true.tolist() == y_true
    assert np.array_equal(predictions.labels, names[y_true])
