import numpy as np
import pytest

from calibrant._predictions import Predictions

P = np.array([[0.5, 0.25, 0.25]])


def test_classes_of_any_kind_become_a_tuple_of_python_objects():
    predictions = Predictions([1], P, classes=np.array([1, 2, 3]))
    assert predictions.classes == (1, 2, 3)
    assert {type(name) for name in predictions.classes} == {int}


def test_unnamed_classes_are_numbered():
    assert Predictions([1], P).classes == (0, 1, 2)


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (["a", "b", "a"], "classes must be distinct; got 'a' more than once"),
        (["a", "b"], r"must name the 3 classes of y_prob .*; got 2: 'a', 'b'"),
        (["a", "b", None], "must not have missing names; got None or NaN"),
        ([0.0, 1.0, np.nan], "must not have missing names"),
        ("abc", "must be a list of names; got the string 'abc'"),
        ([["a"], ["b"], ["c"]], "must be a list of hashable names; got list: unhashable"),
        (3, "must be a list of hashable names; got int"),
    ],
)
def test_bad_names_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        Predictions([0], P, classes=classes)


def test_three_names_for_one_column_are_refused():
    with pytest.raises(
        ValueError, match=r"the 2 classes of y_prob \(one column means two classes\)"
    ):
        Predictions([0], [0.5], classes=["a", "b", "c"])
