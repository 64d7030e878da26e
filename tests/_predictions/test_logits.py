import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.special import expit, softmax

from calibrant._predictions import Predictions

Z = np.array([[1.0, -2.0, 0.5], [300.0, 299.0, -1000.0]])


@pytest.mark.parametrize("temperature", [0.5, 1, 3.0])
def test_logits_go_through_the_softmax(temperature):
    predictions = Predictions.from_logits([0, 2], Z, temperature=temperature)
    np.testing.assert_allclose(predictions.y_prob, softmax(Z / temperature, axis=1), rtol=1e-13)
    assert predictions.y_prob.flags.c_contiguous


@given(st.floats(-1e308, 1e308), st.floats(-1e308, 1e308), st.floats(0.01, 100))
def test_logits_of_any_magnitude_give_distributions(a, b, temperature):
    row = Predictions.from_logits([0], [[a, b]], temperature=temperature).y_prob[0]
    assert np.isfinite(row).all()
    assert abs(row.sum() - 1) < 1e-15


def test_one_column_is_the_logit_of_the_positive_class():
    z = np.array([-800.0, -1.0, 0.0, 40.0])
    predictions = Predictions.from_logits([0, 0, 1, 1], z)
    np.testing.assert_allclose(predictions.y_prob[:, 1], expit(z), rtol=1e-15)
    np.testing.assert_allclose(predictions.y_prob[:, 0], expit(-z), rtol=1e-15)


def test_a_logit_of_minus_infinity_is_a_probability_of_zero():
    y_prob = Predictions.from_logits([0], [[0.0, -np.inf, 0.0]]).y_prob
    assert np.array_equal(y_prob, [[0.5, 0, 0.5]])


def test_names_weights_and_frames_are_carried():
    frame = pd.DataFrame(Z, columns=["a", "b", "c"])
    predictions = Predictions.from_logits(["c", "a"], frame, sample_weight=[1, 2])
    assert predictions.classes == ("a", "b", "c")
    assert predictions.y_true.tolist() == [2, 0]
    assert predictions.weights.tolist() == [1, 2]
    positive = Predictions.from_logits(["no", "yes"], [0.0, 1.0], pos_label="yes")
    assert positive.classes == ("no", "yes")


@pytest.mark.parametrize("temperature", [0, -1.0, np.nan, np.inf, "1", None])
def test_a_temperature_that_is_not_positive_is_refused(temperature):
    with pytest.raises(ValueError, match="`temperature` must be a positive number; got"):
        Predictions.from_logits([0, 1], Z, temperature=temperature)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_logits_without_a_meaning_are_refused(value):
    with pytest.raises(
        ValueError, match=r"`logits` must be finite; got 1 value .* at row 0, column 1"
    ):
        Predictions.from_logits([0], [[0.0, value]])


def test_a_row_without_a_finite_logit_is_refused():
    with pytest.raises(ValueError, match="got 1 row of -inf only, the first at row 0"):
        Predictions.from_logits([0], [[-np.inf, -np.inf]])


def test_shapes_of_logits_are_checked_under_their_name():
    with pytest.raises(ValueError, match=r"`logits` must have one row per label.*pass `logits.T`"):
        Predictions.from_logits([0, 1], Z.T)
