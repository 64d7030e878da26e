import numpy as np
import pytest

from calibrant._predictions import Predictions, as_predictions

Y, P = [0, 1], np.array([[0.75, 0.25], [0.5, 0.5]])


def test_arrays_and_options_make_predictions():
    made = as_predictions(
        ["no", "yes"], 2 * P, classes=["no", "yes"], sample_weight=[1, 2], normalize=True
    )
    assert made.classes == ("no", "yes")
    assert made.weights.tolist() == [1, 2]
    assert np.array_equal(made.y_prob, P)
    assert as_predictions(["a", "b"], [0.5, 0.5], pos_label="a").classes == ("b", "a")


def test_predictions_pass_through():
    predictions = Predictions(Y, P)
    assert as_predictions(predictions) is predictions


@pytest.mark.parametrize(
    "options",
    [
        {"y_prob": P},
        {"classes": [0, 1]},
        {"pos_label": 0},
        {"sample_weight": [1, 1]},
        {"normalize": True},
    ],
)
def test_predictions_come_alone(options):
    with pytest.raises(
        ValueError, match=f"a Predictions comes alone; got `{next(iter(options))}` as"
    ):
        as_predictions(Predictions(Y, P), **options)


def test_a_missing_argument_is_pointed_out():
    with pytest.raises(
        ValueError, match=r"`y_prob` is missing\. Pass `y_true` and `y_prob`, or one `Pred"
    ):
        as_predictions(Y)
