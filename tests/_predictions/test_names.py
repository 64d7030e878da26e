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
        (["a", "b", "a"], "`classes` must be distinct; got 'a' more than once"),
        (["a", "b"], r"must name the 3 classes of the predictions .*; got 2: 'a', 'b'"),
        (["a", "b", None], "must not have missing names; got None or NaN"),
        ([0.0, 1.0, np.nan], "must not have missing names"),
        ("abc", "must be a list of names; got the string 'abc'"),
        ([["a"], ["b"], ["c"]], "must be a list of hashable names; got list: unhashable"),
        (3, "must be a list of hashable names; got int"),
        ({"a", "b", "c"}, "got a set, which does not say that order. Pass a list"),
        (frozenset("abc"), "got a frozenset, which does not say that order"),
        ({"a": 0, "b": 1, "c": 2}, "got a dict, which does not say that order"),
    ],
)
def test_bad_names_are_refused(classes, message):
    with pytest.raises(ValueError, match=message):
        Predictions([0], P, classes=classes)


def test_three_names_for_one_column_are_refused():
    with pytest.raises(
        ValueError, match=r"the 2 classes of the predictions \(one column means two classes\)"
    ):
        Predictions([0], [0.5], classes=["a", "b", "c"])


def test_a_lens_does_not_take_a_set_of_names_either():
    with pytest.raises(ValueError, match="got a set, which does not say that order"):
        Predictions([0], P).lens(lambda probs: np.zeros(probs.shape, int), classes={"a", "b"})
